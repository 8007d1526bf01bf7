"""Judges the verbs of Docker and compatible programs."""

from collections.abc import Iterator, Sequence

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse, parse_words
from hermes_guard.rules.common.argument_checks import Arguments, phrases
from hermes_guard.rules.containers.compose import compose
from hermes_guard.rules.containers.host_access import escapes
from hermes_guard.rules.containers.options import (
    COMPOSE,
    DOCKER,
    REST,
    RUN,
    past_unknown,
    targets,
)
from hermes_guard.rules.containers.remote_containers import live
from hermes_guard.rules.containers.rules import (
    ESCAPE,
    FAMILY,
    MACHINE,
    PUSH,
    REMOVE,
    STOP,
)
from hermes_guard.rules.containers.started_containers import own_containers
from hermes_guard.rules.family import Context, Rule
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_RULES: dict[str, Rule] = {
    **dict.fromkeys(
        phrases(
            "stop, stopp, restart, kill, pause, container (stop | restart | kill | pause), "
            "pod (stop | kill | restart | pause), t kill, tasks kill, task kill, network disconnect, system stop"
        ),
        STOP,
    ),
    **dict.fromkeys(
        phrases(
            "rm, rmi, remove, delete, rmp, container (rm | remove | delete | prune), "
            "containers (rm | remove | delete | del), c (rm | remove | delete | del), "
            "i (rm | remove | delete | del), tasks (rm | delete), t rm, snapshots rm, namespace rm, namespaces rm, "
            "content (prune | rm), image (rm | remove | prune | delete), images (rm | remove | prune | delete), "
            "volume (rm | remove | delete | prune), network (rm | remove | delete | prune), system (prune | reset), "
            "builder prune, buildx (prune | rm), stack (rm | remove | down), service (rm | remove), swarm leave, "
            "node (rm | demote), secret (rm | remove), config (rm | remove), plugin (rm | disable), context rm, "
            "manifest rm, pod (rm | prune), machine (rm | reset), kube down, play down, checkpoint rm, artifact rm, "
            "model rm, farm remove, sandbox rm"
        ),
        REMOVE,
    ),
    **dict.fromkeys(
        phrases("push, image push, images push, manifest push, plugin push, trust revoke, artifact push"), PUSH
    ),
    "machine stop": MACHINE,
}
_STARTS = frozenset({"run", "create", "exec"})


@FAMILY.judges("docker", "podman", "nerdctl", "buildah", "ctr", "crictl", "podman-remote", "finch", "img", "container")
def docker(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about what is stopped, deleted or published, and what a new container may access."""
    options = past_unknown(parse(command, DOCKER), DOCKER)
    rest: Sequence[Word] = options.operands
    if not rest:
        return
    yield from live(command, context, options)
    if rest[0].raw == "compose":
        yield from compose(command, context, rest[1:])
        return
    if rest[0].raw == "container" and len(rest) > 1 and rest[1].raw in _STARTS:
        rest = rest[1:]
    if rest[0].raw in _STARTS:
        yield from escapes(command, context, parse_words(rest[1:], RUN))
        return
    after = parse_words(rest, REST)
    if not after.has("help", "dry-run") and not own_containers(command, context, after):
        yield from _managed(command, after)


@FAMILY.judges("docker-compose", "podman-compose")
def docker_compose(command: Command, context: Context) -> Iterator[Finding]:
    """Judge Compose as a separate program."""
    yield from live(command, context, past_unknown(parse(command, COMPOSE), COMPOSE))
    yield from compose(command, context, command.args)


def _managed(command: Command, after: Options) -> Iterator[Finding]:
    first, second = after.operands[0].raw if after.operands else "", after.subcommand(1)
    rule = _RULES.get(f"{first} {second}") or _RULES.get(first)
    if first == "prune" and command.program == "buildah":
        rule = REMOVE
    if rule is PUSH and all(here(word.raw) for word in after.operands[-1:]):
        return
    if rule is not None:
        yield rule.found(command, path=targets(after) or first)
    elif "update" in {first, second} and after.has("restart") and any(word.splits for word in after.operands):
        yield STOP.found(command, path=targets(after))
    elif first in {"service", "node"} and second in {"scale", "update"}:
        if _drained(after):
            yield STOP.found(command, path=targets(after))
    elif "build" in {first, second}:
        outputs = after.values("output", "o")
        pushed = after.has("push") or any("push=true" in word.raw or "type=registry" in word.raw for word in outputs)
        tags = after.values("t", "tag")
        if pushed and not (tags and all(here(word.raw) for word in tags)):
            yield PUSH.found(command, path=targets(after))
        elif any("insecure" in word.raw for word in after.values("allow")):
            yield ESCAPE.found(command, path="security.insecure")
    elif first == "plugin" and second in {"install", "upgrade"} and after.has("grant-all-permissions"):
        yield ESCAPE.found(command, path="a plugin with all permissions")


def _drained(after: Options) -> bool:
    return (
        any(word.raw.endswith("=0") for word in after.operands)
        or str(after.value("availability") or "") in {"drain", "pause"}
        or str(after.value("replicas") or "") == "0"
    )


@FAMILY.judges("dockerd")
def daemon(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about a daemon on the network, which gives everyone root access."""
    options = parse(command, Spec("H= host= tlsverify D debug g= G= config-file= data-root= help version"))
    if not options.has("tlsverify") and any(
        word.raw.startswith("tcp://") and "127.0.0.1" not in word.raw and "localhost" not in word.raw
        for word in options.values("H", "host")
    ):
        yield ESCAPE.found(command, path="a daemon open to the network")


_HERE = re.compile(
    r"(?:docker://|oci://)?(?:localhost|127\.0\.0\.1|\[::1\]|host\.docker\.internal|kind-registry)(?::\d+)?/"
)


def here(name: str) -> bool:
    """Return True for an image in a local registry, which is not public."""
    return _HERE.match(name) is not None


@FAMILY.judges("skopeo", "crane", "oras", "regctl", "gcrane", "reg")
def registries(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about images that are published, or deleted from a shared registry."""
    given = Arguments(command.args)
    verbs = set(given.words[:2])
    if not {"--help", "--dry-run"}.isdisjoint(given.flags):
        return
    if not given.words or here(given.words[-1]):
        return
    if verbs & {"delete", "push", "rm"} or (verbs & {"copy", "cp", "sync"} and given.words[-1].startswith("docker://")):
        yield PUSH.found(command, path=given.words[-1][:100])
