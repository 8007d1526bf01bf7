"""`python -m docs.conventions` finds words, names and layouts to change, and honors exceptions."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs import conventions

FAMILY = {
    "plugin.py": "@hookimpl\ndef hermes_tools():\n    return []\n",
    "settings.py": "",
    "cli.py": "",
    "tools/__init__.py": "",
    "__init__.py": "",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FAMILY.items():
        write(tmp_path, name, text)
    (tmp_path / "packages/hermes-tools-dice/pyproject.toml").touch()
    listed_as_clean(tmp_path)
    return tmp_path


def write(root: Path, name: str, text: str) -> None:
    file = root / "packages/hermes-tools-dice/src/hermes_tools_dice" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def listed_as_clean(root: Path, *parts: str) -> None:
    (root / "pyproject.toml").write_text(f"[tool.hermes-tools]\nclean = {list(parts)}\n", encoding="utf-8")


def problems(root: Path) -> list[str]:
    return [f"{Path(each.location).name} {each.text}" for each in conventions.find_problems(root)]


def test_a_family_in_order_has_no_problem(root: Path) -> None:
    assert problems(root) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Nobody is asked.",
        "It does so all the same.",
        "Whoever calls it",
        "What becomes of a call",
        "Mends the file.",
        "The text of strangers",
        "whose word it is",
        "such that it ends",
        "A model is told so.",
        "It looks after processes.",
        "until it comes to rest",
        "no process to be had",
    ],
)
def test_a_word_is_found_in_code_and_in_pages(sentence: str, root: Path) -> None:
    write(root, "dice.py", f'"""{sentence}"""\n')
    page = root / "docs/how-to/dice.md"
    page.parent.mkdir(parents=True)
    page.write_text(f"# Dice\n\n{sentence}\n")
    (root / "docs/reference").mkdir()
    (root / "docs/reference/commands.md").write_text(sentence)  # it is generated
    assert [each.split()[0] for each in problems(root)] == ["dice.py:1", "dice.md:3"]


def test_a_word_within_another_is_none(root: Path) -> None:
    write(root, "dice.py", '"""Amend what is recommended: bathrooms."""\n')
    assert problems(root) == []


def test_ordinary_english_is_none(root: Path) -> None:
    write(root, "dice.py", '"""Leave room for errors that were kept in place, when it comes to it."""\n')
    assert problems(root) == []


def test_a_marker_excuses_its_line_and_the_string_that_ends_there(root: Path) -> None:
    marker = "# conventions: allow - it is a quotation"
    write(root, "dice.py", f'A = """Nobody.\n\nNobody."""  {marker}\nB = "Nobody."\nC = "Nobody."  {marker}\n')
    assert [each.split()[0] for each in problems(root)] == ["dice.py:4"]
    page = root / "packages/hermes-tools-dice/README.md"
    page.write_text("<!-- conventions: allow -->\nNobody.\nNobody. <!-- conventions: allow -->\n\nNobody.\n")
    assert [each.split()[0] for each in problems(root)] == ["dice.py:4", "README.md:5"]


@pytest.mark.parametrize(
    "name",
    ["desk.py", "late_tools.py", "walls/__init__.py", "keeping.py", "hiding.py", "kept.py", "book.py", "lanes.py"],
)
def test_a_module_is_a_noun_of_the_field(name: str, root: Path) -> None:
    write(root, name, "")
    assert problems(root) != []
    write(root, name, '"""Dice."""  # conventions: allow - the protocol calls it that\n')
    assert problems(root) == []


@pytest.mark.parametrize("name", ["tests/test_rooms.py", "bench/places.py", "docs/pages/telling.py", "tests/kept.py"])
def test_the_names_of_files_around_the_packages_are_checked(name: str, root: Path) -> None:
    for folder in (root, root / "packages/hermes-tools-dice"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    assert len(problems(root)) == (2 if name.startswith("tests") else 1)


def test_the_words_around_the_packages_are_checked(root: Path) -> None:
    for name in ("README.md", "bench/dice.py", "docs/pages/dice.py", "examples/dice/src/dice.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("# Nobody\n", encoding="utf-8")
    assert sorted(each.part for each in conventions.find_problems(root)) == ["bench", "docs", "docs", "examples"]


@pytest.mark.parametrize(
    "code",
    [
        "class Mistake: ...",
        "class LateTool: ...",
        "class SeveralPlaces: ...",
        "def find_troubles(): ...",
        "def roll(room): ...",
        "def _told(): ...",
        "async def dice_wanted(): ...",
        "MAX_ROOM = 3",
        "_MOST_DICE: Final = 3",
        "telling: int = 3",
        "class Dice:\n    def roll(self):\n        self.lane_mistake = 3",
    ],
)
def test_words_that_no_name_may_have(code: str, root: Path) -> None:
    write(root, "dice.py", code)
    assert len(problems(root)) == 1
    lines = [f"{line}  # conventions: allow - it is tested" for line in code.splitlines()]
    write(root, "dice.py", "\n".join(lines))
    assert problems(root) == []


@pytest.mark.parametrize(
    "code",
    [
        "def is_wanted(): ...",
        "def has_told(): ...",
        "def _make_room(): ...",
        "def edit_in_place(): ...",
        "kept = place = told = most_dice = MAX_DICE = 3",
        "class Notebook: ...",
        "class Broom: ...",
        "print(other.room)",
    ],
)
def test_names_that_are_fine(code: str, root: Path) -> None:
    write(root, "dice.py", code)
    assert problems(root) == []


def test_a_name_is_reported_once_where_it_is_first_written(root: Path) -> None:
    write(root, "dice.py", "def roll(room):\n    room = 3\n    return room\n")
    assert problems(root) == ["dice.py:1 the name 'room': write a limit, a budget instead of 'room'"]


@pytest.mark.parametrize(
    "name", ["logging.py", "text_encodings.py", "settings.py", "deskew.py", "ring.py", "edits_in_place.py"]
)
def test_words_of_the_field_may_end_in_ing(name: str, root: Path) -> None:
    write(root, name, "")
    assert problems(root) == []


def test_a_facade_writes_each_name_once(root: Path) -> None:
    write(root, "__init__.py", "from dice import A as A\nfrom dice import B as B\n")
    assert problems(root) == []
    write(root, "__init__.py", 'from dice import A\n__all__ = ["A"]\n')
    assert problems(root) == ["__init__.py 1 names are written more than once, such as A"]


PRIVATE = """
from hermes_core.calls import _Call
from other import _fine


