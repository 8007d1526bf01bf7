"""Programs that run another command: which of their words are that command."""

import re

from hermes_guard.argv.options import Options, parse_words
from hermes_guard.shell.batches import fd, find, parallel, xargs
from hermes_guard.shell.command import Command, Wrapper
from hermes_guard.shell.containers import adb, container, kubectl, lxc
from hermes_guard.shell.inner import Inner, join
from hermes_guard.shell.runners import RUNNERS, run_by
from hermes_guard.shell.terminals import screen, tmux, transfer
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.shell.wrapper_table import WRAPPERS, Kind

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_HERE = re.compile(r"(?:^|@)(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|0\.0\.0\.0|0)$")
_CONTAINERS = frozenset({"docker", "podman", "nerdctl", "docker-compose", "podman-compose"})


def inner(command: Command) -> list[Inner]:
    """What this command runs, when it is a wrapper."""
    program = command.program
    if program is None:
        return []
    kind = WRAPPERS.get(program)
    if kind:
        return _by_table(command, kind)
    read = _READERS.get(program)
    if read:
        return read(command)
    if program in RUNNERS:
        wrapper = Wrapper(program, command.texts)
        words, codes = run_by(command)
        found = [Inner(wrapper, code=code) for code in codes]
        return [*found, Inner(wrapper, words=tuple(words))] if words else found
    return []


def _by_table(command: Command, kind: Kind) -> list[Inner]:
    options = parse_words(command.args, kind.spec)
    if options.has(*kind.unless) or options.helps:
        return []
    root = kind.as_root and _is_root(options)
    elsewhere = kind.elsewhere
    if elsewhere and kind.skip and options.operands:
        elsewhere = "" if _HERE.search(options.operands[0].raw) else elsewhere
    wrapper = Wrapper(command.program or "", command.texts, root, elsewhere)
    if command.program == "perf" and options.subcommand() not in {"stat", "record", "trace"}:
        return []
    if command.program == "direnv" and options.subcommand() != "exec":
        return []
    codes = options.values(*kind.code) if kind.code else []
    found = [Inner(wrapper, code=code) for code in codes]
    if kind.only_code:
        return found
    rest = options.operands[kind.skip :]
    assignments: list[Word] = []
    folder = options.value(*kind.folder) if kind.folder else None
    if kind.environment:
        while rest and _ASSIGNMENT.match(rest[0].raw):
            assignments.append(rest.pop(0))
    if command.program == "dotenv" and rest and rest[0].raw == "run":
        rest = rest[1:]
    if rest and rest[0].raw == "--":
        rest = rest[1:]
    if command.program in {"flock", "sg"} and len(rest) > 1 and rest[0].raw in {"-c", "--command"}:
        return [*found, Inner(wrapper, code=rest[1])]
    if codes and command.program == "env":
        # `env -S 'a b' c` runs `a b c`.
        return [Inner(wrapper, code=join([*codes, *rest]), assignments=tuple(assignments), folder=folder)]
    text = command.stdin.text if command.stdin else None
    if not rest and kind.joined and kind.elsewhere and text and HOLE not in text:
        # Without a command, the other machine's shell reads the input.
        found.append(Inner(wrapper, code=Word(text, text, command.span)))
    if rest and not (codes and command.program == "flock"):
        if command.program == "gdb" and not options.has("args"):
            return found
        if command.program == "hyperfine":
            found.extend(Inner(wrapper, code=word) for word in rest)
        elif kind.joined and not (command.program == "watch" and options.has("x", "exec")):
            found.append(Inner(wrapper, code=join(rest)))
        else:
            found.append(Inner(wrapper, words=tuple(rest), assignments=tuple(assignments), folder=folder))
    return found


def _is_root(options: Options) -> bool:
    user = options.value("u", "user", "U")
    return user is None or user.raw in {"root", "0", "#0"}


def _busybox(command: Command) -> list[Inner]:
    words = command.args
    if not words or words[0].raw.startswith("-"):
        return []
    return [Inner(Wrapper(command.program or "", command.texts), words=tuple(words))]


_READERS = {
    "find": find,
    "gfind": find,
    "fd": fd,
    "fdfind": fd,
    "xargs": xargs,
    "gxargs": xargs,
    "parallel": parallel,
    "busybox": _busybox,
    "toybox": _busybox,
    "kubectl": kubectl,
    "oc": kubectl,
    "k3s": kubectl,
    "lxc": lxc,
    "incus": lxc,
    "adb": adb,
    "tmux": tmux,
    "screen": screen,
    **dict.fromkeys(("ftp", "sftp", "lftp", "tnftp"), transfer),
    **dict.fromkeys(_CONTAINERS, container),
}
