"""Recognizes containers that the judged text itself started, and may therefore stop without approval."""

from collections.abc import Iterator, Sequence

from hermes_guard.argv import Options, parse, parse_words
from hermes_guard.rules.containers.options import COMPOSE, DOCKER, RUN
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word

#: The maximum number of earlier commands that are checked.
_NEAR = 64
_MADE = frozenset({"run", "create"})
#: Verbs that only stop or remove a container, as operands in order.
_ENDS = frozenset({"stop", "kill", "rm", "restart", "pause"})
#: Options that affect more than the named containers.
_MORE = ("a", "all", "filter", "v", "volumes", "rmi", "images")


def own_containers(command: Command, context: Context, after: Options) -> bool:
    """Return True when a command stops only containers that earlier commands in the same text created and named."""
    words = after.operands
    if words and words[0].raw == "container":
        words = words[1:]
    if len(words) < 2 or words[0].raw not in _ENDS or after.has(*_MORE):
        return False
    names = set(_named(command, context))
    return all(_is_own(word, names, command) for word in words[1:])


def own_project(command: Command, context: Context, options: Options, after: Options) -> bool:
    """Return True when a command stops what `compose up` of the same project started in the same text."""
    if options.operands[0].raw not in {"stop", "down", "restart"} or after.has(*_MORE):
        return False
    project = [(name, str(value)) for name, value in options.given]
    for other in _before(command, context):
        given = parse_words(_behind_compose(other), COMPOSE)
        if given.subcommand() == "up" and [(name, str(value)) for name, value in given.given] == project:
            return True
    return False


def _before(command: Command, context: Context) -> Iterator[Command]:
    """Yield earlier commands of the same program on this machine."""
    if command.elsewhere:
        return
    for other in context.commands[:_NEAR]:
        if other is command:
            return
        if other.program == command.program and other.called and not other.elsewhere:
            yield other


def _named(command: Command, context: Context) -> Iterator[str]:
    there = _server(parse(command, DOCKER))
    for other in _before(command, context):
        options = parse(other, DOCKER)
        words = options.operands
        if words and words[0].raw == "container":
            words = words[1:]
        if not words or words[0].raw not in _MADE or _server(options) != there:
            continue
        name = parse_words(words[1:], RUN).value("name")
        if name is not None:
            yield _sign(name)


def _server(options: Options) -> list[str]:
    return [str(word) for word in options.values("H", "host", "c", "context", "url", "connection")]


def _sign(word: Word) -> str:
    """Return a name, or the variable that holds it."""
    return word.raw if word.certain else word.source.strip('"')


def _is_own(word: Word, names: set[str], command: Command) -> bool:
    if _sign(word) in names and not word.splits:
        return True
    # `$(docker run -d image)` expands to the id of the new container.
    makers = word.commands
    return bool(makers) and makers[-1].program == command.program and _makes(makers[-1].args)


def _makes(words: Sequence[Word]) -> bool:
    return any(word.raw in _MADE for word in words[:2])


def _behind_compose(command: Command) -> Sequence[Word]:
    if command.program not in {"docker-compose", "podman-compose"}:
        operands = parse(command, DOCKER).operands
        return operands[1:] if operands and operands[0].raw == "compose" else ()
    return command.args
