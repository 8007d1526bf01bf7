"""Judges statements in HTTP requests: in the URL, a form or the body."""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from urllib.parse import parse_qsl, urlsplit

from hermes_guard import lazy_re as re
from hermes_guard.name_sets import names
from hermes_guard.rules.sql.rules import HTTP
from hermes_guard.rules.sql.statement_checks import judge_cypher, judge_sql, judge_surreal
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

#: Names of form fields, URL parameters and JSON keys that contain a statement.
_FIELDS = names("q query sql stmt statement statements ksql command queries batch")
#: The beginning of a statement that changes something; other content of a body is data.
_BEGINS = re.compile(
    r"(?:--[^\n]*\n\s*|/\*[^*]*\*/\s*)?(?:drop|truncate|delete|alter|update|remove|grant|revoke|kill|begin|use|set|with|match"
    r"|select|insert|explain|optional)\b",
    re.IGNORECASE,
)
#: Bodies that empty a store, in its own query language.
_EMPTIES = re.compile(
    r"<delete>\s*<query>\s*\*|\"delete\"\s*:\s*\{\s*\"query\"\s*:\s*\"\*|\"drop_(?:all|attr|op|value)\"\s*:"
    r"|\"(?:drop|dropDatabase|deleteMany|drop-collection|delete-collection)\"\s*:"
)
#: The beginning of a Cypher statement.
_GRAPH = re.compile(r"\s*(?:optional\s+)?match\b|\s*call\b", re.IGNORECASE)
#: A statement in JSON that cannot be parsed because it contains a variable.
_NAMED = re.compile(
    r"\"(?:q|query|sql|stmt|statement|ksql|command)\"\s{0,8}:\s{0,8}\[?\s{0,8}\"((?:[^\"\\]|\\.)*)",
    re.IGNORECASE | re.DOTALL,
)
#: JSON keys that request a dry run.
_DRY = ("dry_run", "dryRun", "dry-run", "explain", "validate_only")
#: The maximum nesting of a JSON object that is searched, and the maximum number of its values.
_MAX_DEPTH, _LIMIT = 6, 200
#: The maximum number of characters read of a body.
_MAX_LENGTH = 32_768


def judge_body(text: str, command: Command) -> Iterator[Finding]:
    """Judge a body: a statement, JSON that contains one, or a form."""
    if text == HOLE or not text.strip():
        return
    text = text[:_MAX_LENGTH]
    if _EMPTIES.search(text):
        yield HTTP.found(command, path=text.strip()[:80])
    elif text.lstrip()[:1] in {"{", "["}:
        yield from _judge(_in_object(text), command)
    elif _BEGINS.match(text.lstrip()):
        yield from _judge((text,), command)
    else:
        yield from judge_form(text, command)


def judge_form(text: str, command: Command, *, encoded: bool = True) -> Iterator[Finding]:
    """Judge a form: `q=DROP+DATABASE+x&db=y`."""
    if "=" not in text:
        return
    if encoded:
        pairs = parse_qsl(text[:_MAX_LENGTH])[:_LIMIT]
    else:
        name, _, value = text[:_MAX_LENGTH].partition("=")
        pairs = [(name, value)]
    yield from _judge(
        (value for name, value in pairs if name.lower() in _FIELDS and _BEGINS.match(value.lstrip())), command
    )


def judge_address(address: str, command: Command) -> Iterator[Finding]:
    """Judge the query of a URL."""
    if "?" not in address:
        return
    try:
        query = urlsplit(address).query
    except ValueError:
        return
    yield from judge_form(query, command)


def _judge(texts: Iterable[str], command: Command) -> Iterator[Finding]:
    for text in texts:
        yield from judge_sql(text, command)
        yield from judge_surreal(text, command, rows=False)
        if _GRAPH.match(text):
            yield from judge_cypher(text, command)


def _in_object(text: str) -> Iterator[str]:
    """Yield the statements in JSON, under the keys that databases use, or alone in a list."""
    try:
        found = json.loads(text.replace(HOLE, "0"))
    except (ValueError, RecursionError):
        yield from (match[1] for match in islice(_NAMED.finditer(text), _LIMIT) if _BEGINS.match(match[1].lstrip()))
        return
    if isinstance(found, dict) and any(found.get(name) is True for name in _DRY):
        return
    left = _LIMIT
    waiting: list[tuple[object, bool, int]] = [(found, True, 0)]
    while waiting and left:
        value, named, depth = waiting.pop()
        left -= 1
        if isinstance(value, str):
            if named and _BEGINS.match(value.lstrip()):
                yield value
        elif depth < _MAX_DEPTH and isinstance(value, list):
            waiting.extend((each, named, depth + 1) for each in value[:_LIMIT])
        elif depth < _MAX_DEPTH and isinstance(value, dict):
            waiting.extend((each, key.lower() in _FIELDS, depth + 1) for key, each in list(value.items())[:_LIMIT])
