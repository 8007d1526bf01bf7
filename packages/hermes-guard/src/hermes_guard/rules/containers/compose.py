"""Judges the verbs of Docker Compose."""

from collections.abc import Iterator, Sequence

from hermes_guard.argv import parse_words
from hermes_guard.rules.containers.host_access import escapes
from hermes_guard.rules.containers.options import (
    COMPOSE,
    REST,
    RUN,
    past_unknown,
    targets,
)
from hermes_guard.rules.containers.rules import PUSH, REMOVE, STOP
from hermes_guard.rules.containers.started_containers import own_project
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_STOPS = frozenset({"restart", "stop", "kill", "down", "pause"})


def compose(command: Command, context: Context, words: Sequence[Word]) -> Iterator[Finding]:
    """Ask about stopping or deleting a project's containers. The words follow `compose`."""
    options = past_unknown(parse_words(words, COMPOSE), COMPOSE)
    if not options.operands or options.has("dry-run"):
        return
    verb, rest = options.operands[0].raw, options.operands[1:]
    if verb in {"run", "exec", "create"}:
        yield from escapes(command, context, parse_words(rest, RUN))
        return
    after = parse_words(rest, REST)
    if after.has("help", "dry-run") or own_project(command, context, options, after):
        return
    names = targets(after, 0) or "all of the project"
    if verb in _STOPS or (verb == "scale" and any(word.raw.endswith("=0") for word in after.operands)):
        yield STOP.found(command, path=names)
    renewed = verb == "up" and after.has("V", "renew-anon-volumes")
    if renewed or verb == "rm" or (verb == "down" and after.has("v", "volumes", "rmi")):
        yield REMOVE.found(command, path=names)
    elif verb in {"push", "publish"}:
        yield PUSH.found(command, path=names)
