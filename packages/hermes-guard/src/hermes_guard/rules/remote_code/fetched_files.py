"""Judges running files that an earlier command in the text fetched or made executable."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import pairwise

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.remote_code.command_readers import OBEYING
from hermes_guard.rules.remote_code.download_destinations import SAVING, base, place, plain, saves
from hermes_guard.rules.remote_code.executed_files import runs
from hermes_guard.rules.remote_code.fetch_commands import fed
from hermes_guard.rules.remote_code.interpreters import reads_code
from hermes_guard.rules.remote_code.programs import INPUTS, INTERPRETERS
from hermes_guard.rules.remote_code.rules import FAMILY, MADE_EXECUTABLE, SAVED
from hermes_guard.shell.command import Command
from hermes_guard.shell.shell_code import SHELLS
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

_EXTRACTORS = names(
    "tar unzip 7z bsdtar gtar gunzip gzip unar 7za 7zz cpio xz unxz bunzip2 bzip2 zstd unzstd dtrx ouch atool unrar "
    "aunpack Expand-Archive ditto hdiutil mount"
)
_DECODERS = names("openssl gpg gpg2 base64 age sops uudecode")
_COMPILERS = names("cc gcc g++ c++ clang clang++ tcc rustc go nim ghc zig ldc2 dmd gfortran swiftc kotlinc crystal")
#: Programs that save something named in their arguments.
_BRINGING = SAVING | _EXTRACTORS | names("chmod mv cp install ln sed patch")
_GLOB = re.compile(r"[*?\[]")
#: The maximum length of a pattern that is compared with fetched files, and their maximum number.
_LONGEST_GLOB, _MAX_FILES = 120, 32
#: The maximum number of commands checked before a pipe, and of their words.
_MAX_DISTANCE = 16
#: What a project builds itself, and its tools from an index.
_LIBRARIES = re.compile(r"(?:^|/)(?:\.?v?env\w*/|\.venv/|node_modules/\.bin/|bin/activate|vendor/bin/)")
_ON_PATH = re.compile(r"(?:^|/)s?bin/[^/]+\Z")
#: The maximum number of cloned and unpacked directories; each is compared with every script that runs.
_MAX_FOLDERS = 8
#: The maximum number of findings about one text.
_MAX_FOUND = 32
#: The maximum length of a script whose content is read when it runs, and the maximum number of scripts.
_MAX_LENGTH, _MAX_SCRIPTS = 8192, 16


@FAMILY.judges("*")
def saved(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about running a file that an earlier command in the text fetched or made executable."""
    if not context.begins(command):
        return
    trail = _Trail()
    count = 0
    for other in context.commands:
        if other.called and other.argv:
            for finding in trail.judge(other):
                count += 1
                yield finding
            if count > _MAX_FOUND:
                return
            trail.follow(other)


@dataclass(slots=True)
class _Trail:
    """What the commands of a text have fetched so far."""

    fetched: set[str] = field(default_factory=set)
    #: Fetched programs that are found by their name.
    named: set[str] = field(default_factory=set)
    cloned: list[str] = field(default_factory=list)
    unpacked: list[str] = field(default_factory=list)
    executable: set[str] = field(default_factory=set)
    #: Files that the text itself writes, with their content.
    written: dict[str, str] = field(default_factory=dict)

    def judge(self, command: Command) -> Iterator[Finding]:
        """Report a command that runs something fetched."""
        if not (self.fetched or self.cloned or self.unpacked or self.executable):
            return
        run = runs(command)
        files = [place(command, name) for name in run.files]
        if not files and command.program in self.named and "/" not in command.argv[0].raw:
            yield SAVED.found(command, path=command.program or "")
            return
        if self.fetched and command.stdin is not None and _obeys_input(command) and fed(command) is None:
            files += [place(command, name) for name in _input(command)]
        for path in files:
            if self._brought(path):
                yield SAVED.found(command, path=path)
                return
            if run.package or _LIBRARIES.search(path):
                continue
            if path.startswith(tuple(self.cloned)) or (self.unpacked and _from_archive(command, path, self.unpacked)):
                yield SAVED.found(command, path=path)
                return
            if path in self.executable and not _judged(self.written.get(path, HOLE)):
                yield MADE_EXECUTABLE.found(command, path=path)
                return

    def _brought(self, path: str) -> bool:
        """Return True for a fetched file, including a pattern that matches one."""
        if path in self.fetched:
            return True
        if not _GLOB.search(path) or len(path) > _LONGEST_GLOB or len(self.fetched) > _MAX_FILES:
            return False
        return any(fnmatchcase(name, path) for name in self.fetched)

    def follow(self, command: Command) -> None:
        """Record what a command fetches, moves, unpacks or makes executable."""
        if not (command.redirects or self.fetched or command.program in _BRINGING):
            return
        brought = saves(command)
        self._add(brought.files)
        if brought.folder and len(self.cloned) < _MAX_FOLDERS:
            self.cloned.append(brought.folder.rstrip("/") + "/")
        if len(self.written) < _MAX_SCRIPTS:
            self.written.update(_writes(command, self.written))
        if command.program == "chmod":
            self.executable.update(_made_executable(command))
        elif command.program in {"mv", "cp", "install", "ln"}:
            self._add(_moved(command, self.fetched))
        elif command.program in _COMPILERS:
            self._add(_compiled(command, self.fetched))
        elif (
            command.program in _EXTRACTORS
            and len(self.unpacked) < _MAX_FOLDERS
            and _unpacks_fetched(command, self.fetched)
        ):
            self.unpacked.append(_unpacks_to(command))
        elif self.fetched:
            self._add(_derived(command, self.fetched))

    def _add(self, files: tuple[str, ...]) -> None:
        self.fetched.update(files)
        self.named.update(base(name) for name in files if _ON_PATH.search(name))


