"""Describes one command that would run, with everything a rule may need to know about it."""

import hashlib
import posixpath
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from hermes_guard.shell.word import HOLE, Word

Elsewhere = Literal["", "machine", "container"]


#: The maximum number of characters of input in `source`.
_LONGEST_SOURCE = 512
#: Programs that act on a link itself, and the maximum number of links that are followed.
_ON_LINKS = frozenset({"rm", "unlink", "mv", "ln", "readlink", "ls", "stat"})
_MAX_LINKS = 8


class Wrapper(NamedTuple):
    """A program that runs the command, such as sudo or ssh."""

    program: str
    argv: tuple[str, ...] = ()
    as_root: bool = False
    #: `machine` or `container` when the command runs elsewhere.
    elsewhere: Elsewhere = ""
    #: Directories of this machine that are mounted in a container: outside, inside.
    mounts: tuple[tuple[str, str], ...] = ()


class Redirect(NamedTuple):
    """A redirection. For `<<` and `<<<` the target is the text itself."""

    operator: str
    fd: int | None
    target: Word

    @property
    def writes(self) -> bool:
        """True when it opens a file for writing."""
        return self.operator in {">", ">>", ">|", "&>", "&>>", "<>"} or (
            self.operator == ">&" and not self.target.raw.rstrip("-").isdigit() and self.target.raw != "-"
        )


@dataclass(slots=True, eq=False)
class Stdin:
    """The standard input of a command."""

    #: The text with holes, or None when it is unknown.
    text: str | None = None
    #: The commands that write into it.
    commands: tuple["Command", ...] = ()
    file: Word | None = None

    span: tuple[int, int] | None = None

    _source: str | None = None

    @property
    def source(self) -> str:
        """A short description of the source: a file, the commands before, or the text itself."""
        if self._source is None:
            self._source = self._described()
        return self._source

    def _described(self) -> str:
        if self.file is not None:
            return f"< {self.file.text}"
        if self.commands:
            return " ; ".join(" ".join(command.texts) for command in self.commands[:8]) + " |"
        if not self.text or len(self.text) <= _LONGEST_SOURCE:
            return f"<<< {self.text}" if self.text else ""
        digest = hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()
        return f"<<< {self.text[:_LONGEST_SOURCE]} sha256:{digest}"


@dataclass(slots=True, eq=False)
class Command:
    """A command after expansion. `program` is None when its name is not certain."""

    program: str | None
    argv: tuple[Word, ...]
    span: tuple[int, int]
    redirects: tuple[Redirect, ...] = ()
    assignments: dict[str, str] = field(default_factory=dict)
    stdin: Stdin | None = None
    #: The commands that read its output through a pipe.
    feeds: list["Command"] = field(default_factory=list)
    wrappers: tuple[Wrapper, ...] = ()
    #: None when unknown; relative to the initial directory when that was not given.
    cwd: str | None = "."
    depth: int = 0
    #: The function whose body contains it; `called` is False when nothing calls that function.
    function: str = ""
    called: bool = True
    #: Calls the function whose body contains it.
    recursive: bool = False
    loop: bool = False
    #: The start of the surrounding loop, if its condition never ends it.
    endless: int = -1
    #: Every iteration of that loop starts it in the background.
    forked: bool = False
    condition: bool = False
    background: bool = False
    piped: bool = False
    #: Standard output, when it is known.
    output: str | None = None
    #: A guess made by leaving out the unknown parts of the name.
    guessed: bool = False
    #: What it can read on other descriptors, as with `3<<< text`.
    inputs: dict[int, Stdin] = field(default_factory=dict)
    #: Not a command, but the redirections of a group or loop.
    group: bool = False
    #: Read from a fragment of text that is not complete shell code: only refusals count.
    piece: bool = False
    #: Links that the text created before, with their targets.
    links: dict[str, str] = field(default_factory=dict)

    @property
    def args(self) -> tuple[Word, ...]:
        """The words after the name."""
        return self.argv[1:]

    @property
    def texts(self) -> tuple[str, ...]:
        """The normalized argument vector as text."""
        return tuple(word.text for word in self.argv)

    @property
    def place(self) -> tuple[str, ...]:
        """The user and machine it runs as and on, as far as wrappers say, and its input. Approvals depend on them."""
        found = [] if self.cwd == "." else [f"in {self.cwd}"]
        found += [
            _before(wrapper.argv, self.texts) for wrapper in self.wrappers if wrapper.as_root or wrapper.elsewhere
        ]
        if self.stdin is not None:
            found.append(self.stdin.source)
        return tuple(text for text in found if text)

    @property
    def as_root(self) -> bool:
        """True when a wrapper runs it as root."""
        return any(wrapper.as_root for wrapper in self.wrappers)

    @property
    def elsewhere(self) -> bool:
        """True when it runs on another machine or in a container."""
        return any(wrapper.elsewhere for wrapper in self.wrappers)

    @property
    def contained(self) -> bool:
        """True when it runs in a container."""
        return any(wrapper.elsewhere == "container" for wrapper in self.wrappers)

    def path(self, word: Word | str) -> str | None:
        """Return the word as a normalized path from the command's directory; None when that is uncertain."""
        text = word if isinstance(word, str) else word.raw
        if HOLE in text:
            return None
        if not text.startswith("/"):
            if self.cwd is None:
                return None
            text = text if self.cwd == "." else f"{self.cwd}/{text}"
        path = _normal(text)
        return self._followed(path) if self.links else path

    def _followed(self, path: str) -> str:
        """Resolve links that the text created. Deleting a link does not affect its target."""
        for _ in range(_MAX_LINKS):
            link = next((link for link in self.links if path.startswith(link + "/")), "")
            if not link and path in self.links and self.program not in _ON_LINKS:
                link = path
            if not link:
                break
            path = _normal(self.links[link] + path[len(link) :])
        return path

    def wrapped_by(self, *programs: str) -> bool:
        """Return True when one of these programs wraps it."""
        return any(wrapper.program in programs for wrapper in self.wrappers)


#: Stands for the commands behind `$PPID`: a copy of that number still names the process that started the shell.
PARENT = Command("$PPID", (Word("$PPID", "$PPID", (0, 0)),), (0, 0))


def _before(outer: tuple[str, ...], inner: tuple[str, ...]) -> str:
    """Return the words of a wrapper, without those of the command that it runs."""
    if inner and outer[-len(inner) :] == inner:
        return " ".join(outer[: -len(inner)])
    return " ".join(outer[:-1])


def _normal(path: str) -> str:
    if path and path[0] != "." and path[-1] != "/" and "//" not in path and "/." not in path:
        return path
    path = posixpath.normpath(path)
    return path[1:] if path.startswith("//") else path
