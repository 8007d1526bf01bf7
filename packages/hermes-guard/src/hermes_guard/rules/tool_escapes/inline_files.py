"""Judges command files whose content is part of the command: on the input, or in a substitution."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.languages import build_scripts
from hermes_guard.languages.operation import quoted
from hermes_guard.rules.family import Context
from hermes_guard.rules.interpreters.code_sources import STDIN, Code, from_disk, on_input
from hermes_guard.rules.tool_escapes.nested_commands import judge_text, runs_each
from hermes_guard.rules.tool_escapes.rules import ESCAPE, FAMILY
from hermes_guard.shell.command import Command, Stdin
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding


def file_text(word: Word, command: Command) -> Code:
    """Return the content of a file that a word names, if the command itself contains it."""
    if word.process == "<":
        if word.text_inside is not None:
            return Code(word.text_inside)
        return Code(unknown=not from_disk(Stdin(None, word.commands)))
    return on_input(command.stdin) if word.raw in STDIN else Code()


def named(words: list[Word], command: Command) -> list[Word]:
    """Return the values of options, including a substitution after an empty one: `--file=<(command)`."""
    if all(word.raw for word in words):
        return words
    attached = (word for word in command.args if word.process == "<" and word.source.startswith("-"))
    return [word if word.raw else next(attached, word) for word in words]


def read_files(words: list[Word], command: Command) -> Iterator[str | Finding]:
    """Yield the content of the files that these words name; a finding for unknown content."""
    for word in named(words, command):
        given = file_text(word, command)
        if given.unknown:
            yield ESCAPE.found(command, path=f"commands that are unknown until they run: {word.text[:60]}")
        elif given.code:
            yield given.code


_CMAKE = Spec("P= S= B= D= G= T= A= C= U= E build= install= preset= W? help version", single=False)
_NINJA = Spec("f= C= j= k= l= t= d= w= n v quiet version help")
_DELETING = {"rm": "rm", "remove": "rm", "remove_directory": "rm -rf", "chdir": "", "env": "env", "time": "time"}


@FAMILY.judges("cmake")
def cmake(command: Command, context: Context) -> Iterator[Finding]:
    """Judge a CMake script, and the commands in it."""
    texts = [word.raw for word in command.args]
    if texts[:1] == ["-E"] and len(texts) > 2:
        yield from _own_command(command, context)
        return
    for text in read_files(parse(command, _CMAKE).values("P", "C"), command):
        if isinstance(text, Finding):
            yield text
        else:
            yield from runs_each(build_scripts.cmake(text, context.home), command, context)


def _own_command(command: Command, context: Context) -> Iterator[Finding]:
    """Judge `cmake -E rm` and similar commands like the system's own."""
    program = _DELETING.get(command.args[1].raw)
    if program is None:
        return
    words = command.args[3:] if command.args[1].raw == "chdir" else command.args[2:]
    yield from judge_text(f"{program} {' '.join(quoted(word.raw) for word in words)}".strip(), command, context)


@FAMILY.judges("ninja", "ninja-build", "samu")
def ninja(command: Command, context: Context) -> Iterator[Finding]:
    """Judge Ninja rules."""
    for text in read_files(parse(command, _NINJA).values("f"), command):
        if isinstance(text, Finding):
            yield text
        else:
            yield from runs_each(build_scripts.ninja(text, context.home), command, context)


_SSH = Spec("F= o= i= p= l= L= R= D= J= W= b= c= e= m= O= Q= S= w= B= E= I= P= 4 6 A a C f N n q T t v x", posix=True)
_SSH_LINE = re.compile(
    r"^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand|Match\s+exec)[\s=]+(.*)$", re.MULTILINE | re.IGNORECASE
)


@FAMILY.judges("ssh", "scp", "sftp", "autossh")
def ssh_settings(command: Command, context: Context) -> Iterator[Finding]:
    """Judge ssh settings that run a local command."""
    for text in read_files(parse(command, _SSH).values("F"), command):
        if isinstance(text, Finding):
            yield text
        else:
            yield from runs_each((found.group(1).strip("\"'") for found in _SSH_LINE.finditer(text)), command, context)


_CURL = Spec("K= config= o= H= d= X= u= A= b= c= e= F= T= x= m= w= s S f L k O")
_CURL_LINE = re.compile(r"^\s*-{0,2}([\w-]+)(?:\s*[=:]\s*|\s+)?(?:\"([^\"\n]*)\"|(\S*))\s*$", re.MULTILINE)


@FAMILY.judges("curl")
def curl_settings(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the options in a curl config file as if they were given directly."""
    for text in read_files(parse(command, _CURL).values("K", "config"), command):
        if isinstance(text, Finding):
            continue
        words = ["curl"]
        for name, one, two in _CURL_LINE.findall(text)[:64]:
            words.append(f"--{name}" if len(name) > 1 else f"-{name}")
            words += [quoted(one or two)] if one or two else []
        words += [quoted(word.raw) for word in parse(command, _CURL).operands]
        yield from judge_text(" ".join(words), command, context)
