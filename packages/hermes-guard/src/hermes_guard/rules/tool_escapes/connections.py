"""Judges connections to other machines: the commands that they run at either end."""

import itertools
from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.tool_escapes.nested_commands import judge_text, runs
from hermes_guard.rules.tool_escapes.rules import ESCAPE, FAMILY, THERE
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_OPTION = re.compile(r"\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)\s*[= ]\s*(.*)", re.IGNORECASE)
_TOKEN = re.compile(r"%[hprunC]")
_SSH = re.compile(r"(?:\S*/)?(?:ssh|rsh)\b")
#: `ssh h -o x=y` is also an option: options may follow the host.
_SSH_SPEC = Spec("F= o= i= p= l= L= R= D= J= W= b= c= e= m= O= Q= S= w= B= E= I= P= X= M=")
_RSYNC = Spec("e= rsh= rsync-path= f= filter= T= temp-dir= B= block-size= M= remote-option=")
_RSYNC_THERE = re.compile(r"(?:sudo (?:-\S+ )*)?\S*rsync(?: --?\S+)*")


@FAMILY.judges("ssh", "scp", "sftp", "autossh", "mosh")
def connections(command: Command, context: Context) -> Iterator[Finding]:
    """Judge local commands in the options of ssh."""
    words = [word.raw for word in command.args]
    for word in parse(command, _SSH_SPEC).values("o"):
        found = _OPTION.match(word.raw)
        if found and found.group(1).lower() != "none":
            yield from runs(_TOKEN.sub("x", found.group(1)), command, context)
    for text, following in itertools.zip_longest(words, words[1:], fillvalue=""):
        if text == "-S" and command.program in {"scp", "sftp"} and following and not _SSH.match(following):
            yield from runs(following, command, context)


@FAMILY.judges("rsync")
def rsync(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the shell that rsync connects with, and the command that it runs on the other machine."""
    options = parse(command, _RSYNC)
    for word in options.values("e", "rsh"):
        shell = word.raw
        if not _SSH.match(shell):
            yield from runs(shell, command, context)
        elif "command" in shell.lower():
            yield from judge_text(f"{shell} h", command, context)
    for word in options.values("rsync-path"):
        if not _RSYNC_THERE.fullmatch(word.raw):
            yield from runs(word.raw, command, context)


_OWN_LIBRARY = ("/usr/", "/lib", "/opt/", "internal")


@FAMILY.judges("ssh-keygen", "ssh-add", "sftp", "wget")
def loaded(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about libraries and helpers that a program loads."""
    option = {"ssh-add": "-s", "wget": "-e"}.get(command.program or "", "-D")
    for word, after in itertools.pairwise(command.args):
        wanted = not after.raw.startswith(("-", *_OWN_LIBRARY))
        if command.program == "wget":
            wanted = re.match(r"use_?askpass\s*=", after.raw, re.IGNORECASE) is not None
        if word.raw == option and wanted:
            yield ESCAPE.found(command, path=after.text)


_THERE = re.compile(
    r"\s*-?@?(?:deltree\s|(?:glob\s+)?rm\s+(?:-\w*[rR]|[^\n]*[*?])|mrm\s|mdel(?:ete)?\s|"
    r"mirror\s[^\n]*(?:--delete\b|\s-\w*e\w*(?:\s|\Z)))"
)


@FAMILY.judges("lftp", "sftp", "ftp", "ncftp", "smbclient", "ftps", "tnftp", "yafc")
def transfers(command: Command, context: Context) -> Iterator[Finding]:
    """Judge file transfer scripts: local commands, and deletes on the other machine."""
    codes = [after.raw for word, after in itertools.pairwise(command.args) if word.raw in {"-e", "-c", "--command"}]
    if command.program == "sftp":
        codes = []
    if command.stdin is not None and command.stdin.text:
        codes.append(command.stdin.text)
    for line in dict.fromkeys(line.strip() for code in codes for line in re.split(r"[;\n]", code)):
        if line.startswith("!"):
            yield from runs(line[1:], command, context)
        elif _THERE.match(line):
            yield THERE.found(command, path=line[:80])
