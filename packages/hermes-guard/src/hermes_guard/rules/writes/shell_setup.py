"""Judges tools that rewrite shell startup files."""

from collections.abc import Iterator

from hermes_guard.argv import Options, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.writes.call_checks import (
    Order,
    always,
    anything,
    either,
    has_option,
    order,
    says,
    unless,
)
from hermes_guard.rules.writes.rules import FAMILY, RC_TOOL
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding


def _applies_at_once(options: Options) -> bool:
    return options.subcommand() == "init" and options.has("apply")


_TOOLS: dict[str, Order] = {
    **dict.fromkeys(("conda", "mamba"), order(unless("d dry-run", says("init")), "d dry-run")),
    "micromamba": order(says("shell init"), "s= shell= r= p= n= root-prefix= prefix= name="),
    "pipx": order(says("ensurepath")),
    **dict.fromkeys(("pnpm", "volta"), order(says("setup"), "C= dir=")),
    "chezmoi": order(
        unless("n dry-run", either(says("apply"), says("update"), _applies_at_once)),
        "S= D= c= W= source= destination= config= working-tree= n dry-run apply",
    ),
    "uv": order(says("tool update-shell", "python update-shell"), "directory= project= config-file= cache-dir= color="),
    "terraform": order(has_option("install-autocomplete"), single=True),
    **dict.fromkeys(("vault", "consul", "nomad"), order(has_option("autocomplete-install"), single=True)),
    "fish_add_path": order(anything),
    "rustup-init": order(always),
    "yadm": order(says("clone", "pull", "checkout", "bootstrap"), "Y= yadm-dir= yadm-data= yadm-repo="),
    "homeshick": order(says("link", "clone", "pull")),
    "home-manager": order(says("switch"), "f= I= A= b= j= file= flake= cores= max-jobs="),
    "stow": order(unless("n h V no simulate", anything), "d= t= dir= target= ignore= defer= override= n no simulate v"),
}


@FAMILY.judges(*_TOOLS)
def startup_tools(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about programs that edit shell startup files."""
    spec, wanted = _TOOLS[command.program or ""]
    options = parse(command, spec)
    if not options.helps and wanted(options):
        yield RC_TOOL.found(command)