# What is written by the text itself

_SHEBANG = re.compile(r"#!\s*(?:/\S*/)?(?:env\s+(?:-S\s+)?)?([\w.]+)")
_READ = frozenset({"python", "node", "perl", "ruby", "php"})


def _writes(command: Command, written: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the files that a command writes, with their content; unknown text is a hole."""
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
    """Return True for a script with known content, which is judged separately when a shell or interpreter reads it."""
    shebang = _SHEBANG.match(text)
    program = re.sub(r"[\d.]+\Z", "", shebang[1]) if shebang else "sh"
    return HOLE not in text and len(text) <= _MAX_LENGTH and (program in SHELLS or program in _READ)


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


# Uses of fetched files


def _read(command: Command) -> Iterator[str]:
    """Yield the files that a command, or those before it in a pipe, may read."""
    for word in command.args:
        yield word.raw
    yield from _input(command)


def _obeys_input(command: Command) -> bool:
    """Return True when a command executes its input."""
    return reads_code(command) or not OBEYING.get(command.program or "", INPUTS)


def _input(command: Command) -> Iterator[str]:
    """Yield the files that a command may read on its input."""
    stdin = command.stdin
    if stdin is not None:
        if stdin.file is not None:
            yield stdin.file.raw
        for before in stdin.commands[:_MAX_DISTANCE]:
            yield from (word.raw for word in before.args[:_MAX_DISTANCE])


def _derived(command: Command, fetched: set[str]) -> tuple[str, ...]:
    """Return the files that a command derives from fetched files, as a decoder does."""
    targets = [found.target.raw for found in command.redirects if found.writes and found.fd in {None, 1}]
    if command.program in _DECODERS:
        targets += [after.raw for word, after in pairwise(command.args) if word.raw in {"-o", "-out", "--output"}]
    if not targets or not any(place(command, name) in fetched for name in _read(command)):
        return ()
    return tuple(place(command, name) for name in targets if name != "/dev/null")


def _compiled(command: Command, fetched: set[str]) -> tuple[str, ...]:
    """Return the program that a compiler builds from fetched code."""
    sources = [name for name in plain(command) if place(command, name) in fetched]
    if not sources:
        return ()
    given = [after.raw for word, after in pairwise(command.args) if word.raw == "-o"]
    names = given or ["a.out", *(posixpath.splitext(name)[0] for name in sources)]
    return tuple(place(command, name) for name in names)


def _moved(command: Command, fetched: set[str]) -> tuple[str, ...]:
    operands = plain(command) if fetched else []
    if len(operands) < 2 or not any(place(command, source) in fetched for source in operands[:-1]):
        return ()
    target = operands[-1]
    return (place(command, target), place(command, posixpath.join(target, base(operands[0]))))


def _unpacks_fetched(command: Command, fetched: set[str]) -> bool:
    return any(place(command, name) in fetched for name in _read(command)) or fed(command) is not None


def _unpacks_to(command: Command) -> str:
    """Return the directory that an archive is unpacked to."""
    program = command.program or ""
    if program == "hdiutil":
        return "/Volumes"
    if program == "mount":
        return place(command, plain(command)[-1])
    options = parse(command, Spec("C= directory= f= file= d= o?", bundle="tar" in program))
    own = {"unzip": ("d",), "7z": ("o",), "7za": ("o",)}.get(program, ())
    folder = options.value("C", "directory", *own)
    return place(command, folder.raw if folder is not None else ".")


def _inside(path: str, folder: str) -> bool:
    if folder == ".":
        return not path.startswith(("/", "../"))
    return HOLE in folder or path == folder or path.startswith(folder.rstrip("/") + "/")


def _from_archive(command: Command, path: str, folders: list[str]) -> bool:
    program = command.program or ""
    if program in {"make", "gmake", "docker", "docker-compose", "podman"} or not any(
        _inside(path, folder) for folder in folders
    ):
        return False
    if program in INTERPRETERS and program not in SHELLS:
        return path.rsplit("/", 1)[-1] in {"setup.py", "install.py", "bootstrap.py"}
    return not path.startswith(("/usr/", "/bin/", "/sbin/")) or "/local/" in path
