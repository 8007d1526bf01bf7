"""Parsing SQL: comments and strings of each database, and the maximum length of a text."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_guard.guard import Guard
from hermes_guard.rules.sql.statement_parser import BACKSLASHES, LONGEST, STANDARD, Dialect, statements

GUARD = Guard()
DIALECTS = (STANDARD, BACKSLASHES)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(text=st.text(alphabet="dropDELETE '\"`$;-/*#\\!.(\n=1x\ue000", max_size=200))
def test_any_text_is_read(dialect: Dialect, text: str) -> None:
    assert all(words for words in statements(text, dialect))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_reading_is_linear(dialect: Dialect) -> None:
    for piece in ("'", '"', "$a$ ", "/*", "--", "[", "\\", "drop ", "(", "\n.", "`", "'\\", '"\\', "''\\"):
        started = time.process_time()
        list(statements(piece * 20_000, dialect))
        assert time.process_time() - started < 1, piece


@pytest.mark.parametrize(
    "command",
    [
        # `#` is an operator, and a backslash is a character like any other.
        "psql -c 'select 1 # 1; drop table t'",
        "psql -c \"select '\\\\'; drop table t; --'\"",
        'psql -c "select 1 as \\"\\\\\\"; drop table t; --\\""',
        "sqlite3 a.db \"select '\\\\'; drop table t; --'\"",
        # Two dashes are a comment only before a blank.
        "mysql -e 'select 1--1; drop table t'",
        "mysql -e 'select 1\\G drop table t'",
        # Nobody knows the dialect, so both count.
        "bq query \"select '\\\\'; drop table t; --'\"",
        "clickhouse-client -q 'select 1 # 1; drop table t'",
        # Commands of the client follow each other.
        "psql <<'E'\n\\dt \\! id\nE",
        "psql <<'E'\n\\x \\timing \\! id\nE",
        "psql <<'E'\n\\x \\\\ drop table t;\nE",
    ],
)
def test_a_statement_does_not_hide_behind_another_dialect(command: str) -> None:
    assert not GUARD.judge(command, home="/home/u").allowed


@pytest.mark.parametrize(
    "command",
    [
        "mysql -e \"select 'it\\\\'s; drop table t'\"",
        "mysql -e 'select 1 # drop table t'",
        "psql -c \"select E'it\\\\'s; drop table t'\"",
        "psql -c 'select 1 --drop table t'",
        "psql -c \"\\copy t from 'x' delimiter E'\\t'\"",
    ],
)
def test_a_string_or_comment_of_the_dialect_is_none_of_ours(command: str) -> None:
    assert GUARD.judge(command, home="/home/u").allowed


def test_a_text_is_read_to_its_end() -> None:
    padding = "insert into t values (1, 'abc');\n" * 900
    assert "sql.drop" in GUARD.judge(f"psql <<'E'\n{padding}drop table t;\nE", home="/home/u").rules


@pytest.mark.parametrize("client", ["psql", "redis-cli"])
def test_a_text_that_is_too_long_is_asked_about(client: str) -> None:
    grown = "a=12345678;" + "a=$a$a$a$a$a$a$a$a;" * 3
    assert "sql.too-long" in GUARD.judge(f'{grown} {client} <<< "{"$a" * 9}"', home="/home/u").rules
    assert GUARD.judge(f'{grown} {client} <<< "{"$a" * 7}"', home="/home/u").allowed
    assert 4096 * 7 < LONGEST < 4096 * 9
