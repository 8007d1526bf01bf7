"""Reads SQL: statements as words, without comments."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.name_sets import names

#: As much as a shell command may be long. Reading is linear, and takes less than half of what an answer may take.
LONGEST = 32_768


#: How a database tells comments, strings and names apart, as the pattern of one token.
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
#: A backslash hides a quote, `#` begins a comment, `--` only does so before a blank, and `\G` ends a statement.
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
#: What the dialects read in different ways.
_AMBIGUOUS = re.compile(r"\\['\"\\]|#|--\S")


def dialects(program: str | None, text: str) -> tuple[Dialect, ...]:
    """The dialects that a client may mean: both when nobody knows, and when it makes a difference."""
    if program in _BACKSLASH_CLIENTS:
        return (BACKSLASHES,)
    if program in _STANDARD_CLIENTS or not _AMBIGUOUS.search(text):
        return (STANDARD,)
    return (STANDARD, BACKSLASHES)


_NO_WORDS = names("space comment hint")


def statements(text: str, dialect: Dialect = STANDARD) -> Iterator[list[str]]:
    """The statements of a text as upper-case words. Strings keep quotes, names become `"x"`, comments are gone."""
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