class Cup:
    __slots__ = ("_dice",)

    def shake(self, other: "Cup", call: object, record: tuple) -> object:
        self._seen = other._dice
        return other._seen, record._replace(a=1), _fine, call._args
"""


def test_private_names_of_other_modules_are_found(root: Path) -> None:
    write(root, "dice.py", PRIVATE)
    found = ["dice.py:2 _Call is private to another module", "dice.py:11 _args is private to another module"]
    assert problems(root) == found
    write(root, "dice.py", PRIVATE.replace("call._args", "call._args  # conventions: allow - it is tested"))
    assert problems(root) == found[:1]


@pytest.mark.parametrize("missing", ["plugin.py", "settings.py", "cli.py", "tools/__init__.py"])
def test_every_family_has_the_same_layout(missing: str, root: Path) -> None:
    file = root / "packages/hermes-tools-dice/src/hermes_tools_dice" / missing
    file.unlink()
    if missing.startswith("tools"):
        file.parent.rmdir()
    assert len(problems(root)) == 1


def test_all_commands_of_a_family_are_in_one_place(root: Path) -> None:
    write(root, "undo_cli.py", "")
    assert problems(root) == ["hermes_tools_dice undo_cli.py belongs into the directory cli"]


def test_hooks_are_implemented_in_the_plugin_module_alone(root: Path) -> None:
    write(root, "tools/dice.py", "@hookimpl(trylast=True)\ndef hermes_assess_call():\n    pass\n")
    assert problems(root) == ["hermes_tools_dice tools/dice.py implements hooks, which belong into plugin.py"]


def test_a_family_with_providers_has_a_directory_for_them(root: Path) -> None:
    write(root, "plugin.py", "@hookimpl\ndef hermes_providers():\n    return {}\n")
    assert problems(root) == ["hermes_tools_dice a family that registers providers has the directory providers"]
    write(root, "providers/__init__.py", "")
    assert problems(root) == []


def test_only_problems_of_clean_parts_fail(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(root, "dice.py", '"""Nobody."""\n')
    assert conventions.main(root) == 0
    assert "dice.py:1: 'Nobody': write" in capsys.readouterr().out
    listed_as_clean(root, "hermes-tools-dice")
    assert conventions.main(root) == 1
    assert "is listed as clean" in capsys.readouterr().out


def test_the_parts_listed_as_clean_are_clean() -> None:
    assert conventions.main() == 0


def test_the_families_of_this_repository_have_the_layout() -> None:
    layout = ("a family ", "implements hooks")
    problems = conventions.find_problems(conventions.ROOT)
    assert [each for each in problems if any(words in each.text for words in layout)] == []
