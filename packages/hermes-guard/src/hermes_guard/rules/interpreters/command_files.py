"""Judges command files that tools execute, such as makefiles and scripts for editors and debuggers."""

from collections.abc import Iterator, Mapping

from hermes_guard import lazy_re as re
from hermes_guard.languages.build_scripts import commands
from hermes_guard.languages.operation import quoted
from hermes_guard.name_sets import names
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE

_F = names("-f --file")
#: Options before the name of such a file, by program.
OBEYING: dict[str, frozenset[str]] = {
    **dict.fromkeys(("make", "gmake", "bmake"), _F | {"--makefile"}),
    **dict.fromkeys(("vim", "nvim", "vi", "gvim"), names("-S -u")),
    **dict.fromkeys(("gdb", "lldb", "rust-gdb", "gdb-multiarch"), names("-x --command -s --source")),
    "cmake": names("-P"),
    **dict.fromkeys(("ninja", "samu"), names("-f")),
    **dict.fromkeys(("ssh", "scp", "sftp"), names("-F")),
    "curl": names("-K --config"),
    **dict.fromkeys(("sed", "gsed"), names("-f --file")),
    "at": names("-f"),
    "just": names("-f --justfile"),
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun"), frozenset[str]()),
}
#: The files that are read by default.
_DEFAULTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("make", "gmake", "bmake"), ("GNUmakefile", "makefile", "Makefile")),
    "just": ("justfile", "Justfile", ".justfile"),
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun"), ("package.json",)),
}
_END = "end_of_the_text"
_ATTACHED = re.compile(r"(--?[A-Za-z][\w-]*)=(.+)", re.DOTALL)


def find_command_files(command: Command, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the paths of known files that a command executes."""
    options = OBEYING[command.program or ""]
    words = command.args
    given = False
    for number, word in enumerate(words, start=1):
        attached = _ATTACHED.match(word.raw)
        name = ""
        if word.raw in options and number < len(words):
            name = words[number].raw
        elif attached and attached.group(1) in options:
            name = attached.group(2)
        elif len(word.raw) > 2 and word.raw[:2] in options:
            name = word.raw[2:]
        if name:
            given = True
            path = command.path(name)
            if path is not None and path in texts:
                yield path
    defaults = _DEFAULTS.get(command.program or "", ())
    if not given:
        folder = next(
            (
                words[at + 1].raw
                for at, word in enumerate(words[:-1])
                if word.raw in {"-C", "--directory", "--prefix", "--cwd"}
            ),
            "",
        )
        paths = [command.path(f"{folder}/{name}" if folder else name) for name in defaults]
        yield from (path for path in paths if path is not None and path in texts)


def on_its_input(command: Command, path: str, text: str) -> str:
    """Return the command with the content of a file as its input, or the scripts that it runs."""
    if path.endswith("/package.json") or path == "package.json":
        return "\n".join(commands(text, command.program or "", [word.raw for word in command.args]))
    words = []
    replaced = False
    for word in command.argv:
        attached = _ATTACHED.match(word.raw)
        if command.path(word) == path:
            words.append("/dev/stdin")
            replaced = True
        elif attached and command.path(attached.group(2)) == path:
            words.append(f"{attached.group(1)}=/dev/stdin")
            replaced = True
        elif word.raw[:1] == "-" and len(word.raw) > 2 and command.path(word.raw[2:]) == path:
            words.append(f"{word.raw[:2]}/dev/stdin")
            replaced = True
        else:
            words.append(quoted(word.raw))
    if not replaced:
        words[1:1] = ["-f", "/dev/stdin"]
    return f"{' '.join(words)} <<'{_END}'\n{text.replace(HOLE, '?')}\n{_END}\n"
