"""Judges git: its global options, its environment, and then the verb."""

import shlex
from collections.abc import Iterator, Sequence
from itertools import dropwhile

from hermes_guard.argv import Options, Spec, parse
from hermes_guard.argv.options import parse_words
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.git import history, remotes, working_tree  # noqa: F401 - they register how verbs are judged
from hermes_guard.rules.git.config import VARIABLES, runs_code
from hermes_guard.rules.git.rules import EXECUTE, FAMILY, HOSTED
from hermes_guard.rules.git.verbs import VERBS, Call
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

_GLOBAL = Spec(
    "C= c= p P h v git-dir= work-tree= namespace= super-prefix= exec-path? config-env= paginate no-pager "
    "no-replace-objects bare literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs no-optional-locks "
    "no-lazy-fetch no-advice attr-source= list-cmds= html-path man-path info-path help version",
    posix=True,
)
_DASHED = names(
    "reset push clean branch tag checkout switch restore rm stash gc prune reflog filter-branch filter-repo update-ref "
    "lfs"
)


@FAMILY.judges("git", "hub", "yadm")
def git(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the verb after git's global options."""
    options = _globals(command)
    if options.helps:
        return
    verb, rest = options.subcommand(), options.operands[1:]
    pairs = [word.raw.partition("=")[::2] for word in options.values("c")]
    yield from _settings([*pairs, *_from_environment(command)], command, context, verb, rest)
    path = options.value("exec-path")
    if path is not None:
        yield EXECUTE.found(command, path=path.text)
    if command.program == "hub" and (verb == "delete" or (verb == "release" and rest and rest[0].raw == "delete")):
        yield HOSTED.found(command, path=f"hub {verb}")
    yield from _verb(command, context, verb, rest)


@FAMILY.judges(*(f"git-{name}" for name in sorted(_DASHED)))
def dashed(command: Command, context: Context) -> Iterator[Finding]:
    """Judge a verb as a separate program, such as `git-reset`."""
    verb = (command.program or "").removeprefix("git-")
    yield from _settings(_from_environment(command), command, context, verb, command.args)
    yield from _verb(command, context, verb, command.args)


@FAMILY.judges("etckeeper", "gita", "dolt")
def through(command: Command, context: Context) -> Iterator[Finding]:
    """Judge programs that pass a verb to git, like `etckeeper vcs reset`, or that copy its verbs, like dolt."""
    words = command.args
    if words and words[0].raw in {"vcs", "super"}:
        words = words[1:]
    elif command.program != "dolt":
        return
    if words:
        yield from _verb(command, context, words[0].literal or "", words[1:])


def _globals(command: Command) -> Options:
    options = parse(command, _GLOBAL)
    if options.operands and options.operands[0].splits:
        # Unknown options may precede the verb: `git $OPTIONS push`.
        after = parse_words(list(dropwhile(lambda word: word.splits, options.operands)), _GLOBAL)
        after.given[:0] = options.given
        return after
    return options


def _from_environment(command: Command) -> list[tuple[str, str]]:
    """Return the settings that environment variables make for one command, as keys and values."""
    given = command.assignments
    if not given:
        return []
    pairs = [(key, given[name]) for name, key in VARIABLES.items() if name in given]
    pairs += [
        (value, given.get(name.replace("KEY", "VALUE"), ""))
        for name, value in given.items()
        if name.startswith("GIT_CONFIG_KEY_")
    ]
    return pairs


def _settings(
    pairs: Sequence[tuple[str, str]], command: Command, context: Context, verb: str, rest: Sequence[Word]
) -> Iterator[Finding]:
    for key, value in pairs:
        if runs_code(key, value):
            yield EXECUTE.found(command, path=f"{key}={value}"[:120])
        elif key.lower() == f"alias.{verb}".lower():
            # An unknown part is one word or a part of one.
            words = shlex.join(word.raw.replace(HOLE, "unknown") for word in rest)
            yield from context.judge_code(f"git {value} {words}", command)


def _verb(command: Command, context: Context, name: str, rest: Sequence[Word]) -> Iterator[Finding]:
    if not name or any(word.raw in {"--help", "-h"} for word in rest[:1]):
        return
    verb = VERBS.get(name)
    if verb:
        options = parse_words(rest, verb.options)
        if verb.own_help or not options.has("help", "h"):
            yield from verb.judge(Call(command, context, name, options, rest))
    if any(word.raw.startswith("ext::") for word in rest):
        yield EXECUTE.found(command, path="ext::")
