"""Detects fork bombs."""

from collections.abc import Iterator, Sequence

from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.hardline.rules import FAMILY, FORK
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding


@FAMILY.judges("*")
def fork_bomb(command: Command, context: Context) -> Iterator[Finding]:
    """Refuse a function or script that starts itself twice or in the background, and a loop that forks endlessly."""
    if not (command.background or command.piped):
        return
    if command.forked:
        yield from _endless(command, context)
    if command.recursive:
        calls = [other.span for other in context.commands if other.recursive and other.function == command.function]
        # When a loop is read iteration by iteration, one call is found several times.
        once = not (command.condition or command.loop)
        if len(set(calls) if command.loop else calls) > 1 or once or command.endless >= 0:
            yield FORK.found(command, contained=_limited(command))
    elif _starts_itself(command):
        if command.background or sum(map(_starts_itself, context.commands)) > 1:
            yield FORK.found(command, contained=_limited(command))
    elif _runs_inside_itself(command) and not command.condition and command in context.commands[:_NEAR]:
        depths = [one.depth for one in context.commands[:_NEAR] if _runs_inside_itself(one)]
        if len(depths) > len(set(depths)):
            yield FORK.found(command, contained=_limited(command))


def _limited(command: Command) -> bool:
    """Return True in a container with a process limit; without one, all processes belong to the machine."""
    return any("pids-limit" in text for wrapper in command.wrappers for text in wrapper.argv[:32])


def _starts_itself(command: Command) -> bool:
    return command.program is None and command.argv[0].source.strip('"./{}') in {"$0", "${0"}


def _runs_inside_itself(command: Command) -> bool:
    """Return True for a script whose own text starts it with the same words."""
    return bool(command.wrappers) and any(wrapper.argv == command.texts for wrapper in command.wrappers[-2:])


#: The maximum number of commands of a loop or a script that are checked.
_NEAR = 64
#: Programs that do not delay a loop.
_QUICK = names(
    """
    : true false [ test [[ echo printf disown jobs set unset export local declare let shift cd pushd popd pwd date
    ls cat clear nohup setsid sudo nice env
    """
)


def _endless(command: Command, context: Context) -> Iterator[Finding]:
    """Yield the programs started in the background by an endless loop that never waits."""
    if command is not next(one for one in context.commands if one.forked and one.endless == command.endless):
        return  # the loop is judged once, with the first command that it starts
    inside = [one for one in context.commands if one.endless == command.endless]
    quick = _QUICK | {one.function for one in inside}
    if all(one.forked or one.program in quick or not one.argv for one in inside):
        yield FORK.found(command, contained=_limited(command))


@FAMILY.judges("read", "[", "test", "true", ":")
def input_loop(command: Command, context: Context) -> Iterator[Finding]:
    """Judge a loop that ends only with its input, or whose test is known only after expansion."""
    # A `read` of known input is outside of its loop.
    if not ((command.loop and command.condition) or command.program == "read") or command.background:
        return
    if command.endless >= 0 or not _never_ends(command):
        return
    number = context.commands.index(command)
    before = context.commands[number - 1] if number else None
    if before is not None and before.loop and before.function == command.function:
        return  # a command of the loop's body, not of its condition
    started = _started(command, context.commands[number + 1 : number + 1 + _NEAR])
    if started is not None:
        yield FORK.found(started, contained=_limited(command))


def _never_ends(command: Command) -> bool:
    """Return True when the condition of a loop always holds."""
    if command.program == "read":
        writers = {writer.program for writer in command.stdin.commands} if command.stdin is not None else set()
        return writers == {"yes"}
    if command.program in {"true", ":"}:
        return command.argv[0].source[:1] == "$"
    words = [word for word in command.args if word.raw != "]"]
    return len(words) == 1 and bool(words[0].literal)


def _started(condition: Command, commands: Sequence[Command]) -> Command | None:
    """Return the first program that the commands of a loop start in the background, unless one of them may wait."""
    found: Command | None = None
    for command in commands:
        if not command.loop or command.span == condition.span:
            break  # the loop ends, or is being read again
        if command.background:
            found = found or command
        elif command.program not in _QUICK and command.argv:
            return None
    return found
