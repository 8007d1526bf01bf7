"""`.env` is read as shells and other tools read it, and its text never shows up in an error."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from dotenv import dotenv_values
from hypothesis import given
from hypothesis import strategies as st

from hermes_files import FileError
from hermes_files.dotenv import load_dotenv, parse_dotenv, remove_variables, set_variable

FILE = Path(".env")


def read(text: str) -> dict[str, str]:
    return {each.name: each.value for each in parse_dotenv(FILE, text)}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("# only a comment", {}),
        ("A=1\nB=2\n", {"A": "1", "B": "2"}),
        ("export A=1", {"A": "1"}),
        ("  A = 1  ", {"A": "1"}),
        ("A=", {"A": ""}),
        ("A=''\nB=\"\"", {"A": "", "B": ""}),
        ("A=a b", {"A": "a b"}),
        ("A=a # note", {"A": "a"}),
        ("A=a#b", {"A": "a#b"}),
        ("A= # note", {"A": ""}),
        ("A='a # b' # note", {"A": "a # b"}),
        ("A='$HOME \\n'", {"A": "$HOME \\n"}),
        ('A="a\\nb\\"c\\\\"', {"A": 'a\nb"c\\'}),
        ('A="-----BEGIN\nKEY-----"\nB=2', {"A": "-----BEGIN\nKEY-----", "B": "2"}),
        ("A=x=y==", {"A": "x=y=="}),
        ("A=1\r\nB='2'\r\n", {"A": "1", "B": "2"}),
        ("A=1\nA=2", {"A": "2"}),
        ('A="x\r\ny"\r\n', {"A": "x\ny"}),
        ('A="x\\r\\ny"', {"A": "x\r\ny"}),
    ],
)
def test_a_line_is_read_as_shells_read_it(text: str, found: dict[str, str]) -> None:
    assert read(text) == found


SAME = [
    *(
        "",
        "# x",
        "A=1\nB=2\n",
        "export A=1",
        "  A = 1  ",
        "A=",
        "A=''\nB=\"\"",
        "A=a b",
        "A=a # x",
        "A=a#b",
        "A= # x",
        "A=#b",
    ),
    *(
        "A='a # b' # x",
        "A='$HOME \\n'",
        'A="a\\nb\\"c\\\\"',
        'A="one\ntwo"\nB=2',
        "A=x=y==",
        "A=1\r\nB='2'\r\n",
        "A=1\nA=2",
    ),
    *('A="x\\r\\ny"', "A='it\\'s'", 'A="\\t\\a\\v"', "A=${HOME}", "A=a\\nb", 'A="é"', "A='x'#c", "A=\ttab", 'A="b\'c"'),
    *(
        'A=b"c"',
        "A=`x`",
        "A=1;B=2",
        "A=\\",
        "A = # c",
        "export  A  =  1",
        "A=a\\ b",
        'A="a\\x41"',
        'A="\\$x"',
        "A='\\n\\\\'",
    ),
]


@pytest.mark.parametrize("text", SAME)
def test_python_dotenv_reads_the_same(text: str) -> None:
    assert read(text) == dotenv_values(stream=io.StringIO(text), interpolate=False)


@given(st.text(st.sampled_from("AB\"' \\n$#=x\t"), max_size=12))
def test_python_dotenv_reads_the_same_values(value: str) -> None:
    text = f"A={value}\n"
    try:
        found = read(text)
    except FileError:
        return
    assert found == dotenv_values(stream=io.StringIO(text), interpolate=False)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("A=1\nsecret-words", 2),
        ("A=1\n\n# x\nB", 4),
        ("export A", 1),
        ("1A=secret-words", 1),
        ("A-B=secret-words", 1),
        ("=secret-words", 1),
        ('A="two\nlines"\nB="secret-words', 3),
        ("A='secret-words", 1),
        ("A='x' secret-words", 1),
    ],
)
def test_a_line_that_assigns_nothing_is_refused_with_its_line_and_without_its_text(text: str, line: int) -> None:
    with pytest.raises(FileError) as caught:
        read(text)
    assert caught.value.line == line
    assert "secret-words" not in str(caught.value)


def test_no_file_means_no_variables(tmp_path: Path) -> None:
    assert load_dotenv(tmp_path / ".env") == {}


NAMES = st.from_regex(r"[A-Z_][A-Z0-9_]{0,8}", fullmatch=True)
VALUES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)


@given(NAMES, VALUES, st.dictionaries(NAMES, VALUES, max_size=3))
def test_every_value_comes_back_as_it_was_and_the_others_stay(name: str, value: str, others: dict[str, str]) -> None:
    text = "# kept\n"
    for each, other in others.items():
        text = set_variable(FILE, text, each, other)
    text = set_variable(FILE, text, name, value)
    assert read(text) == {**others, name: value}
    assert text.startswith("# kept\n")
    rest = {each: other for each, other in others.items() if each != name}
    assert read(remove_variables(FILE, text, [name])) == rest


def test_a_variable_is_changed_in_its_place_and_stands_once() -> None:
    text = "# a\nexport A=1 # one\nB=2\nA=3\n# end"
    assert set_variable(FILE, text, "A", "x y") == '# a\nB=2\nA="x y"\n# end'
    assert remove_variables(FILE, text, ["A"]) == "# a\nB=2\n# end"
    assert set_variable(FILE, "B=2", "A", "1") == "B=2\nA=1\n"
