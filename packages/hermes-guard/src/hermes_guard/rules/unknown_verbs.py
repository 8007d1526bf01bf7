"""Judges subcommands that are unknown until they run: `git $VERB` may show a log, or discard work."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.rules.family import Context, Family
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

FAMILY = Family("unknown verbs")

VERB = FAMILY.rule("unknown.verb", "the subcommand of {program} is unknown until it runs: {word}", effects=("unknown",))
_PROGRAMS = (
    "git", "kubectl", "oc", "helm", "docker", "podman", "systemctl", "launchctl", "terraform", "tofu", "pulumi", "aws",
    "gcloud", "az",
)  # fmt: skip
#: A variable that contains options or all arguments, rather than a verb.
_OPTIONS = re.compile(
    r"(?i:opt|flag|arg|param|extra|global|common|verbose|debug|quiet|color|context|\[[@*]\]|\$\{?[@*])"
)


@FAMILY.judges(*_PROGRAMS)
def judge(command: Command, _: Context) -> Iterator[Finding]:
    """Judge the first word that is not an option."""
    word = next((word for word in command.args if not word.raw.startswith("-")), None)
    if (
        word is None
        or word.raw != HOLE
        or command.args[0] is not word
        or _OPTIONS.search(word.source)
        or "unknown" in word.source
    ):
        return
    yield VERB.found(command, word=word.source[:80])
