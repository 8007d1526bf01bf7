"""Judges file modes: set by chmod, at creation, and by the umask."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.common.path_arguments import format_words
from hermes_guard.rules.common.path_findings import BY_NAME, MANY, judged, path_rules
from hermes_guard.rules.family import Context
from hermes_guard.rules.permissions.affected_paths import PLACES, crowded, wide
from hermes_guard.rules.permissions.mode_notation import closes, exposes, is_mode, loosens
from hermes_guard.rules.permissions.rules import (
    ACL,
    BROAD,
    FAMILY,
    SETID,
    SYSTEM,
    WORLD,
)
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

_CHMOD = Spec(
    "R v c f h H L P recursive verbose changes silent quiet reference= preserve-root no-preserve-root dereference "
    "no-dereference help version E C i I N a"
)
_MADE = Spec("m= mode= o= owner= g= group= t= S= suffix= target-directory= p v d D help version")
_REMOVAL = re.compile(r"-[rwxXst]+\Z")
#: Modes that make a program executable and change nothing else.
_ONLY_RUNS = re.compile(r"(?:[ugoa]*\+x|0?[57]55|0?[57][01]1|0?700)\Z")
_OPEN_MASK = re.compile(r"(?:.*,)?(?:a|[ug]*o)[=+][rx]*w")
_MASK = re.compile(r"0*[0-7]{1,4}\Z")
_NOT_EXPOSED = BY_NAME | path_rules("device endless-device history mail")
_PROGRAMS = ("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/")


@FAMILY.judges("chmod", "gchmod")
def chmod(command: Command, context: Context) -> Iterator[Finding]:
    """Judge numeric and symbolic modes."""
    options = parse(command, _CHMOD)
    if options.helps:
        return
    removal = next((word.raw for word in command.args if _REMOVAL.match(word.raw)), "")
    mode, operands = (removal, options.operands) if removal else _mode(options)
    if mode in {"+a", "=a", "+a#"} or (mode.startswith("+a") and " " in mode):
        # An entry of an access control list, in macOS syntax.
        yield WORLD.found(command, path=format_words(operands[1:] or operands))
        return
    if HOLE in mode and mode[-1:] in {"2", "3", "6", "7"}:
        mode = mode[-1:]
    world, setid = loosens(mode)
    model = options.value("reference")
    if world:
        yield WORLD.found(command, path=format_words(operands))
    if setid or (model is not None and (command.path(model) or "").startswith(_PROGRAMS)):
        yield SETID.found(command, path=format_words(operands))
    if options.has("E", "C", "i", "I", "N") and not removal:
        yield ACL.found(command, path=format_words(operands))
    if closes(mode) and operands:
        yield BROAD.found(command, path=_closed(operands, command, context))
    elif options.has("R", "recursive") and (path := wide(operands, command, context)):
        yield BROAD.found(command, path=path)
    yield from _relied_on(operands, mode, command, context)


def _mode(options: Options) -> tuple[str, list[Word]]:
    """Return the mode and the files. Some users write the file first, so any word that is a mode counts."""
    operands = list(options.operands)
    if options.has("reference") or not operands:
        return "", operands
    at = next((number for number, word in enumerate(operands) if is_mode(word.raw)), 0)
    return operands.pop(at).raw, operands


def _closed(operands: list[Word], command: Command, context: Context) -> str:
    return wide(operands[:1], command, context) or operands[0].text


def _relied_on(operands: list[Word], mode: str, command: Command, context: Context) -> Iterator[Finding]:
    yield from crowded(operands, command)
    only_runs, read_by_others = bool(_ONLY_RUNS.match(mode)), exposes(mode)
    for word in operands[:MANY]:
        for path, finding in judged("write", word, command, context, only=PLACES):
            if not (only_runs and finding.rule == "path.search-path"):
                yield SYSTEM.found(command, path=path)
                return
        if read_by_others:
            for path, _ in judged("read", word, command, context, ignore=_NOT_EXPOSED):
                yield SYSTEM.found(command, path=path)
                return


@FAMILY.judges("install", "ginstall", "mkdir", "gmkdir", "mkfifo")
def made_with_mode(command: Command, _: Context) -> Iterator[Finding]:
    """Judge files and directories that are created with a mode."""
    options = parse(command, _MADE)
    mode = options.value("m", "mode")
    if mode is None or options.helps:
        return
    world, setid = loosens(mode.raw)
    if world:
        yield WORLD.found(command, path=format_words(options.operands[-1:]))
    if setid:
        yield SETID.found(command, path=format_words(options.operands[-1:]))


@FAMILY.judges("umask")
def umask(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about a umask that removes no permissions."""
    for word in command.args:
        text = word.raw
        if (_MASK.match(text) and not int(text, 8) & 0o002) or _OPEN_MASK.match(text):
            yield WORLD.found(command, path="every new file")
            return
