"""Judges scripts that one command writes and a later one runs."""

import itertools
import posixpath
from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse, parse_words
from hermes_guard.languages.operation import TOO_LONG
from hermes_guard.name_sets import names
from hermes_guard.rules.common.saved_files import SavedFiles
from hermes_guard.rules.family import Context
from hermes_guard.rules.interpreters.awk import AWK, AWKS
from hermes_guard.rules.interpreters.command_files import OBEYING, find_command_files, on_its_input
from hermes_guard.rules.interpreters.findings import report_code, written_by
from hermes_guard.rules.interpreters.options import INTERPRETERS, take
from hermes_guard.rules.interpreters.other_languages import OTHER_LANGUAGES, script_of
from hermes_guard.rules.interpreters.python import PYTHON, PYTHONS
from hermes_guard.rules.interpreters.rules import EVAL, FAMILY, UNREADABLE
from hermes_guard.rules.interpreters.scripts import runs_while_checked
from hermes_guard.shell.command import Command
from hermes_guard.shell.shell_code import SHELLS
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

_SHEBANG = re.compile(r"#!\s*\S*?(?:env\s+(?:-S\s+)?)?([\w.+-]+)(?:\s|\Z)")
#: No kernel reads more of the first line.
_SHEBANG_LENGTH = 256
_SHELL = Spec("o= O= rcfile= init-file= c i n", posix=True)
_COMPILED = "a compiler"
_COMPILERS = names(
    "gcc cc g++ c++ clang clang++ rustc go javac ghc swiftc kotlinc ocamlopt ocamlc nim zig crystal dart tcc"
)
_LANGUAGES: dict[str, str] = {
    **dict.fromkeys(PYTHONS, "python"),
    **dict.fromkeys(AWKS, "awk"),
    **{program: kind.language for program, kind in INTERPRETERS.items()},
    **{program: "shell" if kind.like_a_shell else "generic" for program, kind in OTHER_LANGUAGES.items()},
    "deno": "node",
    "rake": "rake",
    #: A program compiled from a text.
    _COMPILED: "generic",
}


@FAMILY.judges("*")
def saved(command: Command, context: Context) -> Iterator[Finding]:
    """Judge a script with known content when a later command runs it."""
    if not context.begins(command):
        return
    commands = context.commands
    if not any(one.redirects or one.program in _WRITING for one in commands):
        return
    files = _Files()
    for number, other in enumerate(commands):
        if not other.called:
            continue
        if other.argv:
            if files.texts:
                yield from _run(other, files, context)
                _compile(other, files)
            if files.codes:
                yield from _run_made(other, files, context)
            files.heed(other)
        files.follow(other, commands, number)


class _Files(SavedFiles):
    """The content of the files written so far, and the programs compiled from them."""

    def __init__(self) -> None:
        super().__init__()
        self.judged: set[tuple[str, str]] = set()
        #: Compiled programs, and their source text.
        self.compiled: dict[str, str] = {}
        #: Code of other languages that may have written files.
        self.codes: list[tuple[str, str]] = []

    def heed(self, command: Command) -> None:
        """Record the code for an interpreter, if it writes something."""
        language = _LANGUAGES.get(command.program or "", "")
        if language not in _WRITERS or len(self.codes) >= _MAX_CODES:
            return
        given = [word.raw for word in command.args]
        given += [command.stdin.text] if command.stdin is not None and command.stdin.text else []
        self.codes += [(language, text) for text in given if _WRITES.search(text)]


#: Languages whose readers report what code writes, text that such code contains, and how much of it is stored.
_WRITERS = names("python node ruby perl php")
_WRITES = re.compile(r"write|open|put|copy|rename|link")
#: Programs that write their own arguments.
_WRITING = names("tee sponge") | {program for program, language in _LANGUAGES.items() if language in _WRITERS}
_MAX_CODES = 8


def _run_made(command: Command, files: _Files, context: Context) -> Iterator[Finding]:
    """Ask about a script that code of another language has written, whose content is unknown."""
    program = command.program or ""
    name = command.argv[0].raw
    word: Word | str | None = name if "/" in name else None
    if program in SHELLS or program in {"source", "."}:
        word = _operand(command, files.texts)
    path = command.path(word) if word is not None else None
    if path is None or path in files.texts:
        return
    for language, code in files.codes:
        if posixpath.basename(path) in code and path in written_by(code, language, command, context):
            yield EVAL.found(command, path="a script that code before it has written")
            return


