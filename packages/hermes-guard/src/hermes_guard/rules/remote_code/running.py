"""Files that one command of a text fetches or makes executable, and a later one runs."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.remote_code.fetching import fed
from hermes_guard.rules.remote_code.programs import INTERPRETERS, PACKAGE_MANAGERS
from hermes_guard.rules.remote_code.rules import FAMILY, MADE_EXECUTABLE, SAVED
from hermes_guard.rules.remote_code.saving import base, place, plain, saves
from hermes_guard.rules.words import names
from hermes_guard.shell.code import SHELLS
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

_EXTRACTORS = names("tar unzip 7z bsdtar gtar gunzip unar 7za cpio xz bunzip2 zstd")
#: What a project builds for itself, and its tools from an index.
_LIBRARIES = re.compile(r"(?:^|/)(?:\.?v?env\w*/|\.venv/|node_modules/\.bin/|bin/activate|vendor/bin/)")
_ON_PATH = re.compile(r"(?:^|/)s?bin/[^/]+\Z")
#: How many folders of clones and of archives are remembered; each is compared with each script that runs.
_MOST_FOLDERS = 8
#: The longest script whose text is read when it runs, and how many of them.
_LONGEST, _MOST_SCRIPTS = 8192, 16


@FAMILY.judges("*")
def saved(command: Command, context: Context) -> Iterator[Finding]:
    """Files that one command of a text fetches or makes executable, and a later one runs."""
    commands = context.commands
    if len(commands) < 2 or command is not next((one for one in commands if one.called), None):
        # The whole text is read once, with its first command.
        return
    trail = _Trail()
    for other in commands:
        if other.called and other.argv:
            yield from trail.judge(other)
            trail.follow(other)


@dataclass(slots=True)
class _Trail:
    """What the commands of a text have brought here so far."""

    fetched: set[str] = field(default_factory=set)
    #: Fetched programs that are found by their name.
    named: set[str] = field(default_factory=set)
    cloned: list[str] = field(default_factory=list)
    unpacked: list[str] = field(default_factory=list)
    executable: set[str] = field(default_factory=set)
    #: Files that the text itself writes, with their text.
    written: dict[str, str] = field(default_factory=dict)

    def judge(self, command: Command) -> Iterator[Finding]:
        """What is to say about a command that runs something of it."""
        path = _script(command)
        if not path and command.program in self.named and "/" not in command.argv[0].raw:
            yield SAVED.found(command, path=command.program or "")
        elif path and path in self.fetched:
            yield SAVED.found(command, path=path)
        elif path and command.program not in PACKAGE_MANAGERS and not _LIBRARIES.search(path):
            if path.startswith(tuple(self.cloned)) or (self.unpacked and _from_archive(command, path, self.unpacked)):
                yield SAVED.found(command, path=path)
            elif path in self.executable and not _judged(self.written.get(path, HOLE)):
                yield MADE_EXECUTABLE.found(command, path=path)

    def follow(self, command: Command) -> None:
        """Remember what a command brings, moves, unpacks or makes executable."""
        brought = saves(command)
        self._add(brought.files)
        if brought.folder and len(self.cloned) < _MOST_FOLDERS:
            self.cloned.append(brought.folder.rstrip("/") + "/")
        if len(self.written) < _MOST_SCRIPTS:
            self.written.update(_writes(command, self.written))
        if command.program == "chmod":
            self.executable.update(_made_executable(command))
        elif command.program in {"mv", "cp", "install", "ln"}:
            self._add(_moved(command, self.fetched))
        elif (
            command.program in _EXTRACTORS
            and len(self.unpacked) < _MOST_FOLDERS
            and _unpacks_fetched(command, self.fetched)
        ):
            self.unpacked.append(_unpacks_to(command))

    def _add(self, files: tuple[str, ...]) -> None:
        self.fetched.update(files)
        self.named.update(base(name) for name in files if _ON_PATH.search(name))


# What runs


def _script(command: Command) -> str:
    """The file that a command runs or installs."""
    program = command.program or ""
    name = command.argv[0].raw
    if program in SHELLS or program in INTERPRETERS:
        return _interpreted(command)
    if program in {"source", "."} and command.args:
        return place(command, command.args[0].raw)
    if program == "java":
        pairs = zip(command.args, command.args[1:], strict=False)
        return next((place(command, after.raw) for word, after in pairs if word.raw == "-jar"), "")
    if program in PACKAGE_MANAGERS:
        files = plain(command)
        return place(command, files[-1]) if files else ""
    if program in {"make", "gmake"}:
        return _makefile(command)
    return place(command, name) if "/" in name and HOLE not in name else ""


def _interpreted(command: Command) -> str:
    words = [word.raw for word in command.args if not word.raw.startswith(("-", "+"))]
    if not words or {word.raw for word in command.args[:3]} & {"-c", "-e", "-m", "-p"}:
        return ""
    return place(command, words[0])


_MAKE = Spec(
    "C= directory= f= file= makefile= j? jobs? l? I= include-dir= o= W= n just-print dry-run recon help version"
)


def _makefile(command: Command) -> str:
    options = parse(command, _MAKE)
    if options.helps or options.has("n", "just-print", "dry-run", "recon"):
        return ""
    folder, file = options.value("C", "directory"), options.value("f", "file", "makefile")
    return place(command, posixpath.join(folder.raw if folder else "", file.raw if file else "Makefile"))


# What is written by the text itself

_SHEBANG = re.compile(r"#!\s*(?:/\S*/)?(?:env\s+(?:-S\s+)?)?([\w.]+)")
_READ = frozenset({"python", "node", "perl", "ruby", "php"})


def _writes(command: Command, written: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The files that a command writes, with their text; unknown text is a hole."""
    targets = [
        (found.target.raw, found.operator == ">>")
        for found in command.redirects
        if found.writes and found.fd in {None, 1}
    ]
    if command.program == "tee":
        targets += [(name, False) for name in plain(command)]
    elif written and command.program in {"cp", "mv", "install", "ln", "sed", "patch"} and command.args:
        yield place(command, command.args[-1].raw), HOLE
    for target, append in targets:
        name = place(command, target)
        text = command.output if command.output is not None else HOLE
        yield name, (written.get(name, HOLE) if append else "") + text


