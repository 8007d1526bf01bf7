"""Selects the reader for a wrapper by the program's name."""

import dataclasses
import shlex
from collections.abc import Sequence

from hermes_guard import lazy_re as re
from hermes_guard.argv.options import Options, parse_words
from hermes_guard.shell.command import Command, Elsewhere, Wrapper
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.shell.wrappers.batches import fd, find, parallel, xargs
from hermes_guard.shell.wrappers.containers import HOLDERS, adb, container, kubectl, lxc, machinectl, nspawn
from hermes_guard.shell.wrappers.environments import ENVIRONMENTS, enter
from hermes_guard.shell.wrappers.inner_command import InnerCommand, alternatives, join
from hermes_guard.shell.wrappers.launchers import (
    LAUNCHERS,
    PERSONALITIES,
    architecture,
    capable,
    daemon,
    each_operand,
    every_project,
    labelled,
    measured,
    namespace,
    on_change,
    personality,
    powershell,
    sandbox,
    switched_user,
    windows_shell,
)
from hermes_guard.shell.wrappers.package_runners import RUNNERS, git, nix, nvm, python, run_by
from hermes_guard.shell.wrappers.table import ASSIGNMENT, WRAPPERS, Kind
from hermes_guard.shell.wrappers.terminals import screen, tmux, transfer

_SPLIT = re.compile(r"(?:-[A-RT-Za-z0]*S|--split-string=?)(.*)", re.DOTALL)
_PYTHONS = ("python", "python3", "python2", "py", "pypy3", "pypy", *(f"python3.{minor}" for minor in range(6, 16)))
_CONTAINERS = frozenset(
    {"docker", "podman", "podman-remote", "nerdctl", "finch", "container", "docker-compose", "podman-compose"}
)

#: `127.1`, `0x7f000001` and `2130706433` are all 127.0.0.1, and the whole net 127 is local.
_LOOPBACK = re.compile(
    r"(?:localhost[46]?(?:\.localdomain[46]?)?|ip6-(?:localhost|loopback)|(?:[\w-]+\.)?localhost"
    r"|(?:127|0x7f|0177)(?:\.\w{1,10}){1,3}|0x7f[0-9a-f]{6}|0177[0-7]{8}|21307\d{5}|214[0-6]\d{6}|2147[0-3]\d{5}"
    r"|(?:0*:){2,7}0*1|::ffff:127(?:\.\d+){3}|0(?:\.0){0,3}|::)\.?\Z",
    re.IGNORECASE,
)
_OWN_NAME = re.compile(
    r"""["']?(?:\w+@)?(?:\$\{?(?:HOSTNAME|HOST)\}?|(?:\$\(|`)hostname(?: -[fsiI])?(?:\)|`))["']?\Z"""
)
_ADDRESS = re.compile(r"(?:ssh://)?(?:[^@/]*@)?(?:\[([^\]]*)\]|([^/]*?))(?::\d+)?/?\Z")
_HOST_NAME = re.compile(r"host\s*name\s*[= ]\s*(\S+)", re.IGNORECASE)


def inner(command: Command) -> list[InnerCommand]:
    """Return what this command runs, if it is a wrapper."""
    program = command.program
    if program is None:
        return []
    if program in ENVIRONMENTS and (entered := enter(command)):
        return entered
    read = _READERS.get(program)
    if read:
        return read(command)
    kind = WRAPPERS.get(program) or LAUNCHERS.get(program)
    if kind:
        return _by_table(command, kind)
    return run_by(command) if program in RUNNERS else []


def _by_table(command: Command, kind: Kind) -> list[InnerCommand]:
    options = parse_words(command.args, kind.spec)
    if options.has(*kind.unless) or options.helps:
        return []
    root = kind.as_root and _is_root(options)
    wrapper = Wrapper(command.program or "", command.texts, root, _elsewhere(command, kind, options))
    if command.program == "direnv" and options.subcommand() != "exec":
        return []
    codes = options.values(*kind.code) if kind.code else []
    found = [InnerCommand(wrapper, code=code) for code in codes]
    if kind.only_code:
        return found
    rest = options.operands[kind.skip :]
    assignments: list[Word] = []
    folder = options.value(*kind.folder) if kind.folder else None
    if kind.environment:
        while rest and ASSIGNMENT.match(rest[0].raw):
            assignments.append(rest.pop(0))
    if command.program == "dotenv" and rest and rest[0].raw == "run":
        rest = rest[1:]
    if rest and rest[0].raw == "--":
        rest = rest[1:]
    if command.program in {"flock", "sg"} and len(rest) > 1 and rest[0].raw in {"-c", "--command"}:
        return [*found, InnerCommand(wrapper, code=rest[1])]
    text = command.stdin.text if command.stdin else None
    if not rest and kind.joined and kind.elsewhere and text and HOLE not in text:
        # Without a command, the remote shell reads the input.
        found.append(InnerCommand(wrapper, code=Word(text, text, command.span)))
    found.extend(
        InnerCommand(wrapper, code=join(words)) if kind.joined else InnerCommand(wrapper, words=words)
        for words in alternatives(options, rest, kind.spec)
    )
    if rest and not (codes and command.program == "flock"):
        if command.program == "gdb" and not options.has("args"):
            return found
        if command.program == "hyperfine":
            found.extend(InnerCommand(wrapper, code=word) for word in rest)
        elif kind.joined and not (command.program == "watch" and options.has("x", "exec")):
            found.append(InnerCommand(wrapper, code=join(rest)))
        else:
            found.append(InnerCommand(wrapper, words=tuple(rest), assignments=tuple(assignments), folder=folder))
    return found


