"""Judges changes to containers on another machine or in production."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options
from hermes_guard.name_sets import names
from hermes_guard.rules.common.argument_checks import phrases
from hermes_guard.rules.common.deployment_stages import live_stage, own_stage
from hermes_guard.rules.containers.rules import LIVE
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

#: Verbs that change what runs and are allowed locally. Verbs that stop or delete need approval anyway.
_CHANGES = frozenset(
    phrases(
        "run, create, start, update, rename, cp, load, import, unpause, container (run | create | start | update), "
        "service (create | update | scale | rollback), stack (deploy | up), swarm (init | join | update), "
        "node (update | promote), secret create, config create, network (create | connect), volume create"
    )
)
_COMPOSE = names("up create run start scale pull build watch")
_PLACES = names("DOCKER_HOST DOCKER_CONTEXT CONTAINER_HOST")
_HERE = re.compile(r"ssh://(?:[^@/]*@)?(?:localhost|127\.|\[?::1)")
#: The maximum number of earlier commands that are checked for the selected host.
_NEAR = 64


def live(command: Command, context: Context, options: Options) -> Iterator[Finding]:
    """Ask about a change on a machine that the options, the environment or an earlier command select."""
    words = [word.raw for word in options.operands[:8]]
    if command.program in {"docker-compose", "podman-compose"}:
        changes = words[:1] and words[0] in _COMPOSE
    elif words[:1] == ["compose"]:
        changes = bool(_COMPOSE.intersection(words[1:]))
    else:
        changes = words[:1] and (words[0] in _CHANGES or " ".join(words[:2]) in _CHANGES)
    if not changes:
        return
    given = [str(word) for word in options.values("H", "host", "c", "context", "connection", "url")]
    place = next(filter(_is_live, given or _around(command, context)), "")
    if place:
        yield LIVE.found(command, path=place[:80])


def _is_live(place: str) -> bool:
    if place.startswith("ssh://"):
        return not _HERE.match(place) and (live_stage([place]) or not own_stage([place]))
    return live_stage([place])


def _around(command: Command, context: Context) -> list[str]:
    """Return the host that the environment and earlier commands in the same text select."""
    own = [value for name, value in command.assignments.items() if name in _PLACES]
    if own:
        return own
    found: list[str] = []
    for other in context.commands[:_NEAR]:
        if other is command:
            break
        texts = [word.raw for word in other.args[:8]]
        if other.program == "export":
            found += [text.partition("=")[2] for text in texts if text.partition("=")[0] in _PLACES]
        elif texts[:2] == ["context", "use"]:
            found += texts[2:3]
    return found[-1:]
