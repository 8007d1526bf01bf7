"""Parses here-documents: their delimiters, and the ends of their bodies."""

from hermes_guard import lazy_re as re
from hermes_guard.shell.backslash_escapes import unescape

HEREDOC = re.compile(r"<<(-?)[ \t]*((?:'[^'\n]*'|\"(?:[^\"\\\n]|\\.)*\"|\\.|[^\s;&|<>()'\"\\])+)")
_NAME_PIECE = re.compile(r"\$?'([^'\n]*)'|\$?\"((?:[^\"\\\n]|\\.)*)\"|\\(.)")


def heredoc_name(written: str) -> str:
    """Return the line that ends a here-document, given its delimiter as written."""
    return _NAME_PIECE.sub(_unquoted, written)


def _unquoted(piece: "re.Match[str]") -> str:
    """Return a part of a here-document's delimiter without its quotes."""
    single, double, escaped = piece.groups()
    if single is not None:
        return unescape(single) if piece.group()[0] == "$" else single
    return escaped if double is None else re.sub(r"\\([\"\\$`])", r"\1", double)


def without_body(text: str, index: int) -> str:
    """Replace the body of the here-document announced here with blanks, because it is not shell code."""
    found = HEREDOC.match(text, index)
    line = text.find("\n", index) if found else -1
    if found is None or line < 0:
        return text
    name = re.escape(heredoc_name(found.group(2)))
    end = re.compile(rf"^\t*{name}$", re.MULTILINE).search(text, line + 1)
    if end is None:
        return text
    return text[: line + 1] + " " * (end.end() - line - 1) + text[end.end() :]


def body_of(text: str, index: int, name: str, *, strip: bool, quoted: bool) -> tuple[str, int, int, bool]:
    """Return the body of a here-document, its start, where reading continues, and whether its end was found."""
    at, size = index, len(text)
    lines: list[str] = []
    held = ""
    while at < size:
        end = text.find("\n", at)
        end = size if end < 0 else end
        raw = text[at:end]
        line = raw.lstrip("\t") if strip else raw
        at = min(end + 1, size)
        # With an unquoted delimiter, a backslash continues any line, including the last one.
        if not quoted and (len(line) - len(line.rstrip("\\"))) % 2 and end < size:
            held += line[:-1]
            lines.append(line + "\n")
            continue
        if name in (held + line, held + raw):
            # The newline after the end belongs to the structure.
            return "".join(lines), index, end, True
        held = ""
        lines.append(line + "\n")
    return "".join(lines), index, size, False
