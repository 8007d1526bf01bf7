"""Judges copies from and to other machines, repositories and containers."""

import posixpath
from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse, parse_words
from hermes_guard.rules.common.file_tool_options import GIT, RSYNC, SCP
from hermes_guard.rules.common.path_arguments import below, renamed
from hermes_guard.rules.common.path_findings import BY_NAME, MACHINE, path_rules
from hermes_guard.rules.family import Context
from hermes_guard.rules.writes.copies import filled_home, is_folder
from hermes_guard.rules.writes.findings import report_writes
from hermes_guard.rules.writes.rules import FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

#: A path on another machine, as the group. A user name contains no bracket, so that `@` is tried once.
REMOTE = re.compile(r"(?:(?:rsync|scp|sftp)://[^/]*|(?:(?:[^/:\s\[]+@)?\[[^\]]*\]|[^/:\s]+)::?)(?!//)(.*)\Z", re.DOTALL)
#: Path rules that also apply on another machine.
_REMOTE_RULES = MACHINE | path_rules("shell-startup ssh-write hermes-config")
_GIT_SUB = Spec(
    "b= B= c= o= u= j= depth= branch= origin= template= separate-git-dir= reference= filter= output= config= "
    "upload-pack= l s n q f prefix= format= remote= jobs= recurse-submodules? shallow-since= output-directory= d "
    "detach orphan"
)
_CHANGES_TREE = frozenset(
    {"checkout", "restore", "reset", "pull", "merge", "stash", "switch", "read-tree", "checkout-index"}
)
#: Subcommands that write the files in their arguments, or those that a patch or another commit names.
_CHANGES_FILES = _CHANGES_TREE | {"am", "apply", "cherry-pick", "clean", "mv", "rebase", "revert", "rm"}
_AGENT = path_rules("hermes-config")
_PRINTS = frozenset({"diff", "log", "show", "archive", "format-patch", "range-diff"})


@FAMILY.judges("rsync", "scp", "pscp", "sftp")
def transfers(command: Command, context: Context) -> Iterator[Finding]:
    """Judge copies from or to another machine."""
    options = parse(command, RSYNC if command.program == "rsync" else SCP)
    if options.helps or (command.program == "rsync" and options.has("n", "dry-run", "list-only")):
        return
    yield from report_writes([options.value("log-file"), options.value("backup-dir")], command, context)
    if len(options.operands) < 2:
        return
    *sources, target = options.operands
    remote = REMOTE.match(target.raw)
    if remote is not None:
        there = target.tail(remote.start(1))
        if there.raw and there.raw[0] not in "/~":
            there = renamed(f"{context.home}/{there.raw}", target)
        yield from report_writes([there], command, context, only=_REMOTE_RULES)
        return
    if any(word.raw.endswith("/") for word in sources):
        yield from filled_home(target, command, context)
    yield from report_writes([target], command, context)
    if is_folder(target, command, context):
        names = [posixpath.basename(word.raw) for word in sources]
        yield from report_writes([below(target, name) for name in names if name], command, context, ignore=BY_NAME)


@FAMILY.judges("git")
def git(command: Command, context: Context) -> Iterator[Finding]:
    """Judge clones and work trees in a protected location, and files that git writes."""
    options = parse(command, GIT)
    name = options.subcommand()
    if options.helps or not name:
        return
    after = parse_words(options.operands[1:], _GIT_SUB)
    if name in _PRINTS:
        outputs = ("output", "output-directory", *("o" if name in {"archive", "format-patch"} else ""))
        yield from report_writes(after.values(*outputs), command, context)
    else:
        yield from report_writes(_git_folders(name, options, after), command, context, ignore=BY_NAME)
        yield from report_writes(_git_files(name, options, after), command, context, only=_AGENT)


def _git_folders(name: str, options: Options, after: Options) -> list[Word]:
    """Return the directories that a subcommand fills."""
    if name == "clone":
        return [*after.operands[1:2], *after.values("separate-git-dir")]
    if name == "submodule":
        return [*after.operands[2:3], *after.values("separate-git-dir")]
    if name == "worktree":
        return after.operands[1:2] if after.subcommand() == "add" else []
    if name == "init":
        return [*after.operands[:1], *after.values("separate-git-dir")]
    return options.values("work-tree") if name in _CHANGES_TREE else []


def _git_files(name: str, options: Options, after: Options) -> list[Word]:
    """Return the directory that a subcommand works in, and the files that it changes there."""
    if name not in _CHANGES_FILES | {"init"}:
        return []
    folder = options.value("C")
    if folder is None:
        return [renamed(".", options.operands[0]), *after.operands]
    return [folder, *(below(folder, word.raw) for word in after.operands)]


@FAMILY.judges("docker", "podman", "nerdctl", "kubectl", "oc", "lxc")
def container_copies(command: Command, context: Context) -> Iterator[Finding]:
    """Judge files that are copied out of a container."""
    words = [word for word in command.args if not word.raw.startswith("-")]
    if len(words) > 2 and words[0].raw == "cp" and ":" in words[-2].raw and ":" not in words[-1].raw:
        yield from report_writes(words[-1:], command, context)
