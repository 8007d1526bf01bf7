"""Judges keys that allow logging in to this machine or an account."""

from collections.abc import Iterator

from hermes_guard.rules.common.argument_checks import (
    ANY,
    Way,
    both,
    gives,
    ordered,
    says,
    starts,
)
from hermes_guard.rules.family import Context
from hermes_guard.rules.persistence.rules import FAMILY, LOGIN_KEY
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_KEYS: dict[str, Way] = {
    **dict.fromkeys(("ssh-import-id", "ssh-import-id-gh", "ssh-import-id-lp"), ANY),
    "gh": starts("ssh-key|gpg-key add", "repo deploy-key add"),
    "glab": starts("ssh-key add", "deploy-key add"),
    "heroku": starts("keys:add"),
    "aws": says(
        "ec2-instance-connect send-ssh-public-key|send-serial-console-ssh-public-key", "iam upload-ssh-public-key"
    ),
    "gcloud": says("compute os-login ssh-keys add"),
    "doctl": says("ssh-key import|create"),
    "hcloud": says("ssh-key create"),
    "tailscale": both(starts("up|set"), gives("--ssh")),
}
_SHOWS = frozenset({"--help", "-h", "--version", "--ssh=false"})


@FAMILY.judges(*_KEYS)
def keys(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about new keys for accounts and for this machine."""
    texts = [word.raw for word in command.args]
    if _SHOWS.isdisjoint(texts) and ordered(command, _KEYS):
        yield LOGIN_KEY.found(command, path=" ".join(command.texts)[:80])
