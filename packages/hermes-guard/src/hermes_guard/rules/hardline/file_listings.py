"""Finds commands that list everything in a critical directory, and what receives the names."""

from hermes_guard import lazy_re as re
from hermes_guard.name_sets import names
from hermes_guard.rules.common.critical_paths import folder
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word

FINDS = frozenset({"find", "gfind", "bfs"})
_FDS = frozenset({"fd", "fdfind"})
SEARCHES = FINDS | _FDS
_FD_NARROW = frozenset({"-e", "-E", "-S", "-g"})
#: Tests that narrow what find finds. A file type or a depth does not.
_NARROW = re.compile(
    r"-(?:i?name|i?path|i?regex|i?wholename|[acm](?:time|min)|newer\w*|size|user|group|uid|gid|perm|empty|inum|links|samefile|i?lname|nouser|nogroup)$"
)
#: Excluding one name still leaves nearly everything.
_NAMES = re.compile(r"-i?(?:name|path|regex|wholename)$")
_ANY_NAME = frozenset({"*", "*.*", "**", "?*", ".*", "/*", "*/*", ".*/.*"})
_PRINTERS = frozenset({"ls", "dir", "vdir", "gls", "echo", "printf", "compgen"})
_PASS_ON = names("sort tac cat tr awk sed cut xargs read sudo echo basename uniq tee nl printf mapfile readarray")
_TESTS = names("[ [[ test case grep egrep rg expr")
#: A loop with more commands than this is not a sweep.
_FEW = 12


def upstream(commands: tuple[Command, ...]) -> tuple[Command, ...]:
    """Return the commands of a pipeline, back to its start."""
    found = list(commands)
    for command in found:
        if command.stdin is not None and len(found) < 16:
            found.extend(other for other in command.stdin.commands if other not in found)
    return tuple(found)


def searched(program: str, words: tuple[Word, ...], command: Command, context: Context) -> str:
    """Return the critical directory of which a find or fd with these words lists everything."""
    if program in FINDS:
        return found_all(words, command, context)
    operands: list[Word] = []
    for word in words:
        if word.raw in {"-x", "-X", "--exec", "--exec-batch"}:
            break
        if not word.raw.startswith("-"):
            operands.append(word)
    if not operands or operands[0].raw not in {".", "", ".*"} or any(word.raw[:2] in _FD_NARROW for word in words):
        return ""
    return next((path for word in operands[1:] if (path := folder(word, command, context))), "")


def found_all(words: tuple[Word, ...], command: Command, context: Context) -> str:
    """Return the critical directory of which a find with these words lists everything."""
    # Names before the last prune are excluded.
    pruned = max((number for number, word in enumerate(words) if word.raw == "-prune"), default=-1)
    for number, word in enumerate(words):
        if _NARROW.match(word.raw) and not _leaves_most(number, words, pruned):
            return ""
    starts: list[Word] = []
    for word in words:
        if word.raw[:1] in {"-", "(", "!"}:
            if word.raw in {"-H", "-L", "-P"}:
                continue
            break
        starts.append(word)
    here = command.argv[0]
    return next(
        (path for word in starts or [Word(".", ".", here.span)] if (path := folder(word, command, context))), ""
    )


def _leaves_most(number: int, words: tuple[Word, ...], pruned: int) -> bool:
    """Return True for a name test that matches everything, or that names what is excluded."""
    if not _NAMES.match(words[number].raw):
        return False
    before = words[number - 1].raw if number else ""
    after = words[number + 1].raw if number + 1 < len(words) else ""
    return before in {"!", "-not"} or after in _ANY_NAME or number < pruned


def listed(command: Command, context: Context) -> str:
    """Return the critical directory of which a command lists everything."""
    if command.program in FINDS or command.program in _FDS:
        return searched(command.program or "", command.args, command, context)
    if command.program in _PRINTERS:
        words = [word for word in command.args if not word.raw.startswith("-")]
        if not words and command.program in {"ls", "dir", "vdir", "gls"}:
            words = [Word(".", ".", command.argv[0].span)]
    else:
        return ""
    return next((path for word in words if (path := folder(word, command, context))), "")


def streamed(last: tuple[Command, ...], context: Context) -> str:
    """Return the critical directory of which a pipeline passes on every name."""
    path = ""
    for command in upstream(last):
        found = listed(command, context)
        if found:
            path = found
        elif not _passes(command):
            return ""
    return path


def _passes(command: Command) -> bool:
    if command.program in {"grep", "egrep"}:
        return any(word.raw in {"-v", "--invert-match"} for word in command.args)
    return command.program in _PASS_ON


def swept(word: Word, command: Command, context: Context) -> str:
    """Return the critical directory whose content a loop passes on, one name at a time, as this word."""
    raw = word.raw
    if not command.loop or not raw.endswith(HOLE) or raw.count(HOLE) != 1:
        return ""
    base = raw[: -len(HOLE)]
    if (base and not base.endswith("/")) or _chosen(command, context):
        return ""
    if command.stdin is not None:
        path = streamed(command.stdin.commands, context)
    elif len(context.commands) < _FEW and not any(other.program in _TESTS for other in context.commands):
        path = next((found for other in context.commands if (found := listed(other, context))), "")
    else:
        return ""
    if not path:
        return ""
    if base:
        return path if command.path(base) == path else ""
    # Names without a directory are relative to the loop, unless find prints them.
    finds = any(other.program in FINDS for other in context.commands[:_FEW])
    return path if finds or command.path(".") == path else ""


def _chosen(command: Command, context: Context) -> bool:
    """Return True when a condition that is not a command, such as `case`, selects among the names."""
    # Commands in a `while` condition count as conditional anyway; they read its names.
    return (
        command.condition
        and command.stdin is None
        and not any(other.loop and other is not command for other in context.commands)
    )
