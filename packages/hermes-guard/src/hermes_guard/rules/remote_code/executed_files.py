"""Finds the files that a command runs, installs or loads."""

import posixpath
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse, parse_words
from hermes_guard.name_sets import names
from hermes_guard.rules.remote_code.programs import (
    BROWSERS,
    EDITORS,
    INPUTS,
    INTERPRETERS,
)
from hermes_guard.shell.command import Command
from hermes_guard.shell.shell_code import SHELLS
from hermes_guard.shell.word import HOLE


class Run(NamedTuple):
    """Files as written, and whether they are only passed to a package manager."""

    files: tuple[str, ...] = ()
    package: bool = False


def runs(command: Command) -> Run:
    """Return the files that a command runs, installs or loads."""
    program = command.program or ""
    if program in SHELLS:
        return Run(_by_shell(command))
    if program in INTERPRETERS and program not in _RUNNERS:
        return Run(_interpreted(command))
    if program in _RUNNERS:
        return Run(tuple(_RUNNERS[program](command)))
    if program in _MANAGERS:
        return Run(_packages(command), package=True)
    name = command.argv[0].raw
    return Run((name,)) if "/" in name and HOLE not in name else Run()


# Shells and interpreters

_SHELL = Spec("c n s o= O= rcfile= init-file= help version", posix=True)


def _by_shell(command: Command) -> tuple[str, ...]:
    options = parse(command, _SHELL)
    checks = options.has("n") or any(word.raw == "noexec" for word in options.values("o"))
    if checks or options.helps or options.has("c"):
        return ()
    return tuple(word.raw for word in options.operands[:1])


#: Options that contain the code, or only inspect it.
_NO_FILE = frozenset({"-c", "-e", "-m", "-p", "--check", "-l", "--help", "--version"})


def _interpreted(command: Command) -> tuple[str, ...]:
    words = [word.raw for word in command.args if word.raw in INPUTS or not word.raw.startswith(("-", "+"))]
    if not words or {word.raw for word in command.args[:3]} & _NO_FILE:
        return ()
    return (words[0],)


# Programs that run a file by an option, or by its place


def _first(command: Command) -> list[str]:
    return _plain(command)[:1]


def _plain(command: Command) -> list[str]:
    return [word.raw for word in command.args if not word.raw.startswith("-")]


def _behind(*options: str) -> Callable[[Command], list[str]]:
    """Return the words after these options, or attached to them."""
    starts = tuple(f"{option}=" for option in options if option.startswith("--"))

    def find(command: Command) -> list[str]:
        texts = [word.raw for word in command.args]
        found = [after for text, after in pairwise(texts) if text in options]
        return found + [text.partition("=")[2] for text in texts if text.startswith(starts)]

    return find


_MAKE = Spec(
    "C= directory= f= file= makefile= j? jobs? l? I= include-dir= o= W= n just-print dry-run recon help version"
)


def _makefile(command: Command) -> list[str]:
    options = parse(command, _MAKE)
    if options.helps or options.has("n", "just-print", "dry-run", "recon"):
        return []
    folder, file = options.value("C", "directory"), options.value("f", "file", "makefile")
    return [posixpath.join(folder.raw if folder else "", file.raw if file else "Makefile")]


def _java(command: Command) -> list[str]:
    agents = [
        word.raw.partition(":")[2].partition("=")[0] for word in command.args if word.raw.startswith("-javaagent:")
    ]
    return _behind("-jar", "-cp", "-classpath")(command) + agents


#: Files that a desktop runs, mounts or installs when told to open them.
_RUNNABLE = re.compile(
    r"\.(?:pkg|mpkg|dmg|app|command|tool|terminal|workflow|scpt|sh|run|bin|AppImage|desktop|deb|rpm|snap|flatpakref|"
    r"exe|msi|msix|bat|cmd|ps1|vbs|js|jar|apk|ipa|vsix|crx|xpi|mobileconfig)\Z",
    re.IGNORECASE,
)


def _opened(command: Command) -> list[str]:
    return [text for text in _plain(command) if _RUNNABLE.search(text) and "://" not in text]


def _dpkg(command: Command) -> list[str]:
    texts = {word.raw for word in command.args}
    installs = texts & {"--install", "--unpack", "-R"} or any(re.match(r"-[a-zA-Z]*i", text) for text in texts)
    return _plain(command) if installs and not texts & {"--dry-run", "--no-act", "--simulate"} else []


def _rpm(command: Command) -> list[str]:
    texts = [word.raw for word in command.args]
    packed = "".join(text[1:] for text in texts if text[:1] == "-" and text[1:2] != "-")
    installs = {"i", "U", "F"} & set(packed) or {"--install", "--upgrade", "--freshen", "--reinstall"} & set(texts)
    asks = {"q", "V", "K"} & set(packed) or {"--query", "--test", "--checksig", "--verify"} & set(texts)
    return _plain(command) if installs and not asks else []


