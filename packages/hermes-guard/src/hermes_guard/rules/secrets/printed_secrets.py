"""Judges programs that print secrets: of a cluster, the environment, other processes, and git."""

import os
from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse, parse_words
from hermes_guard.name_sets import names
from hermes_guard.rules.common.file_tool_options import GIT
from hermes_guard.rules.family import Context
from hermes_guard.rules.process_kills import is_parent
from hermes_guard.rules.secrets.findings import holding_keys, reads, secret
from hermes_guard.rules.secrets.rules import FAMILY, PRINT, UPLOAD
from hermes_guard.rules.secrets.vendor_keys import known_keys
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

_KUBECTL = Spec(
    "n= namespace= o= output= l= selector= A context= kubeconfig= template= f= filename= all-namespaces w watch"
)
_SECRETS = re.compile(r"secrets?(?:/|\Z|,)")
_SECRET_WORD = re.compile(r"secret|passw|token|_key|api.?key|\bkey\b|credential|private.?key", re.IGNORECASE)
_DUMPS = frozenset({"env", "printenv", "set", "export"})


@FAMILY.judges("kubectl", "oc", "k")
def cluster_secrets(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about cluster secrets that are shown with their content."""
    options = parse(command, _KUBECTL)
    if options.subcommand() not in {"get", "extract"} or not _SECRETS.match(options.subcommand(1)):
        return
    shown = options.value("o", "output", "template")
    if shown is not None and shown.raw not in {"name", "wide"}:
        yield PRINT.found(command, path=" ".join(word.text for word in options.operands)[:80])


@FAMILY.judges("grep", "egrep", "rg", "fgrep", "ag", "awk", "sed")
def sifted(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about searching the environment for secrets."""
    writers = command.stdin.commands if command.stdin is not None else ()
    if not any(writer.program in _DUMPS and len(writer.argv) == 1 for writer in writers):
        return
    texts = [word.raw for word in command.args]
    letters = {letter for text in texts if text[:1] == "-" and text[1:2] != "-" for letter in text[1:]}
    if letters.isdisjoint("qcv") and any(_SECRET_WORD.search(text) for text in texts if text[:1] != "-"):
        yield PRINT.found(command, path="the environment")


@FAMILY.judges("ps")
def processes(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about `e` without a dash, which shows the environment of every process."""
    first = command.args[0].raw if command.args else ""
    if "e" in first and first.isascii() and first.isalpha():
        yield PRINT.found(command, path="the environment of other processes")


_NO_SECRET = frozenset({"DATABASE_URL"})


@FAMILY.judges("echo", "printf", "printenv")
def printed_keys(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about printing a service's key; a short part of it, or a pipe, is allowed."""
    if command.program == "printenv":
        keys = [key for word in command.args for key in known_keys(Word(HOLE, f"${word.raw}", word.span))]
    else:
        keys = [key for word in command.args if "add-mask" not in word.raw for key in known_keys(word)]
    keys = [key for key in keys if key not in _NO_SECRET and not key.endswith("_ID")]
    if not keys or command.feeds or any(found.writes and found.fd != 2 for found in command.redirects):
        return
    if not any(command in word.commands for other in context.commands for word in other.argv if word.commands):
        yield PRINT.found(command, path=f"${keys[0]}")


_TRACERS = "strace ltrace gdb lldb gcore reptyr dlv frida frida-trace py-spy pyrasite memray rr"
_GUARDED = names(
    """
    sshd ssh ssh-agent gpg-agent sudo su login passwd pinentry keepassxc 1password bitwarden firefox chrome chromium
    gnome-keyring-daemon systemd init launchd lsass loginwindow securityd
    """
)
_NOT_NUMBER = re.compile(r"\A\D+")
_TARGET = re.compile(r"(?:-p|--pid|--attach)=?")


@FAMILY.judges(*_TRACERS.split())
def tracers(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about tracing the agent and processes that know passwords; counting calls is allowed."""
    agent = next((word.text for word in command.args[:32] if _is_agent(word)), "")
    if agent:
        yield PRINT.found(command, path=f"the memory of {agent}")
        return
    if any(word.raw == "-c" for word in command.args) and command.program == "strace":
        return
    for number, word in enumerate(command.args[:32]):
        found = _TARGET.match(word.raw)
        if found is None:
            continue
        whole = found.end() == len(word.raw)
        target = command.args[number + 1] if whole and number + 1 < len(command.args) else word.tail(found.end())
        named = {part.raw for inner in (*target.commands, *word.commands) for part in inner.args}
        if target.raw == "1" or named & _GUARDED:
            yield PRINT.found(command, path=f"the memory of {target.text}")
            return


def _is_agent(word: Word) -> bool:
    """Return True for the number of the process that started the shell, or of the one that runs the guard."""
    return is_parent(word) or _NOT_NUMBER.sub("", word.raw) in {str(os.getpid()), str(os.getppid())}


_ADD = Spec("f A n v i p u N e force all dry-run verbose patch update intent-to-add pathspec-from-file=")


@FAMILY.judges("git")
def git(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about secrets that are committed, and credentials that git prints."""
    options = parse(command, GIT)
    name = options.subcommand()
    words = options.operands[1:]
    texts = [word.raw for word in words]
    if name == "add":
        added = parse_words(words, _ADD)
        if not added.has("n", "dry-run") and (found := secret(added.operands, command, context)):
            yield UPLOAD.found(command, path=found)
    elif name == "hash-object" or (name in {"diff", "grep"} and "--no-index" in texts):
        files = [word for word in words if not word.raw.startswith("-")]
        files = files[1:] if name == "grep" else files
        yield from reads(files, command, context)
        yield from holding_keys(files, command, context)
    elif (name == "credential" and texts[:1] == ["fill"]) or (name.startswith("credential-") and "get" in texts):
        yield PRINT.found(command, path="git credentials")
