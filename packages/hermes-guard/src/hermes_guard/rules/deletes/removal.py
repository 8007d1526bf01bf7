"""Judges files and directories that are removed by name, by pattern, or from another command's list."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.common.path_arguments import format_words, through_links
from hermes_guard.rules.common.path_findings import MANY, look, notice
from hermes_guard.rules.deletes.deletable_files import made_here, temporary, thrown_away
from hermes_guard.rules.deletes.rules import BULK, FAMILY, PROTECTED, RECURSIVE
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import PARENT, Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

RM = Spec(
    "r R f i I v d recursive force interactive? one-file-system no-preserve-root preserve-root? "
    "verbose dir help version"
)
_EVERYTHING = re.compile(r"(?:.*/)?(?:\.?\*+|\*\.\*|\.\[[!^]\.\]\*|\?\*|\[(?:[!^]|a-z|A-Z).{0,8}\]\*)$")
#: Every file of one type. Its directory and type indicate whether a person wrote them.
_EVERY_KIND = re.compile(r"((?:[^*?\[\]]*/)?)\*\.(\w+)\Z")
_KINDS = names(
    "db db3 sqlite sqlite3 sql mdb rdb dump ibd parquet kdbx csv tsv xls xlsx doc docx ppt pptx odt ods ipynb tex md "
    "rst py go rs rb java kt scala c cc cpp cxx h hpp cs php swift pl pm lua jl ex exs erl hs ml dart tf proto ts tsx "
    "jsx vue svelte"
)
#: Directories that programs fill.
_MADE = names(
    "build dist out output outputs target tmp temp cache .cache coverage logs log results reports generated gen "
    "node_modules __pycache__ artifacts bin obj .tox .venv downloads"
)
_FEEDERS = ("xargs", "gxargs", "parallel", "find", "gfind", "fd", "fdfind")
_WILD = re.compile(r"[*?]+|\[[^\]/]*\]")


def named(words: list[Word]) -> str:
    """Return these words as shown in a finding."""
    return format_words(words) or "what its input names"


@FAMILY.judges("rm", "grm", "rm.real")
def rm(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about a recursive rm, and about removing many or unnamed files."""
    options = parse(command, RM)
    if options.helps or made_here(options.operands, command, context):
        return
    if thrown_away(options.operands, command):
        return
    path = named(options.operands)
    if options.has("r", "R", "recursive"):
        yield RECURSIVE.found(command, path=path)
    elif (
        command.wrapped_by(*_FEEDERS)
        or any(_unnamed(word, command, options.operands) for word in options.operands)
        or (len(command.args) > 1 and command.args[0].splits and command.args[0].prefix == "")
    ):
        yield BULK.found(command, path=path)
    yield from protected(options.operands, command, context)


@FAMILY.judges("unlink", "rmdir")
def unlink(command: Command, context: Context) -> Iterator[Finding]:
    """Allow removing one named file or empty directory, unless it is protected."""
    operands = [word for word in command.args if not word.raw.startswith("-")]
    if command.program == "unlink" and command.wrapped_by("xargs", "parallel", "find"):
        yield BULK.found(command, path=named(operands))
    yield from protected(operands, command, context)


def _unnamed(word: Word, command: Command, operands: list[Word]) -> bool:
    if "!(" in word.raw and not word.quoted:
        # Everything except what is in the brackets.
        return True
    if word.glob:
        return bool(_EVERYTHING.match(word.raw)) or _written_by_hand(word, command)
    if word.certain:
        return False
    told = any(teller is not PARENT for teller in word.commands)
    if told and not (word.quoted and not word.splits and not command.loop):
        return True
    # In quotes it is a single name; before a directory it may be the option that deletes that directory.
    if told and not word.prefix and any(_may_be_folder(other) for other in operands[:MANY] if other is not word):
        return True
    return command.loop and word.prefix == "" and word.suffix == ""


def _may_be_folder(word: Word) -> bool:
    return word.certain and "." not in word.raw.rstrip("/").rpartition("/")[2].lstrip(".")


def _written_by_hand(word: Word, command: Command) -> bool:
    kind = _EVERY_KIND.match(word.raw)
    if kind is None or kind.group(2).lower() not in _KINDS:
        return False
    path = command.path(kind.group(1) or ".")
    return not temporary(f"{path}/") and not _MADE.intersection((path or "").lower().split("/"))


def protected(operands: list[Word], command: Command, context: Context) -> Iterator[Finding]:
    """Yield the files among these that the system or an account needs."""
    if command.elsewhere:
        return
    if len(operands) > MANY:
        yield BULK.found(command, path=named(operands))
    for word in operands[:MANY]:
        path = command.path(word)
        if path is None or _is_lock(path):
            continue
        if word.glob:
            own = context.paths.may_name_agent(path, home=context.home)
            if own and any(finding.rule == "path.hermes-config" for finding in look("write", path, context).findings):
                yield PROTECTED.found(command, path=word.text)
                return
            if word.raw[:1] != "/" or path.startswith(f"{context.home}/"):
                continue
            path = _WILD.sub("x", path)
        path = through_links(word.raw, command) or path
        findings = look("write", path, context).findings
        for finding in findings:
            if finding.rule in context.paths.added:
                notice(finding, command, context)
        if any(finding.rule not in context.paths.added for finding in findings):
            yield PROTECTED.found(command, path=word.text if word.glob else path)
            return


def _is_lock(path: str) -> bool:
    """Return True for a lock file that an interrupted git leaves behind."""
    return path.endswith(".lock") and not path.endswith("/.lock") and "/.git/" in f"/{path}"


@FAMILY.judges("find", "gfind", "bfs")
def find(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about `-delete`, which deletes everything found; `-exec rm` is judged as rm."""
    if any(word.raw == "-delete" for word in command.args):
        yield BULK.found(command, path=named([word for word in command.args if not word.raw.startswith("-")][:1]))
