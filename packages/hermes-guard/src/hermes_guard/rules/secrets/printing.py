"""Secrets that ordinary programs show: of a cluster, of the environment, of other processes."""

import re
from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.table import FAMILY, PRINT
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_KUBECTL = Spec(
    "n= namespace= o= output= l= selector= A context= kubeconfig= template= f= filename= all-namespaces w watch"
)
_SECRETS = re.compile(r"secrets?(?:/|\Z|,)")
_SECRET_WORD = re.compile(r"secret|passw|token|_key|api.?key|\bkey\b|credential|private.?key", re.IGNORECASE)
_DUMPS = frozenset({"env", "printenv", "set", "export"})


@FAMILY.judges("kubectl", "oc", "k")
def cluster_secrets(command: Command, _: Context) -> Iterator[Finding]:
    """Secrets of a cluster, when they are shown with their content."""
    options = parse(command, _KUBECTL)
    if options.subcommand() not in {"get", "extract"} or not _SECRETS.match(options.subcommand(1)):
        return
    shown = options.value("o", "output", "template")
    if shown is not None and shown.raw not in {"name", "wide"}:
        yield PRINT.found(command, path=" ".join(word.text for word in options.operands)[:80])


@FAMILY.judges("grep", "egrep", "rg", "fgrep", "ag", "awk", "sed")
def sifted(command: Command, _: Context) -> Iterator[Finding]:
    """The environment, searched for secrets."""
    writers = command.stdin.commands if command.stdin is not None else ()
    if not any(writer.program in _DUMPS and len(writer.argv) == 1 for writer in writers):
        return
    texts = [word.raw for word in command.args]
    letters = {letter for text in texts if text[:1] == "-" and text[1:2] != "-" for letter in text[1:]}
    if letters.isdisjoint("qcv") and any(_SECRET_WORD.search(text) for text in texts if text[:1] != "-"):
        yield PRINT.found(command, path="the environment")


@FAMILY.judges("ps")
def processes(command: Command, _: Context) -> Iterator[Finding]:
    """`e` without a dash shows the environment of every process."""
    first = command.args[0].raw if command.args else ""
    if "e" in first and first.isascii() and first.isalpha():
        yield PRINT.found(command, path="the environment of other processes")
