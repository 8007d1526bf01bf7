"""Judges clouds whose verb is among the first words: `gcloud compute instances delete`, `heroku apps:destroy`."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, parse
from hermes_guard.rules.cloud.programs import (
    COMMON,
    DELETES,
    FINE,
    OPENS,
    OPERATIONS,
    PROGRAMS,
    RUNS,
    SHALLOW,
)
from hermes_guard.rules.cloud.rules import DELETE, FAMILY, RIGHTS, STOP
from hermes_guard.rules.cloud.verbs import DELETING, GRANTING, STOPPING, pieces, spoken
from hermes_guard.rules.common.argument_checks import begins
from hermes_guard.rules.family import Context, Rule
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_DRY = ("dry-run", "dryrun", "what-if", "help", "version")
#: Elsewhere `-h` names a host.
_SHORT_HELP = frozenset({"heroku", "cf", "az"})
_NONE: frozenset[str] = frozenset()
_NOTHING_LEFT = re.compile(r"(?:^|=)0$")


@FAMILY.judges(*PROGRAMS)
def platforms(command: Command, _: Context) -> Iterator[Finding]:
    """Judge a command by its verbs."""
    program = command.program or ""
    options = parse(command, COMMON)
    if options.has(*_DRY) or (program in _SHORT_HELP and options.has("h")):
        return
    verbs = spoken(options.operands, operations=program in OPERATIONS)
    if verbs and not _harmless(program, verbs):
        rule = _rule(command, options, verbs)
        if rule is not None:
            yield rule.found(command, path=" ".join(verbs))


def _harmless(program: str, verbs: list[str]) -> bool:
    return (
        verbs[0] == "help"
        or (verbs[0] in {"run", "exec"} and program in RUNS)
        or (program == "bq" and verbs[0] == "query")
        or " ".join(verbs).startswith(FINE.get(program, ("\n",)))
    )


def _rule(command: Command, options: Options, verbs: list[str]) -> Rule | None:
    text = " ".join(verbs)
    said = pieces(verbs)[: 2 if command.program in SHALLOW else 6]
    mirrors = text.startswith("storage rsync") and options.has("delete-unmatched-destination-objects")
    if mirrors or begins(options, DELETES.get(command.program or "", _NONE)) or any(map(DELETING.match, said)):
        return DELETE
    if any(map(GRANTING.match, said)) or _opens(command, options, text):
        return RIGHTS
    if any(map(STOPPING.match, said[:5])) or _empties(options, said):
        return STOP
    return None


def _opens(command: Command, options: Options, text: str) -> bool:
    return (
        text.startswith(OPENS)
        or any(word.raw == "allUsers" for word in command.args)
        or (
            text.startswith("compute firewall-rules")
            and any("0.0.0.0/0" in word.raw for word in options.values("source-ranges"))
        )
    )


def _empties(options: Options, said: list[str]) -> bool:
    """Return True when nothing is left running."""
    return (
        ("scale" in said and any(_NOTHING_LEFT.search(word.raw) for word in options.operands[1:]))
        or any(
            word.raw in {"0", "NEVER"}
            for word in options.values("num-nodes", "size", "node-count", "activation-policy")
        )
        or said[:2] == ["maintenance", "on"]
    )
