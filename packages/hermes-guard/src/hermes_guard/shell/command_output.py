"""Computes what a command prints, when that is certain; this is how encoded data reaches a shell."""

import base64
import binascii
import codecs
import posixpath
import zlib
from collections.abc import Iterable

from hermes_guard import lazy_re as re
from hermes_guard.argv.options import Spec, parse_words
from hermes_guard.shell.backslash_escapes import unescape
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE

#: Longer data is not tracked.
LIMIT = 65536
#: Programs that print nothing.
_SILENT = frozenset({"cd", "pushd", "true", ":", "test", "[", "mkdir", "set", "shopt", "export", "unset"})
_ECHO_OPTION = re.compile(r"-[neE]+$")
_FORMAT = re.compile(r"%(?:%|(-?\d*)(?:\.\d+)?([sbqdiuxXoc]))")
_BASE = Spec("d D decode i ignore-garbage w= wrap= A a")
_XXD = Spec("r p ps revert postscript plain c= g= s= l=", single=True)
_PERL_DECODES = re.compile(
    r"\s*print[\s(]+(?:MIME::Base64::)?decode_base64[\s(]*(?:<(?:STDIN)?>|\$_|join[^;]*<(?:STDIN)?>)?[\s);]*\Z"
)
_TR = Spec("d s c C t delete squeeze-repeats complement")
_CLASSES = {"[:upper:]": "A-Z", "[:lower:]": "a-z", "[:digit:]": "0-9", "[:space:]": " \t\n", "[:alpha:]": "A-Za-z"}


def output(command: Command) -> str | None:
    """Return the standard output with holes, or None when nothing is known about it."""
    program = command.program or ""
    if program in _SILENT:
        return ""
    handler = _HANDLERS.get(program)
    if handler is None:
        return None
    try:
        text = handler(command)
    except (ValueError, binascii.Error, UnicodeError, OSError, EOFError, zlib.error):
        return None
    return text if text is None or len(text) <= LIMIT else None


def _echo(command: Command) -> str:
    words = list(command.args)
    newline, escapes = True, False
    while words and _ECHO_OPTION.match(words[0].raw):
        option = words.pop(0).raw
        newline = newline and "n" not in option
        escapes = "e" in option or (escapes and "E" not in option)
    text = " ".join(word.raw for word in words)
    return (unescape(text) if escapes else text) + ("\n" if newline else "")


def _printf(command: Command) -> str | None:
    words = list(command.args)
    if words and words[0].raw == "--":
        words.pop(0)
    if not words or words[0].raw == "-v":
        return "" if words else None
    return formatted(words[0].raw, [word.raw for word in words[1:]])


def formatted(form: str, given: Iterable[str]) -> str:
    """Format values as `printf` does."""
    form, values = unescape(form), list(given)
    result: list[str] = []
    for _ in range(256):
        count = 0

        def fill(found: "re.Match[str]") -> str:
            nonlocal count
            if found.group() == "%%":
                return "%"
            count += 1
            value = values.pop(0) if values else ""
            kind = found.group(2)
            if kind in "xXo" and value.isdigit():
                value = format(int(value), kind)
            if kind == "c":
                value = value[:1]
            if kind == "b":
                value = unescape(value)
            width = found.group(1)
            return (
                value
                if not width or len(width) > 4
                else value.rjust(int(width))
                if int(width) > 0
                else value.ljust(-int(width))
            )

        result.append(_FORMAT.sub(fill, form))
        if not values or not count:
            break
    return "".join(result)


def _stdin(command: Command) -> str | None:
    return command.stdin.text if command.stdin else None


def _certain(command: Command) -> str | None:
    text = _stdin(command)
    return None if text is None or HOLE in text else text


def _cat(command: Command) -> str | None:
    if all(word.raw.startswith("-") or word.raw == "/dev/stdin" for word in command.args):
        return _stdin(command)
    if len(command.args) == 1 and command.args[0].process == "<":
        return command.args[0].text_inside
    return None


def _pass(command: Command) -> str | None:
    return _stdin(command)


def _decode(text: str, codec: str) -> str:
    data = re.sub(r"\s", "", text).encode()
    if codec == "base64":
        return base64.b64decode(data + b"=" * (-len(data) % 4)).decode("utf-8", "replace")
    return base64.b32decode(data + b"=" * (-len(data) % 8)).decode("utf-8", "replace")


