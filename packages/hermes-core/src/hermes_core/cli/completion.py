"""`hermes completion`, and the values that a shell suggests: quickly, and without messages.

Plugins run in a child process, so that nothing they do disturbs the command line that the user is typing.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

import click

from hermes_core.cli.output import print_either

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from hermes_core.host import Hermes

Suggestions = Iterable[tuple[str, str]]
"""Values with their descriptions."""
Complete = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]

_SECONDS = 3.0  # after a longer wait, users think that the shell is stuck
_PLAIN = re.compile(r"[\w./%+,-]+")  # values that need no quotes in any shell


def suggest(incomplete: str, gather: Callable[[], Suggestions]) -> list[CompletionItem]:
    """Return the suggestions that complete a word; none if an error occurs."""
    from click.shell_completion import CompletionItem

    from hermes_text.terminal import clean

    try:
        found = dict(gather())
    except Exception:  # completion prints no errors; the command reports them
        return []
    return [
        CompletionItem(value, help=clean(text) or None)
        for value, text in found.items()
        if value.startswith(incomplete) and _PLAIN.fullmatch(value)
    ]


def hook_names(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Suggest hooks, with or without their prefix."""
    from hermes_core import hookspecs
    from hermes_core.plugins.manager import HOOKS

    prefix = f"{hookspecs.PROJECT}_"
    short = not prefix.startswith(incomplete[: len(prefix)])
    docs = {hook.removeprefix(prefix) if short else hook: getattr(hookspecs, hook).__doc__ or "" for hook in HOOKS}
    return suggest(incomplete, lambda: _first_lines(docs.items()))


def _from_host(gather: Callable[[Hermes], Suggestions]) -> Complete:
    def complete(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return suggest(incomplete, lambda: _ask_child(gather))

    return complete


def _tools(host: Hermes) -> Suggestions:
    return _first_lines((spec.name, spec.description) for spec in host.tools(available=False))


def _toolsets(host: Hermes) -> Suggestions:
    names = host.toolsets.known_names(host.registry.snapshot)
    declared = {name: host.toolsets.get(name) for name in names}
    return _first_lines(
        [*((name, each.description if each else "") for name, each in declared.items()), ("all", "Every tool.")]
    )


def _plugins(host: Hermes) -> Suggestions:
    return [(record.name, record.distribution or record.origin) for record in host.report]


def _keys(host: Hermes, which: str) -> Mapping[str, str]:
    from hermes_core.config.config import Config, read_document
    from hermes_core.inspection import plugin_sections
    from hermes_files.yaml_document import key_of

    config = Config(sections=plugin_sections(host))
    sections = {spec.name: str(spec.schema.get("description", "")) for spec in config.sections.values()}
    declared = {
        key_of((spec.name, *way)): str((spec.find(way) or {}).get("description", ""))
        for spec in config.sections.values()
        for way in spec.paths()
    }
    stored = {
        key_of(steps): ""
        for steps in read_document(config.file).lines
        if steps and all(isinstance(step, str) for step in steps)  # not the items of lists
    }
    if which == "readable":
        return sections | declared | stored
    if which == "settable":
        return {key: text for key, text in (declared | stored).items() if key not in sections}
    env_file = str(config.env_file)
    return stored | {
        key: text for key, text in declared.items() if config.is_secret(key) and config.origin(key).file == env_file
    }


def _first_lines(texts: Suggestions) -> Suggestions:
    return [(name, next(iter(text.strip().splitlines()), "")) for name, text in texts]


tool_names = _from_host(_tools)
toolset_names = _from_host(_toolsets)
plugin_names = _from_host(_plugins)
readable_keys = _from_host(lambda host: _keys(host, "readable").items())
settable_keys = _from_host(lambda host: _keys(host, "settable").items())
stored_keys = _from_host(lambda host: _keys(host, "stored").items())

toolset_option = click.option(
    "--toolset",
    "toolsets",
    multiple=True,
    metavar="NAME",
    shell_complete=toolset_names,
    help="Use only tools of this toolset; repeatable.",
)


# -- the child process -----------------------------------------------------------------------------------------------


def _ask_child(gather: Callable[[Hermes], Suggestions]) -> Suggestions:
    """Run a function in a child process; kill it with all its own children at the deadline."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _answer(gather, writing)
    os.close(writing)
    deadline = time.monotonic() + _SECONDS
    answer = b""
    try:
        while not answer.endswith(b"\n") and select.select([reading], [], [], max(0.0, deadline - time.monotonic()))[0]:
            if not (chunk := os.read(reading, 65536)):
                break
            answer += chunk
        return [(value, text) for value, text in json.loads(answer)]
    finally:
        os.close(reading)
        for kill in (os.killpg, os.kill):  # it may not have created its group yet
            with suppress(ProcessLookupError, PermissionError):  # it has ended, which some systems report as forbidden
                kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _answer(gather: Callable[[Hermes], Suggestions], writing: int) -> NoReturn:
    try:
        os.setsid()  # without a terminal, nothing can prompt for a password
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(null, stream)
        from hermes_core.host import Hermes

        host = Hermes.load(only_looking=True, locked=False, checked=False)
        with open(writing, "w", encoding="utf-8") as pipe:
            pipe.write(json.dumps(list(gather(host))) + "\n")
    finally:
        os._exit(0)  # without waiting for threads and exit handlers of plugins


# -- the script of a shell -------------------------------------------------------------------------------------------

# The scripts use click's protocol, but unlike click's own scripts, they run the `hermes` of the command line in any
# directory, complete `--option=value` and print no errors.

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS), required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the shell and its script.")
@click.pass_context
def command(ctx: click.Context, shell: str | None, as_json: bool) -> None:
    """Generate a shell completion script.

    SHELL defaults to the environment variable of that name; the exit code is 2 if the shell is not supported. To enable
    completion, add one line to the startup file of your shell:

    \b
    bash, in ~/.bashrc:
      eval "$(hermes completion bash)"
    zsh, in ~/.zshrc, after compinit if you call it:
      eval "$(hermes completion zsh)"
    fish, in ~/.config/fish/completions/hermes.fish:
      hermes completion fish | source
    """
    variable = os.environ.get("SHELL", "")
    shell = shell or os.path.basename(variable)
    if shell not in SHELLS:
        reason = f"SHELL is {variable!r}" if variable else "SHELL is not set"
        ctx.fail(f"Which shell? {reason}, so name one of {', '.join(SHELLS)}.")
    print_either(as_json, {"shell": shell, "script": script(shell)}, script(shell).removesuffix("\n"))


def script(shell: str) -> str:
    """Return the completion script for a shell."""
    from importlib.resources import files  # slow to import, and not needed for suggestions

    return files("hermes_core.cli").joinpath("shells", f"hermes.{shell}").read_text(encoding="utf-8")
