"""Subcommands that run another command: `poetry run`, `git bisect run`, `npm exec` and their like."""

from collections.abc import Sequence
from typing import NamedTuple

from hermes_guard.argv.options import Spec, parse_words
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word


class Runner(NamedTuple):
    """Which subcommands run what follows, and which options take a value on the way."""

    verbs: frozenset[str]
    options: Spec
    #: Operands between the subcommand and the command.
    skip: int = 0
    #: Options whose value is shell code.
    code: tuple[str, ...] = ()


def _runner(verbs: str, options: str = "", *, skip: int = 0, code: tuple[str, ...] = ()) -> Runner:
    return Runner(frozenset(verbs.split()), Spec(options, posix=True), skip, code)


RUNNERS: dict[str, Runner] = {
    "poetry": _runner("run", "C= directory= P= project="),
    "pipenv": _runner("run"),
    "pdm": _runner("run", "p= project= s= site-packages"),
    "rye": _runner("run"),
    "hatch": _runner("run", "e= env="),
    "uv": _runner(
        "run",
        "with= with-requirements= with-editable= p= python= extra= group= only-group= package= project= directory= "
        "env-file= index-url= index= m module script s isolated no-sync frozen locked",
    ),
    "conda": _runner("run", "n= name= p= prefix= cwd="),
    "mamba": _runner("run", "n= name= p= prefix= cwd="),
    "micromamba": _runner("run", "n= name= p= prefix= cwd="),
    "bundle": _runner("exec"),
    "npm": _runner("exec x", "c= call= p= package= w= workspace= y yes", code=("c", "call")),
    "npx": _runner("", "c= call= p= package= y yes", code=("c", "call")),
    "pnpm": _runner("exec", "C= dir= filter= c shell-mode"),
    "yarn": _runner("exec", "cwd="),
    "mise": _runner("exec x", "C= cd= c= command=", code=("c", "command")),
    "asdf": _runner("exec"),
    "nix-shell": _runner("", "run= command= p= packages= I= A= attr=", code=("run", "command")),
    "nix": _runner("develop shell", "c command f= file=", skip=0),
    "op": _runner("run", "env-file= account="),
    "doppler": _runner("run", "p= project= c= config= command=", code=("command",)),
    "aws-vault": _runner("exec", "d= duration= n", skip=1),
    "git": _runner("rebase", "C= c= git-dir= work-tree= x= exec= onto= s= X= i interactive", code=("x", "exec")),
}


def run_by(command: Command) -> tuple[list[Word], list[Word]]:
    """The words and the pieces of code that such a command runs."""
    program = command.program or ""
    runner = RUNNERS.get(program)
    if runner is None:
        return [], []
    first = parse_words(command.args, runner.options)
    codes = first.values(*runner.code)
    rest: Sequence[Word] = first.operands
    if not rest:
        return [], codes
    verb = rest[0].raw
    if program == "git":
        after = parse_words(rest[1:], Spec("x= exec= onto= s= X= q quiet recursive"))
        if verb == "rebase":
            return [], after.values("x", "exec")
        if verb == "bisect" and after.subcommand() == "run":
            return after.operands[1:], []
        if verb == "submodule" and after.subcommand() == "foreach":
            return ([], after.operands[1:]) if len(after.operands) == 2 else (after.operands[1:], [])
        return [], []
    if verb not in runner.verbs:
        return [], codes
    inside = parse_words(rest[1:], runner.options)
    codes += inside.values(*runner.code)
    words = inside.operands[runner.skip :]
    if words and words[0].raw == "--":
        words = words[1:]
    if program == "nix" and not inside.has("c", "command"):
        words = []
    if program in {"npm", "uv"} and words and inside.has("m", "module", "script", "s"):
        words = []
    return words, codes