def _base64(command: Command) -> str | None:
    options = parse_words(command.args, _BASE)
    text = _certain(command)
    if len(options.operands) == 1 and options.operands[0].process == "<":
        text = options.operands[0].text_inside
    elif [word for word in options.operands if word.raw != "-"]:
        return None
    if text is None:
        return None
    codec = "base32" if command.program == "base32" else "base64"
    if options.has("d", "D", "decode"):
        return _decode(text, codec)
    return base64.b64encode(text.encode()).decode() + "\n" if codec == "base64" else None


def _openssl(command: Command) -> str | None:
    words = {word.raw for word in command.args}
    text = _certain(command)
    if text is None or "-d" not in words or not words & {"base64", "-base64", "-a"} or words & {"-in", "-k", "-pass"}:
        return None
    return _decode(text, "base64")


def _python(command: Command) -> str | None:
    """Decode `python3 -m base64 -d`."""
    texts = " ".join([word.raw for word in command.args[:4] if word.raw != "-"]).replace("-m base64", "-mbase64")
    text = _certain(command)
    return _decode(text, "base64") if text is not None and texts in {"-mbase64 -d", "-mbase64 -u"} else None


def _perl(command: Command) -> str | None:
    """Decode with Perl's module: all of the input, or line by line."""
    texts = [word.raw for word in command.args]
    text = _certain(command)
    if text is None or len(texts) > 4 or not any(each.endswith("MIME::Base64") for each in texts):
        return None
    return _decode(text, "base64") if _PERL_DECODES.match(texts[-1]) else None


def _xxd(command: Command) -> str | None:
    options = parse_words(command.args, _XXD)
    packed = {word.raw for word in command.args}
    reverse = options.has("r", "revert") or packed & {"-rp", "-pr"}
    plain = options.has("p", "ps", "plain", "postscript") or packed & {"-rp", "-pr"}
    text = _certain(command)
    if text is None or [word for word in options.operands if word.raw != "-"] or not (reverse and plain):
        return None
    return bytes.fromhex(re.sub(r"\s", "", text)).decode("utf-8", "replace")


def _rev(command: Command) -> str | None:
    text = _certain(command)
    if text is None or command.args:
        return None
    return "".join(line[::-1] + "\n" for line in text.splitlines())


def _tac(command: Command) -> str | None:
    text = _certain(command)
    return None if text is None or command.args else "".join(line + "\n" for line in reversed(text.splitlines()))


def _tr(command: Command) -> str | None:
    text = _certain(command)
    options = parse_words(command.args, _TR)
    sets = [word.literal for word in options.operands]
    if text is None or not sets or None in sets or options.has("c", "C", "complement", "s", "squeeze-repeats"):
        return None
    first = _set(sets[0] or "")
    if options.has("d", "delete"):
        return text.translate(dict.fromkeys(map(ord, first)))
    if len(sets) < 2:
        return None
    second = _set(sets[1] or "") or " "
    second += second[-1] * (len(first) - len(second))
    return text.translate({ord(old): new for old, new in zip(first, second, strict=False)})


def _set(text: str) -> str:
    for name, members in _CLASSES.items():
        text = text.replace(name, members)
    text = unescape(text)
    result: list[str] = []
    index = 0
    while index < len(text):
        if (
            text[index + 1 : index + 2] == "-"
            and index + 2 < len(text)
            and ord(text[index]) <= ord(text[index + 2]) < 256
        ):
            result.extend(chr(number) for number in range(ord(text[index]), ord(text[index + 2]) + 1))
            index += 3
        else:
            result.append(text[index])
            index += 1
    return "".join(result)


def _rot13(command: Command) -> str | None:
    text = _certain(command)
    return None if text is None else codecs.encode(text, "rot13")


_SED = re.compile(r"s(.)((?:(?!\1).)*)\1((?:(?!\1).)*)\1(g?)$")


def _sed(command: Command) -> str | None:
    text = _certain(command)
    words = [word for word in command.args if word.raw not in {"-e", "-E", "-r"}]
    if text is None or len(words) != 1:
        return None
    found = _SED.match(words[0].raw)
    if not found or re.search(r"[\\.*\[\]^$&+?(){}|]", found.group(2) + found.group(3)) or not found.group(2):
        return None
    count = -1 if found.group(4) else 1
    return "".join(line.replace(found.group(2), found.group(3), count) for line in text.splitlines(keepends=True))


