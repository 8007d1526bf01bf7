"""Splits SQL into statements as lists of words, without comments."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.name_sets import names

#: The maximum length of a shell command. Reading is linear, and takes less than half of the time limit.
LONGEST = 32_768


#: The syntax for comments, strings and names of a database, as the pattern of one token.
Dialect = re.Pattern[str]


def _dialect(*, comment: str, string: str, name: str, end: str) -> Dialect:
    return re.compile(
        r"(?P<space>\s+)"
        rf"|(?P<comment>{comment}|/\*(?!!).*?(?:\*/|\Z))"
        rf"|(?P<string>{string})"
        rf"|(?P<quoted>{name}|`[^`]*(?:`|\Z)|\[[^\]\n]{{0,200}}\])"
        r"|(?P<dollar>\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z))"
        r"|(?P<hint>/\*!\d*|\*/)"
        rf"|(?P<end>{end})"
        r"|(?P<meta>(?:(?<=\n)|\A)\s{0,8}\.[a-z]\w*[^\n]*|\\[!a-zA-Z?][^\n]*)"
        r"|(?P<word>[\w@\ue000]+)"
        r"|(?P<mark>.)",
        re.DOTALL,
    )


STANDARD = _dialect(
    comment=r"--[^\n]*",
    string=r"[eE]'(?:[^'\\]|''|\\(?:.|\Z))*(?:'|\Z)|[nNxXbB]?'[^']*(?:''[^']*)*(?:'|\Z)",
    name=r"\"[^\"]*(?:\"\"[^\"]*)*(?:\"|\Z)",
    end=";",
)
#: A backslash escapes a quote, `#` begins a comment, `--` does so only before a blank, and `\G` ends a statement.
BACKSLASHES = _dialect(
    comment=r"--(?=\s|\Z)[^\n]*|#[^\n]*",
    string=r"[nNxXbB]?'(?:[^'\\]|''|\\(?:.|\Z))*(?:'|\Z)",
    name=r"\"(?:[^\"\\]|\"\"|\\(?:.|\Z))*(?:\"|\Z)",
    end=r";|\\[gGcp](?!\w)",
)
_BACKSLASH_CLIENTS = names("mysql mariadb mycli mysqlsh memsql tidb obclient mysql-client")
_STANDARD_CLIENTS = names(
    "psql pgcli gsql vsql ysqlsh edb-psql gpsql redshift sqlite3 sqlite litecli sqlcipher libsql sqlcmd osql isql "
    "go-sqlcmd mssql-cli duckdb trino presto presto-cli cockroach sqlplus sqlcl heroku turso wrangler npx"
)
#: Syntax that differs between the dialects.
_AMBIGUOUS = re.compile(r"\\['\"\\]|#|--\S")


def dialects(program: str | None, text: str) -> tuple[Dialect, ...]:
    """Return the dialects that a client may use: both if it is unknown and makes a difference."""
    if program in _BACKSLASH_CLIENTS:
        return (BACKSLASHES,)
    if program in _STANDARD_CLIENTS or not _AMBIGUOUS.search(text):
        return (STANDARD,)
    return (STANDARD, BACKSLASHES)


_NO_WORDS = names("space comment hint")


def statements(text: str, dialect: Dialect = STANDARD) -> Iterator[list[str]]:
    """Yield the statements of a text as upper-case words. Strings keep their quotes, names become `"x"`."""
    found: list[str] = []
    for match in dialect.finditer(text[:LONGEST]):
        kind, piece = match.lastgroup, match.group()
        if kind in _NO_WORDS:
            continue
        if kind == "word":
            upper = piece.upper()
            if upper != "GO" or not found:
                found.append(upper)
                continue
        elif kind == "meta":
            if found and piece.lstrip().startswith("."):
                found.append(piece)
                continue
            if found:
                yield found
            found = [piece.strip()]
        elif kind != "end":
            found.append(piece if kind != "quoted" else '"x"' if piece[0] != "[" else "[]")
            continue
        if found:
            yield found
        found = []
    if found:
        yield found
