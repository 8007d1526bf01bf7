"""Files that one command writes and a later one runs."""

import posixpath
import re
from collections.abc import Iterator

from hermes_guard.argv import Spec, parse, parse_words
from hermes_guard.rules.family import Context
from hermes_guard.rules.interpreters.awk import AWK, AWKS
from hermes_guard.rules.interpreters.kinds import INTERPRETERS, take
from hermes_guard.rules.interpreters.python import PYTHON, PYTHONS
from hermes_guard.rules.interpreters.report import report_code
from hermes_guard.rules.interpreters.rules import FAMILY, UNREADABLE
from hermes_guard.rules.languages.deed import TOO_LONG
from hermes_guard.shell.code import SHELLS
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

_SHEBANG = re.compile(r"#!\s*\S*?(?:env\s+(?:-S\s+)?)?([\w.+-]+)(?:\s|\Z)")
#: No kernel reads more of a first line.
_SHEBANG_LENGTH = 256
#: How much is kept of a file: as much as a command may have.
_MOST = 32_768
_SHELL = Spec("o= O= rcfile= init-file= c i n", posix=True)
_COPIERS = frozenset({"cp", "gcp", "mv", "gmv", "ln", "install"})
_LANGUAGES: dict[str, str] = {
    **dict.fromkeys(PYTHONS, "python"),
    **dict.fromkeys(AWKS, "awk"),
    **{program: kind.language for program, kind in INTERPRETERS.items()},
}


@FAMILY.judges("*")
def written(command: Command, context: Context) -> Iterator[Finding]:
    """A script whose text stands in the same command is judged when a later command runs it."""
    commands = context.commands
    if len(commands) < 2 or command is not next((one for one in commands if one.called), None):
        # The whole text is read once, with its first command.
        return
    files = _Files()
    for other in commands:
        if not other.called:
            continue
        if files.texts and other.argv:
            yield from _run(other, files, context)
            _copy(other, files)
        _write(other, files)


class _Files:
    """What the files hold that were written so far."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        #: Files that hold more than what is kept of them.
        self.cut: set[str] = set()
        self.judged: set[tuple[str, str]] = set()

    def write(self, path: str, text: str, *, append: bool) -> None:
        """Keep the text of a file."""
        if append and path in self.cut:
            return
        whole = self.texts.get(path, "") + text if append else text
        self.texts[path] = whole[:_MOST]
        if len(whole) > _MOST:
            self.cut.add(path)
        else:
            self.cut.discard(path)

    def copy(self, source: str, target: str) -> None:
        """Keep the text of a copy; the target may be a folder."""
        for path in (target, posixpath.join(target, posixpath.basename(source))):
            self.write(path, self.texts[source], append=False)
            if source in self.cut:
                self.cut.add(path)


def _write(command: Command, files: _Files) -> None:
    text = command.output
    for redirect in command.redirects if text else ():
        path = command.path(redirect.target)
        if redirect.writes and redirect.fd in {None, 1} and text and path:
            files.write(path, text, append=redirect.operator in {">>", "&>>"})
    if command.program in {"tee", "sponge"} and command.stdin is not None and command.stdin.text:
        appends = any(word.raw in {"-a", "--append"} for word in command.args)
        for path in dict.fromkeys(command.path(word) for word in command.args if not word.raw.startswith("-")):
            if path:
                files.write(path, command.stdin.text, append=appends)


def _copy(command: Command, files: _Files) -> None:
    if command.program in _COPIERS:
        paths = [command.path(word) for word in command.args if not word.raw.startswith("-")]
        source, target = paths if len(paths) == 2 else (None, None)
        if source is not None and source in files.texts and target:
            files.copy(source, target)


def _run(command: Command, files: _Files, context: Context) -> Iterator[Finding]:
    path, by = _script(command, files.texts)
    text = files.texts.get(path) if path is not None else None
    language = "shell" if by in SHELLS or by in {"source", "."} else _LANGUAGES.get(by)
    if path is None or text is None or language is None or (path, text) in files.judged:
        return
    files.judged.add((path, text))
    if path in files.cut:
        yield UNREADABLE.found(command, path=TOO_LONG.what)
    if language == "shell":
        yield from context.judge_code(text.replace(HOLE, "$unknown"), command)
    else:
        yield from report_code(text, language, command, context)


def _script(command: Command, texts: dict[str, str]) -> tuple[str | None, str]:
    """The path of the script that a command runs, and the interpreter that reads it."""
    name = command.argv[0].raw
    path = command.path(name) if "/" in name else None
    if path is not None and path in texts:
        found = _SHEBANG.match(texts[path][:_SHEBANG_LENGTH])
        return path, found.group(1) if found else "sh"
    word = _operand(command)
    path = command.path(word) if word is not None else None
    if path is None and command.stdin is not None and command.stdin.file is not None:
        path = command.path(command.stdin.file)
    return path, command.program or ""


def _operand(command: Command) -> Word | None:
    """The script among the arguments, behind the options of its interpreter."""
    program = command.program or ""
    if program in SHELLS:
        options = parse_words([word for word in command.args if word.raw[:1] != "+"], _SHELL)
        # It is read and not run.
        checked = options.has("n") or any(word.raw == "noexec" for word in options.values("o"))
        words = [] if checked and not options.has("i") else options.operands
    elif program in PYTHONS:
        options = parse(command, PYTHON)
        words = [] if options.has("c", "m") else options.operands
    elif program in INTERPRETERS:
        taken = take(command.args, INTERPRETERS[program])
        words = [] if taken.codes else taken.operands
    elif program in AWKS:
        words = parse(command, AWK).values("f", "file", "E", "exec")
    else:
        words = [word for word in command.args if word.raw[:1] not in {"-", "+"}]
    return words[0] if words else None
