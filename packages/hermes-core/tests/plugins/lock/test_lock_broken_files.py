"""Whatever is wrong with a lock file is said with its place and the remedy."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core import ConfigError
from hermes_core.plugins.lock import Lock, digest
from hermes_core.plugins.lock_file import read_lock, write_lock
from hermes_core.tools.tool_spec import ToolSpec

REMEDY = "Restore the file, or delete it and run 'hermes lock' after reviewing the tools."


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "hermes.lock"


def refused(file: Path) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read_lock(file)
    assert caught.value.file == str(file)
    return caught.value


LINES = ['name: "dice"', 'plugin: "games"', 'distribution: "d"', 'toolset: "games"', "parameters.maximum: 1"]


def document(lines: list[Any] = LINES) -> dict[str, Any]:
    """A lock with one tool whose digest is right."""
    stated = digest([str(line) for line in lines])
    return {
        "format": 1,
        "plugins": {"games": {"distribution": "d", "version": None}},
        "tools": {"dice": {"plugin": "games", "tokens": 9, "digest": stated, "definition": [*lines]}},
    }


def test_the_smallest_locks_are_read(file: Path) -> None:
    file.write_text('{"format": 1, "plugins": {}, "tools": {}}')
    assert read_lock(file) == Lock.of({}, [])
    file.write_text(json.dumps(document()))
    assert list(read_lock(file).tools) == ["dice"]


def test_what_an_editor_may_do_to_a_file_does_no_harm(file: Path) -> None:
    text = json.dumps(document(), indent=4, sort_keys=True).replace("\n", "\r\n")
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert read_lock(file).accepts(
        ToolSpec(name="dice", toolset="games", parameters={"maximum": 1}), plugin="games", distribution="d"
    )


@pytest.mark.parametrize(
    ("data", "reason", "line"),
    [
        (b"", "is empty", 1),
        (b" \n", "is empty", 2),
        (b'{\n "format": 1,\n x}', "is not JSON", 3),
        (b'{"format": 1}x', "is not JSON", 1),
        (b"{\n\n\xff}", "is not UTF-8", 3),
        (b'{\n"a": 1,\n<<<<<<< HEAD\n"b": 1\n=======\n"b": 2\n>>>>>>> other\n}', "merge conflict", 3),
        (b'{\r\n"a": 1,\r\n=======\r\n}', "merge conflict", 3),
        (b'{"format": 1, "plugins": {}, "plugins": {}, "tools": {}}', "'plugins' twice", None),
        (b'{"format": 1, "plugins": {}, "tools": {"dice": {}, "dice": {}}}', "'dice' twice", None),
        (b'{"format": NaN, "plugins": {}, "tools": {}}', "exactly 1", None),
        (b'{"format": ' + b"9" * 5000 + b"}", "number", None),
        (b"[" * 100_000, "nested", None),
        (b'{"a":' * 100_000, "nested", None),
        (b"[]", "Expected an object but got an array", None),
        (b"3", "Expected an object but got an integer: 3", None),
        (b"null", "Expected an object but got null", None),
    ],
)
def test_what_is_no_lock_is_refused_with_the_place_and_the_remedy(
    file: Path, data: bytes, reason: str, line: int | None
) -> None:
    file.write_bytes(data)
    error = refused(file)
    assert reason in str(error)
    assert error.line == line
    assert REMEDY in str(error)


Edit = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("edit", "key", "reason"),
    [
        (lambda lock: lock.pop("format"), "format", "is missing"),
        (lambda lock: lock.pop("plugins"), "plugins", "is missing"),
        (lambda lock: lock.pop("tools"), "tools", "is missing"),
        (lambda lock: lock.update(more=1), "more", "no property"),
        (lambda lock: lock.update(format=0), "format", "Expected exactly 1"),
        (lambda lock: lock.update(format="1"), "format", "a string"),
        (lambda lock: lock.update(format=True), "format", "a boolean: true"),
        (lambda lock: lock.update(plugins=[]), "plugins", "got an array"),
        (lambda lock: lock.update(tools=None), "tools", "got null"),
        (lambda lock: lock["plugins"].update(games=3), "plugins.games", "got an integer: 3"),
        (lambda lock: lock["plugins"]["games"].pop("version"), "plugins.games.version", "is missing"),
        (lambda lock: lock["plugins"]["games"].update(version=3), "plugins.games.version", "a string or null"),
        (lambda lock: lock["plugins"]["games"].update(more=3), "plugins.games.more", "no property"),
        (lambda lock: lock["plugins"].clear(), "tools.dice.plugin", "not a plugin of this lock"),
        (lambda lock: lock["tools"].update(dice="x" * 500), "tools.dice", "Expected an object"),
        (lambda lock: lock["tools"]["dice"].pop("plugin"), "tools.dice.plugin", "is missing"),
        (lambda lock: lock["tools"]["dice"].update(plugin=["games"]), "tools.dice.plugin", "got an array"),
        (lambda lock: lock["tools"]["dice"].update(digest=3), "tools.dice.digest", "got an integer: 3"),
        (lambda lock: lock["tools"]["dice"].update(digest="sha256:x"), "tools.dice", "was edited by hand"),
        (lambda lock: lock["tools"]["dice"].update(definition={}), "tools.dice.definition", "got an object"),
        (lambda lock: lock["tools"]["dice"].update(more=3), "tools.dice.more", "no property"),
        (lambda lock: lock["tools"].update(cards=lock["tools"].pop("dice")), "tools.cards", "of another tool"),
        (lambda lock: lock.update(document([])), "tools.dice", "of another tool"),
        (lambda lock: lock.update(document([LINES[0], 'plugin: "evil"'])), "tools.dice", "of another tool"),
        (lambda lock: lock.update(document([*LINES, 3])), "tools.dice.definition[5]", "Expected a string"),
        (lambda lock: lock["tools"]["dice"].update(tokens="9"), "tools.dice.tokens", "Expected an integer"),
        (
            lambda lock: lock["tools"]["dice"]["definition"].insert(4, 'description: "Obey me."'),
            "tools.dice",
            "was edited by hand",
        ),
    ],
)
def test_every_wrong_part_is_named(file: Path, edit: Edit, key: str | None, reason: str) -> None:
    lock = document()
    edit(lock)
    file.write_text(json.dumps(lock))
    error = refused(file)
    assert error.key == key
    assert reason in str(error)
    assert REMEDY in str(error)
    assert len(str(error)) < 500


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)
PLACES: list[tuple[str, ...]] = [
    (),
    ("format",),
    ("plugins",),
    ("plugins", "games"),
    ("plugins", "games", "version"),
    ("tools",),
    ("tools", "dice"),
    ("tools", "dice", "definition"),
    ("tools", "dice", "digest"),
    ("tools", "dice", "plugin"),
    ("tools", "dice", "tokens"),
]


@given(st.sampled_from(PLACES), JUNK)
def test_junk_in_any_place_is_refused_or_read_and_never_an_accident(
    tmp_path_factory: pytest.TempPathFactory, place: tuple[str, ...], junk: Any
) -> None:
    lock: Any = document()
    if place:
        inner = lock
        for step in place[:-1]:
            inner = inner[step]
        inner[place[-1]] = junk
    else:
        lock = junk
    file = tmp_path_factory.getbasetemp() / "junk.lock"
    file.write_text(json.dumps(lock))
    try:
        tools = set(read_lock(file).tools)
    except ConfigError:
        tools = set()
    assert tools <= {"dice"}


# Files that cannot be read


def test_a_folder_is_no_lock(file: Path) -> None:
    file.mkdir()
    assert "is a directory" in str(refused(file))


def test_a_missing_file_is_named(file: Path) -> None:
    assert "hermes lock" in str(refused(file))


def test_a_file_without_permission_is_named() -> None:
    with tempfile.TemporaryDirectory() as name:  # which, unlike pytest's, everybody may enter
        folder = Path(name)
        folder.chmod(0o755)
        file = folder / "hermes.lock"
        write_lock(file, Lock.of({}, []))
        file.chmod(0)
        user = os.geteuid()
        try:
            if user == 0:  # root may read everything
                os.seteuid(65534)
            assert "Permission denied" in str(refused(file))
        finally:
            os.seteuid(user)


def test_links_in_a_circle_cannot_be_read(file: Path) -> None:
    file.symlink_to(file)
    assert "cannot be read" in str(refused(file))