def _gunzip(command: Command) -> str | None:
    # Text that was decoded to bytes is no longer exact, so it is read only if nothing was lost.
    text = _certain(command)
    if text is None or "\ufffd" in text:
        return None
    import gzip

    return gzip.decompress(text.encode("latin-1")).decode("utf-8", "replace")


def _yes(command: Command) -> str:
    return " ".join(word.raw for word in command.args) + "\n" if command.args else "y\n"


def _pwd(command: Command) -> str | None:
    return command.cwd + "\n" if command.cwd and command.cwd.startswith("/") else None


_PROGRAM = re.compile(r"[\w.+-]+\Z")
_TEMPLATE = re.compile(r"X{3,}")
_TEMPORARY = "/tmp"  # noqa: S108 - a name to reason about; nothing is opened
_MKTEMP = Spec("d directory u dry-run q quiet p? tmpdir? t suffix= V version")


def _mktemp(command: Command) -> str | None:
    """Return the requested name with its row of X, which no existing file has."""
    options = parse_words(command.args, _MKTEMP)
    template = options.operands[0].raw if options.operands else "tmp.XXXXXXXXXX"
    if not _TEMPLATE.search(template):
        template += ".XXXXXXXXXX"
    folder = options.value("p", "tmpdir")
    if folder is not None or options.has("t", "tmpdir", "p") or not options.operands:
        template = posixpath.join(folder.raw if folder is not None and folder.raw else _TEMPORARY, template)
    return None if HOLE in template else template + "\n"


def _which(command: Command) -> str | None:
    """Return the path of a program: its directory is unknown, its name is not."""
    words = command.args
    if command.program != "which":
        if not words or words[0].raw not in {"-v", "-P"}:
            return None
        words = words[1:]
    if len(words) != 1 or not words[0].certain or not _PROGRAM.match(words[0].raw):
        return None
    return f"{HOLE}/{words[0].raw}\n"


def _dirname(command: Command) -> str | None:
    if len(command.args) != 1 or not command.args[0].certain:
        return None
    path = command.args[0].raw
    return (posixpath.dirname(path.rstrip("/")) or ("/" if path.startswith("/") else ".")) + "\n"


def _basename(command: Command) -> str | None:
    words = [word for word in command.args if word.raw != "--"]
    if not 1 <= len(words) <= 2 or not all(word.certain for word in words) or words[0].raw.startswith("-"):
        return None
    name = posixpath.basename(words[0].raw.rstrip("/")) or "/"
    ending = words[1].raw if len(words) > 1 else ""
    return (name.removesuffix(ending) if name != ending else name) + "\n"


def _realpath(command: Command) -> str | None:
    """Return the path as written, without resolving links, because their targets may change."""
    flags = {word.raw for word in command.args if word.raw.startswith("-")}
    words = [word for word in command.args if not word.raw.startswith("-")]
    if len(words) != 1 or flags - {"-f", "-e", "-m", "-q", "-s", "-L", "-P", "--"}:
        return None
    if command.program != "realpath" and not flags & {"-f", "-e", "-m"}:
        return None
    path = command.path(words[0])
    return path + "\n" if path and path.startswith("/") else None


_HANDLERS = {
    "pwd": _pwd,
    "which": _which,
    "command": _which,
    "type": _which,
    "mktemp": _mktemp,
    "gmktemp": _mktemp,
    "dirname": _dirname,
    "basename": _basename,
    "realpath": _realpath,
    "grealpath": _realpath,
    "readlink": _realpath,
    "greadlink": _realpath,
    "echo": _echo,
    "printf": _printf,
    "print": _echo,
    "cat": _cat,
    "tee": _pass,
    "sponge": _pass,
    "base64": _base64,
    "gbase64": _base64,
    "base32": _base64,
    "openssl": _openssl,
    **dict.fromkeys(("python", "python3", "python2", "py"), _python),
    "perl": _perl,
    "xxd": _xxd,
    "rev": _rev,
    "tac": _tac,
    "tr": _tr,
    "rot13": _rot13,
    "caesar": _rot13,
    "sed": _sed,
    "gunzip": _gunzip,
    "zcat": _gunzip,
    "yes": _yes,
    "head": lambda command: _stdin(command) if not command.args else None,
    "pv": _pass,
    "buffer": _pass,
}
