"""Decides whether a program displays the content of a file, or only loads, counts or copies it."""

from collections.abc import Callable

from hermes_guard import lazy_re as re
from hermes_guard.argv import parse
from hermes_guard.name_sets import names
from hermes_guard.rules.common.file_tool_options import SED
from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.file_arguments import AWK, GREP, GREPS, JQS, ONE_LINERS, VALUED
from hermes_guard.shell.command import Command

#: Programs that print everything they read.
_PRINTERS = names(
    """
    cat tac nl head tail less more most bat batcat ccat strings xxd od hexdump hd base64 base32 rev fold view pygmentize
    pbcopy xclip wl-copy sort uniq column paste expand comm join pr tr iconv sdiff colordiff diff3 csvcut
    """
)
#: Programs behind a pipe that display none of their input, or pass it on.
_SILENT = names("xargs tee wc md5sum sha1sum sha256sum sha512sum cksum b2sum md5 shasum")
#: Programs that print their arguments, and those that only inspect or store them.
_TELLERS = frozenset({"echo", "printf", "print", "cat", "tee", None})
_KEEPERS = frozenset({"[", "test", "export", "declare", "typeset", "local", "readonly", "env"})
_SUBSTITUTION = re.compile(r"\$\(|`")
_QUIET = names(
    "q quiet silent c count count-matches l files-with-matches L files-without-match files-with-match brief s"
)
#: A regex token that matches any character.
_ANY = re.compile(r"[.\\]|=.")
#: The name of a variable in a settings file is not a secret.
_FIRST_FIELD = re.compile(r"\{\s*print\s+\$1\s*;?\s*\}\Z")


def _grep(command: Command) -> bool:
    options = parse(command, GREP)
    if options.has("o", "only-matching"):
        pattern = options.value("e", "regexp") or (options.operands[0] if options.operands else None)
        return pattern is None or bool(_ANY.search(pattern.raw))
    return not options.has(*(_QUIET - {"s", "brief"}))


def _sed(command: Command) -> bool:
    options = parse(command, SED)
    if options.has("i", "I", "in-place"):
        return False
    script = options.value("e", "expression") or (options.operands[0] if options.operands else None)
    text = script.raw if script is not None else ""
    # The value after the variable's name is discarded.
    return not (text.startswith("s") and "=.*" in text and "&" not in text and "\\" not in text)


def _awk(command: Command) -> bool:
    options = parse(command, AWK)
    by = options.value("F", "field-separator")
    program = options.operands[0].raw if options.operands else ""
    return not (by is not None and by.raw == "=" and _FIRST_FIELD.match(program.strip()))


def _cut(command: Command) -> bool:
    options = parse(command, VALUED["cut"])
    by, fields = options.value("d", "delimiter"), options.value("f", "fields")
    return not (by is not None and by.raw == "=" and fields is not None and fields.raw == "1")


def _one_liner(command: Command) -> bool:
    return not any(word.raw.startswith("-") and "i" in word.raw for word in command.args[:3])


#: Programs that display all or part of what they read, depending on their options.
_SOMETIMES: dict[str, Callable[[Command], bool]] = {
    **dict.fromkeys(GREPS, _grep),
    **dict.fromkeys(("sed", "gsed", "ssed"), _sed),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
    **dict.fromkeys(ONE_LINERS, _one_liner),
    **dict.fromkeys(JQS, lambda _: True),
    "cut": _cut,
    "diff": lambda command: not parse(command, VALUED["diff"]).has("q", "brief"),
}


def shows(command: Command, context: Context) -> bool:
    """Return True when what a program reads is displayed; a copied file or an assigned variable is not."""
    program = command.program or ""
    sometimes = _SOMETIMES.get(program)
    if program not in _PRINTERS and (sometimes is None or not sometimes(command)):
        return False
    if any(redirect.writes and redirect.fd != 2 for redirect in command.redirects):
        return False
    return not any(_takes_in(reader) for reader in command.feeds) and not _captured(command, context)


def _takes_in(reader: Command) -> bool:
    return reader.program in _SILENT or (reader.program in GREPS and not _grep(reader))


def _captured(command: Command, context: Context) -> bool:
    """Return True when a substitution captures the output, and nothing prints it."""
    if not command.depth or command.wrappers or not context.budget.runs(len(context.commands)):
        return False
    return not any(
        command in word.commands and (other.program in _TELLERS or _SUBSTITUTION.search(word.source))
        for other in context.commands
        if other.program not in _KEEPERS
        for word in other.argv
        if word.commands
    )