def _judged(text: str) -> bool:
    """True for a script whose text is known: that is judged by itself, when a shell or interpreter reads it."""
    shebang = _SHEBANG.match(text)
    program = re.sub(r"[\d.]+\Z", "", shebang[1]) if shebang else "sh"
    return HOLE not in text and len(text) <= _LONGEST and (program in SHELLS or program in _READ)


_EXECUTABLE = re.compile(r"[ugoa]*[+=][rwstX]*x[rwxst]*\Z")


def _made_executable(command: Command) -> list[str]:
    operands = [word.raw for word in command.args if not re.match(r"-(?:[Rvcf]+|-\w+)", word.raw)]
    if len(operands) < 2:
        return []
    mode = operands[0]
    bits = mode.isdigit() and any(int(digit) & 1 for digit in mode[-3:])
    if not bits and not any(_EXECUTABLE.match(part) for part in mode.split(",")):
        return []
    return [place(command, target) for target in operands[1:]]


# What becomes of fetched files


def _moved(command: Command, fetched: set[str]) -> tuple[str, ...]:
    operands = plain(command) if fetched else []
    if len(operands) < 2 or not any(place(command, source) in fetched for source in operands[:-1]):
        return ()
    target = operands[-1]
    return (place(command, target), place(command, posixpath.join(target, base(operands[0]))))


def _unpacks_fetched(command: Command, fetched: set[str]) -> bool:
    return any(place(command, word.raw) in fetched for word in command.args) or fed(command) is not None


def _unpacks_to(command: Command) -> str:
    """The folder that an archive goes to."""
    program = command.program or ""
    options = parse(command, Spec("C= directory= f= file= d= o?", bundle="tar" in program))
    own = {"unzip": ("d",), "7z": ("o",), "7za": ("o",)}.get(program, ())
    folder = options.value("C", "directory", *own)
    return place(command, folder.raw if folder is not None else ".")


def _inside(path: str, folder: str) -> bool:
    if folder == ".":
        return not path.startswith(("/", "../"))
    return HOLE in folder or path.startswith(folder.rstrip("/") + "/")


def _from_archive(command: Command, path: str, folders: list[str]) -> bool:
    program = command.program or ""
    if program in {"make", "gmake"} or not any(_inside(path, folder) for folder in folders):
        return False
    if program in INTERPRETERS and program not in SHELLS:
        return path.rsplit("/", 1)[-1] in {"setup.py", "install.py", "bootstrap.py"}
    return not path.startswith(("/usr/", "/bin/", "/sbin/")) or "/local/" in path