def _pacman(command: Command) -> list[str]:
    return _plain(command) if any(re.match(r"-[a-zA-Z]*U|--upgrade", word.raw) for word in command.args) else []


_INSTALLER = Spec("pkg= package= target= tgt= pkginfo dominfo volinfo query= showChoicesXML help vers", single=True)


def _installer(command: Command) -> list[str]:
    options = parse(command, _INSTALLER)
    if options.has("pkginfo", "dominfo", "volinfo", "query", "showChoicesXML", "help", "vers"):
        return []
    return [word.raw for word in options.values("pkg", "package")]


def _after(*verbs: str) -> Callable[[Command], list[str]]:
    """Return the words after one of these verbs."""

    def find(command: Command) -> list[str]:
        words = _plain(command)
        at = next((number for number, word in enumerate(words) if word in verbs), None)
        return [] if at is None else words[at + 1 :]

    return find


_COMPOSE = Spec("f= file= p= project-name= profile= env-file= project-directory= ansi= progress= parallel=", posix=True)
_COMPOSE_FILES = ("docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml")


def _compose(command: Command) -> list[str]:
    words = command.args
    if command.program in {"docker", "podman"}:
        if not words or words[0].raw != "compose":
            return []
        words = words[1:]
    options = parse_words(words, _COMPOSE)
    if options.subcommand() not in {"up", "run", "create", "start", "build"}:
        return []
    return [word.raw for word in options.values("f", "file")] or list(_COMPOSE_FILES)


def _powershell(command: Command) -> list[str]:
    return [text.removeprefix(".\\") for text in _plain(command) if text.lower().endswith(".ps1")][:1]


_RUNNERS: dict[str, Callable[[Command], list[str]]] = {
    **dict.fromkeys(("pwsh", "powershell", "pwsh.exe", "powershell.exe"), _powershell),
    **dict.fromkeys(("source", ".", "expect", "wine", "wine64", "mono", "wasmtime", "wasmer", "crontab"), _first),
    **dict.fromkeys(("insmod", "kextload", "kextutil", "kldload", "gdebi", "dotnet", "sideload", "box64"), _plain),
    **dict.fromkeys(("ansible-playbook", "nextflow", "snakemake", "cwltool"), _plain),
    **dict.fromkeys(("make", "gmake"), _makefile),
    **dict.fromkeys(
        ("open", "xdg-open", "start", "explorer", "explorer.exe", "gio", "gnome-open", "kde-open"), _opened
    ),
    **dict.fromkeys(("cmd", "cmd.exe", "rundll32", "regsvr32", "msiexec", "wscript", "cscript"), _opened),
    **dict.fromkeys(EDITORS, _behind("--install-extension")),
    **dict.fromkeys(BROWSERS, _behind("--load-extension", "--install-extension", "-install-global-extension")),
    **dict.fromkeys(("docker-compose", "docker", "podman", "podman-compose"), _compose),
    **dict.fromkeys(
        ("awk", "gawk", "mawk", "sed", "gsed", "at", "psql", "cypher-shell", "tmux"), _behind("-f", "--file")
    ),
    **dict.fromkeys(("vim", "nvim", "vi"), _behind("-S", "-s", "-u")),
    "adb": _after("install", "install-multiple", "sideload"),
    "dpkg": _dpkg,
    "fastboot": _after("flash", "boot", "update"),
    "flashrom": _behind("-w", "--write"),
    "gdb": _behind("-x", "-ix", "--command"),
    "go": lambda command: [text for text in _after("run")(command)[:1] if text.endswith(".go")],
    "ideviceinstaller": _behind("-i", "--install", "install"),
    "installer": _installer,
    "java": _java,
    "pacman": _pacman,
    "rpm": _rpm,
    "xcrun": lambda command: [text for text in _after("install")(command) if text.endswith((".app", ".ipa"))],
}

# Managers of packages, which take names as well as files

_INSTALLS = names("install reinstall localinstall i add in upgrade update inject global-add CMD")
_MANAGERS = names(
    "apt apt-get aptitude dnf yum microdnf zypper apk snap flatpak pip pip3 pipx uv npm pnpm yarn bun gem brew opkg "
    "pkg choco winget luarocks cpanm conda mamba eopkg xbps-install urpmi pkgin R raco nimble"
)
_PACKAGE = re.compile(
    r"\.(?:deb|rpm|apk|snap|flatpak|flatpakref|whl|tgz|tar\.\w+|zip|gem|rb|rock|rockspec|nupkg|eopkg|ipk|xbps|pkg)\Z"
)


def _packages(command: Command) -> tuple[str, ...]:
    words = _plain(command)
    if _INSTALLS.isdisjoint(words[:3]) and command.program not in {"cpanm", "urpmi", "xbps-install"}:
        return ()
    return tuple(text for text in words if "/" in text or _PACKAGE.search(text))