def _elsewhere(command: Command, kind: Kind, options: Options) -> Elsewhere:
    """Return where the command runs: some hosts and directories are this machine."""
    if not kind.elsewhere or not kind.skip or not options.operands:
        return kind.elsewhere
    place = options.operands[0]
    if command.program == "chroot":
        return kind.elsewhere if place.raw.strip("/.") else ""
    return "" if _is_local(place, options.values("o")) else kind.elsewhere


def _is_local(host: Word, settings: Sequence[Word] = ()) -> bool:
    """Return True when a host name for ssh is this machine; `settings` are the values of `-o`."""
    if _OWN_NAME.match(host.source):
        return True
    names = [found.group(1) for word in settings if (found := _HOST_NAME.match(word.raw))]
    return any(_names_loopback(name) for name in (*names, host.raw))


def _names_loopback(name: str) -> bool:
    bare = name.rsplit("@", 1)[-1]
    if _LOOPBACK.match(bare):
        return True
    found = _ADDRESS.match(name[:256])
    return found is not None and _LOOPBACK.match(found.group(1) or found.group(2) or "") is not None


def _env(command: Command) -> list[InnerCommand]:
    """Expand `env -S 'a b' c` to `env a b c`: the option's value is split, and later words keep their quotes."""
    words = list(command.args)
    number = 0
    while number < len(words) and (words[number].raw.startswith("-") or ASSIGNMENT.match(words[number].raw)):
        if words[number].raw == "-":
            words[number] = Word("-i", words[number].source, words[number].span)
        found = _SPLIT.match(words[number].raw)
        if found:
            held, after = found.group(1), number + 1
            if not held and after < len(words):
                held, after = words[after].raw, after + 1
            words[number:] = [*(Word(piece, piece, words[number].span) for piece in _split(held)), *words[after:]]
            break
        number += 2 if words[number].raw in {"-u", "-C", "-a", "--unset", "--chdir", "--argv0"} else 1
    return _by_table(dataclasses.replace(command, argv=(command.argv[0], *words)), WRAPPERS["env"])


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _is_root(options: Options) -> bool:
    user = options.value("u", "user", "U")
    return user is None or user.raw in {"root", "0", "#0"}


def _busybox(command: Command) -> list[InnerCommand]:
    words = command.args
    if not words or words[0].raw.startswith("-"):
        return []
    return [InnerCommand(Wrapper(command.program or "", command.texts), words=tuple(words))]


_READERS = {
    "env": _env,
    "ip": namespace,
    "pee": each_operand,
    "start-stop-daemon": daemon,
    "arch": architecture,
    "bwrap": sandbox,
    "repo": every_project,
    "perf": measured,
    "capsh": capable,
    "runcon": labelled,
    "entr": on_change,
    **dict.fromkeys(("su", "runuser"), switched_user),
    **dict.fromkeys(PERSONALITIES, personality),
    **dict.fromkeys(("pwsh", "powershell", "pwsh.exe", "powershell.exe", "pwsh-preview"), powershell),
    **dict.fromkeys(("cmd", "cmd.exe"), windows_shell),
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
    **dict.fromkeys(("oc", "k", "kubecolor", "microk8s.kubectl", *HOLDERS), kubectl),
    "machinectl": machinectl,
    "systemd-nspawn": nspawn,
    "lxc": lxc,
    "incus": lxc,
    "adb": adb,
    "tmux": tmux,
    "screen": screen,
    "nix": nix,
    "nvm": nvm,
    **dict.fromkeys(("git", "hub", "yadm"), git),
    **dict.fromkeys(_PYTHONS, python),
    **dict.fromkeys(("ftp", "sftp", "lftp", "tnftp"), transfer),
    **dict.fromkeys(_CONTAINERS, container),
}
#: Every program that is read as a wrapper.
WRAPPING = frozenset({*WRAPPERS, *LAUNCHERS, *_READERS, *RUNNERS, *ENVIRONMENTS})