def _compile(command: Command, files: _Files) -> None:
    """Record a compiled program with the text it was compiled from."""
    if command.program not in _COMPILERS:
        return
    words = command.args
    sources = [path for word in words if (path := command.path(word)) in files.texts]
    if not sources or (command.program in {"go", "zig", "crystal", "dart", "nim"} and words[0].raw in {"run", "r"}):
        return
    stem = posixpath.splitext(sources[0])[0]
    named = [command.path(after) for word, after in itertools.pairwise(words) if word.raw in {"-o", "--output"}]
    attached = [command.path(word.raw[2:]) for word in words if word.raw.startswith("-o") and len(word.raw) > 2]
    for target in (*named, *attached, *((stem, command.path("a.out")) if not named else ())):
        if target:
            files.copy(sources[0], target)
            files.compiled[target] = files.texts[target]


def _run(command: Command, files: _Files, context: Context) -> Iterator[Finding]:
    path, by = _script(command, files.texts)
    text = files.texts.get(path) if path is not None else None
    compiled = path is not None and text is not None and files.compiled.get(path) == text
    if compiled and (by == "java" or "/" in command.argv[0].raw):
        by = _COMPILED
    language = "shell" if by in SHELLS or by in {"source", "."} else _LANGUAGES.get(by)
    if path is None or text is None or (language is None and by not in OBEYING) or (path, text) in files.judged:
        return
    files.judged.add((path, text))
    if path in files.cut:
        yield UNREADABLE.found(command, path=TOO_LONG.what)
    if language is None:
        yield from context.judge_code(on_its_input(command, path, text), command)
    elif language == "shell":
        yield from context.judge_code(text.replace(HOLE, "$unknown"), command)
    else:
        yield from report_code(text, language, command, context)


def _script(command: Command, texts: dict[str, str]) -> tuple[str | None, str]:
    """Return the path of the script that a command runs, and its interpreter."""
    name = command.argv[0].raw
    path = command.path(name) if "/" in name else None
    if path is not None and path in texts:
        found = _SHEBANG.match(texts[path][:_SHEBANG_LENGTH])
        return path, found.group(1) if found else "sh"
    word = _operand(command, texts)
    path = command.path(word) if word is not None else None
    if path is None and command.stdin is not None and command.stdin.file is not None:
        path = command.path(command.stdin.file)
    if path is None and command.program in OBEYING:
        path = next(iter(find_command_files(command, texts)), None)
    return path, command.program or ""


def _operand(command: Command, texts: dict[str, str]) -> Word | None:
    """Return the script among the arguments, after the interpreter's options."""
    program = command.program or ""
    if program in SHELLS:
        options = parse_words([word for word in command.args if word.raw[:1] != "+"], _SHELL)
        # The script is read but not run.
        checked = options.has("n") or any(word.raw == "noexec" for word in options.values("o"))
        words = [] if checked and not options.has("i") else options.operands
    elif program in PYTHONS:
        options = parse(command, PYTHON)
        words = [] if options.has("c", "m") else options.operands
    elif program in INTERPRETERS:
        kind = INTERPRETERS[program]
        taken = take(command.args, kind)
        words = [] if taken.codes else taken.operands
        if words and words[0].raw == "run":
            words = words[1:]
        path = command.path(words[0]) if words else None
        if taken.flags & kind.checks and not runs_while_checked(texts.get(path or "", ""), kind.language):
            # Only the syntax is checked.
            words = []
    elif program in AWKS:
        words = parse(command, AWK).values("f", "file", "E", "exec")
    elif program in OTHER_LANGUAGES:
        script = script_of(command.args, OTHER_LANGUAGES[program])
        words = [] if script is None else [script]
    elif program == "deno":
        words = [word for word in command.args if not word.raw.startswith("-") and word.raw != "run"]
        words = words if command.args[0].raw == "run" else []
    elif program == "rake":
        given = [after for word, after in itertools.pairwise(command.args) if word.raw in {"-f", "--rakefile"}]
        words = given or [Word("Rakefile", "Rakefile", command.span)]
    elif program in OBEYING:
        words = []
    else:
        words = [word for word in command.args if word.raw[:1] not in {"-", "+"}]
    return words[0] if words else None
