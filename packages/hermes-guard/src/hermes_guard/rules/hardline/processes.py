"""Every process signalled at once, or made without end."""

import re
from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.hardline.rules import FAMILY, FORK, KILL
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding


@FAMILY.judges("*")
def fork_bomb(command: Command, context: Context) -> Iterator[Finding]:
    """A function or script that starts itself twice, or in the background."""
    if command.recursive and (command.background or command.piped):
        calls = sum(1 for other in context.commands if other.recursive and other.function == command.function)
        if calls > 1 or not (command.condition or command.loop):
            yield FORK.found(command)
    elif (
        command.program is None
        and (command.background or command.piped)
        and command.argv[0].source.strip('"./{}') in {"$0", "${0"}
    ):
        yield FORK.found(command)


_SIGNAL = re.compile(r"-(?:\d+|(?:SIG)?[A-Z][A-Z0-9+-]*)$", re.IGNORECASE)
_ANYTHING = frozenset({".", ".*", "", "^", ".+", "*", "^.*", "^.*$", ".?"})


@FAMILY.judges("kill")
def kill(command: Command, context: Context) -> Iterator[Finding]:
    """The pid -1 is every process."""
    texts = [word.raw for word in command.args]
    if texts == ["-1"]:
        yield KILL.found(command, path="-1")
        return
    if texts and texts[0] in {"-l", "-L", "--list", "--help"}:
        return
    if texts and texts[0] in {"-s", "-n", "--signal"}:
        texts = texts[2:]
    elif (texts and texts[0].startswith("--signal")) or (texts and _SIGNAL.match(texts[0])):
        texts = texts[1:]
    if "-1" in texts:
        yield KILL.found(command, path="-1")
        return
    everyone = any(_every_process(word.commands) or (word.glob and _EVERY_PID.match(word.raw)) for word in command.args)
    if command.stdin is not None and (command.wrapped_by("xargs", "parallel") or _looped(command)):
        everyone = everyone or _every_process(command.stdin.commands)
    elif not everyone and _looped(command) and len(context.commands) < 8:
        # Nothing but the list of processes is left to loop over.
        everyone = _every_process(tuple(other for other in context.commands if other is not command))
    if everyone:
        yield KILL.found(command, path="every process")


def _looped(command: Command) -> bool:
    return command.loop and any(word.raw == HOLE for word in command.args)


#: Names of processes in the kernel's folder, all of them.
_EVERY_PID = re.compile(r"(?:/proc/)?(?:\[[01]-9\]\*|\*)\Z")
_PASS_ON = frozenset(
    ["awk", "cut", "tail", "tr", "sed", "sort", "cat", "xargs", "kill", "sudo", "echo", "basename", "read"]
)
#: Filters that leave every number.
_NUMBERS = re.compile(r"[\^(\\]*\[(?:0-9|\[:digit:\])\][*+\\){}1,$]*\Z|\^?\\d[*+]?\$?\Z")


def _upstream(commands: tuple[Command, ...]) -> tuple[Command, ...]:
    """The commands of a pipeline up to its start."""
    found = list(commands)
    for command in found:
        if command.stdin is not None and len(found) < 16:
            found.extend(other for other in command.stdin.commands if other not in found)
    return tuple(found)


def _every_process(last: tuple[Command, ...]) -> bool:
    commands = _upstream(last)
    return any(_lists_all(command) for command in commands) and all(
        _lists_all(command) or _passes_all(command) for command in commands
    )


def _lists_all(command: Command) -> bool:
    texts = [word.raw for word in command.args]
    if command.program == "ps":
        return bool(texts and re.search(r"[aAe]", texts[0])) and not {"-C", "-u", "-U", "-p", "--user"} & set(texts)
    if command.program == "ls":
        return any(command.path(word) == "/proc" or "/proc/[0-9]" in word.raw for word in command.args)
    return (
        command.program == "pgrep"
        and bool(texts)
        and texts[-1] in _ANYTHING
        and all(text in {"-f", "-a", "-l"} for text in texts[:-1])
    )


def _passes_all(command: Command) -> bool:
    if command.program in {"grep", "egrep"}:
        return any(_NUMBERS.match(word.raw) for word in command.args)
    if command.program in {"awk", "sed"}:
        return not re.search(r"/[^/]+/|==|~", " ".join(command.texts[1:]))
    return command.program in _PASS_ON


@FAMILY.judges("killall5", "pkill", "killall")
def pkill(command: Command, _: Context) -> Iterator[Finding]:
    """A pattern that fits every process."""
    texts = [word.raw for word in command.args]
    if "--help" in texts or "-l" in texts or "-V" in texts:
        return
    if command.program == "killall5":
        yield KILL.found(command, path="all")
    elif command.program == "pkill" or "-r" in texts or "--regexp" in texts:
        options = parse(command, Spec("u= U= g= G= P= s= t= signal= f x n o v i r regexp", numeric=True))
        if (
            options.operands
            and options.operands[-1].literal in _ANYTHING
            and not options.has("u", "U", "P", "t", "g", "G", "s")
        ):
            yield KILL.found(command, path=options.operands[-1].text)
