"""The scan finds what importlib.metadata finds, and nothing that is damaged makes it raise."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import tempfile
import textwrap
import time
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_files.installed_packages import (
    LARGEST_FILE,
    InstalledEntryPoint,
    installed_entry_points,
    normalize,
    parse_entry_points,
)

GROUP = "hermes.plugins"
DICE = "[hermes.plugins]\ndice = dice_plugin\n"
METADATA = "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nA readme.\nName: not this\n"

Facts = tuple[str, str, str, str | None, str | None]


def install(folder: Path, info: str, points: str | bytes | None = DICE, *, metadata: str | None = METADATA) -> Path:
    """Write an info folder such as `name-1.0.dist-info`, as an installer does."""
    name, _, version = info.rpartition(".")[0].partition("-")
    place = folder / info
    place.mkdir(parents=True)
    if metadata is not None:
        file = place / ("METADATA" if info.endswith(".dist-info") else "PKG-INFO")
        file.write_text(metadata.format(name=name, version=version or "0"))
    if points is not None:
        (place / "entry_points.txt").write_bytes(points.encode() if isinstance(points, str) else points)
    (place / "RECORD").touch()
    return place


def scan(*path: Path | str, groups: Sequence[str] = (GROUP,)) -> list[Facts]:
    found = installed_entry_points(groups, path=[str(entry) for entry in path])
    assert [entry.problem for entry in found if entry.problem] == []
    return [(entry.group, entry.name, entry.value, entry.distribution, entry.version) for entry in found]


def oracle(*path: Path | str, groups: Sequence[str] = (GROUP,)) -> list[Facts]:
    """What importlib.metadata.entry_points() answers, for a path of our choice."""
    first: dict[str, Distribution] = {}
    for found in distributions(path=[str(entry) for entry in path]):
        first.setdefault(found.metadata["Name"].lower().replace("-", "_").replace(".", "_"), found)
    return [
        (entry.group, entry.name, entry.value, normalize(found.metadata["Name"]), found.version)
        for found in first.values()
        for entry in found.entry_points
        if entry.group in groups
    ]


def the_problem(folder: Path) -> InstalledEntryPoint:
    (entry,) = installed_entry_points([GROUP], path=[str(folder)])
    assert entry.problem is not None
    assert "entry_points.txt" in entry.problem
    assert entry.problem.endswith(".")
    assert (entry.group, entry.name, entry.value) == (GROUP, entry.distribution, "")
    return entry


# What is found


def test_an_entry_point_tells_who_ships_it(tmp_path: Path) -> None:
    install(tmp_path, "Dice_games-1.5.dist-info")
    (entry,) = installed_entry_points([GROUP], path=[str(tmp_path)])
    assert entry == InstalledEntryPoint(GROUP, "dice", "dice_plugin", "dice-games", "1.5", None)


def test_the_environment_of_this_test_reads_as_importlib_metadata_reads_it() -> None:
    groups = ["console_scripts", "pytest11", "hermes.plugins"]
    found = scan(*sys.path, groups=groups)
    assert found == oracle(*sys.path, groups=groups)
    assert len(found) > 5


def test_many_distributions_come_in_the_order_of_importlib_metadata(tmp_path: Path) -> None:
    for number in range(40):
        kind = "egg-info" if number % 3 == 0 else "dist-info"
        install(tmp_path, f"plugin{number}-1.{number}.{kind}", f"[{GROUP}]\np{number} = m{number}\n")
    found = scan(tmp_path)
    assert found == oracle(tmp_path)
    assert len(found) == 40


def test_only_the_groups_asked_for_are_found(tmp_path: Path) -> None:
    install(tmp_path, "a-1.dist-info", "[x]\n1 = a\n[y]\n2 = b\n[z]\n3 = c\n[x]\n4 = d\n")
    assert [name for _, name, *_ in scan(tmp_path, groups=["x", "z"])] == ["1", "3", "4"]
    assert scan(tmp_path, groups=[]) == []


def test_the_first_of_two_versions_on_the_path_hides_the_second(tmp_path: Path) -> None:
    install(tmp_path / "front", "Dice_Games-1.0.dist-info", "[hermes.plugins]\nold = a\n")
    install(tmp_path / "back", "dice.games-2.0.dist-info", "[hermes.plugins]\nnew = b\n")
    for path in ([tmp_path / "front", tmp_path / "back"], [tmp_path / "back", tmp_path / "front"]):
        assert scan(*path) == oracle(*path)
        assert len(scan(*path)) == 1


def test_a_distribution_without_entry_points_hides_a_later_one_that_has_some(tmp_path: Path) -> None:
    install(tmp_path / "front", "dice-2.0.dist-info", None)
    install(tmp_path / "back", "dice-1.0.dist-info")
    assert scan(tmp_path / "front", tmp_path / "back") == oracle(tmp_path / "front", tmp_path / "back") == []


def test_an_egg_info_file_has_no_entry_points_but_hides_as_well(tmp_path: Path) -> None:
    (tmp_path / "front").mkdir()
    (tmp_path / "front" / "dice-1.0.egg-info").write_text(METADATA.format(name="dice", version="1.0"))
    install(tmp_path / "back", "dice-2.0.dist-info")
    assert scan(tmp_path / "front", tmp_path / "back") == oracle(tmp_path / "front", tmp_path / "back") == []


def test_the_current_folder_is_an_entry_of_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "here", "dice-1.0.dist-info")
    monkeypatch.chdir(tmp_path / "here")
    for entry in ("", "."):
        assert scan(entry) == oracle(str(tmp_path / "here"))
    monkeypatch.chdir(tmp_path)
    assert len(scan("here")) == 1


def test_a_current_folder_that_was_removed_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert scan("", "relative") == []


def test_the_path_of_this_process_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "dice_of_this_test-1.0.dist-info")
    odd: list[Any] = [str(tmp_path), None, 3, b"bytes"]
    monkeypatch.setattr(sys, "path", [*odd, *sys.path])
    assert "dice-of-this-test" in {entry.distribution for entry in installed_entry_points([GROUP])}


def test_an_entry_point_is_a_value() -> None:
    one = InstalledEntryPoint(GROUP, "a", "b", "c", "1", None)
    assert one == copy.copy(one) == pickle.loads(pickle.dumps(one))
    assert len({one, copy.deepcopy(one)}) == 1
    assert one != InstalledEntryPoint(GROUP, "a", "b")
    with pytest.raises(AttributeError):
        one.name = "z"  # type: ignore[misc]


# What needs the standard library


def zip_up(folder: Path, file: Path) -> Path:
    with zipfile.ZipFile(file, "w") as archive:
        for child in sorted(folder.rglob("*")):
            archive.write(child, child.relative_to(folder))
    return file


def test_a_zip_file_on_the_path_is_read(tmp_path: Path) -> None:
    install(tmp_path / "folder", "dice-1.0.dist-info")
    file = zip_up(tmp_path / "folder", tmp_path / "plugins.zip")
    assert scan(file) == oracle(file) == [(GROUP, "dice", "dice_plugin", "dice", "1.0")]


def test_a_zip_file_and_a_folder_hide_each_other(tmp_path: Path) -> None:
    install(tmp_path / "folder", "dice-1.0.dist-info")
    file = zip_up(tmp_path / "folder", tmp_path / "plugins.zip")
    install(tmp_path / "newer", "dice-2.0.dist-info")
    for path in ([file, tmp_path / "newer"], [tmp_path / "newer", file]):
        assert scan(*path) == oracle(*path)
        assert len(scan(*path)) == 1


def test_an_egg_on_the_path_is_read_as_a_folder_and_as_a_file(tmp_path: Path) -> None:
    egg = tmp_path / "dice-1.0-py3.11.egg"
    (egg / "EGG-INFO").mkdir(parents=True)
    (egg / "EGG-INFO" / "PKG-INFO").write_text(METADATA.format(name="dice", version="1.0"))
    (egg / "EGG-INFO" / "entry_points.txt").write_text(DICE)
    (tmp_path / "zipped").mkdir()
    zipped = zip_up(egg, tmp_path / "zipped" / egg.name)
    expected = [(GROUP, "dice", "dice_plugin", "dice", "1.0")]
    assert scan(egg) == oracle(egg) == expected
    assert scan(zipped) == oracle(zipped) == expected
    (egg / "EGG-INFO" / "PKG-INFO").unlink()
    assert scan(egg) == expected


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and no more", b"a text"])
def test_a_file_on_the_path_that_is_no_zip_file_is_skipped(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    assert scan(tmp_path / "a.zip", tmp_path / "a.zip" / "inside") == []


def test_undecodable_entry_points_in_a_zip_file_are_reported(tmp_path: Path) -> None:
    install(tmp_path / "folder", "dice-1.0.dist-info", b"[hermes.plugins]\nx = \xff\n")
    entry = the_problem(zip_up(tmp_path / "folder", tmp_path / "plugins.zip"))
    assert (entry.name, entry.version) == ("dice", "1.0")


def test_a_damaged_member_of_a_zip_file_hides_only_itself(tmp_path: Path) -> None:
    install(tmp_path / "folder", "bad-1.0.dist-info", "[hermes.plugins]\nbad = marker_of_the_bad_one\n")
    install(tmp_path / "folder", "dice-1.0.dist-info")
    file = zip_up(tmp_path / "folder", tmp_path / "plugins.zip")
    file.write_bytes(file.read_bytes().replace(b"marker_of_the_bad_one", b"marker_of_the_BAD_one"))
    assert [name for _, name, *_ in scan(file)] == ["dice"]


class Shipped(Distribution):
    """A distribution that is in no folder."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def read_text(self, filename: str) -> str | None:
        return self.texts.get(filename)

    def locate_file(self, path: Any) -> Any:
        raise NotImplementedError


class Finder:
    """A finder such as a frozen application installs."""

    def __init__(self, *found: Distribution, error: Exception | None = None) -> None:
        self.found = found
        self.error = error

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        return None

    def find_distributions(self, context: object = None) -> Iterable[Distribution]:
        yield from self.found
        if self.error:
            raise self.error


def test_the_distributions_of_another_finder_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site", "dice-1.0.dist-info")
    shipped = Shipped({"METADATA": METADATA.format(name="cards", version="3"), "entry_points.txt": DICE})
    monkeypatch.setattr(sys, "meta_path", [Finder(shipped), *sys.meta_path])
    found = installed_entry_points([GROUP], path=[str(tmp_path / "site")])
    assert [(each.distribution, each.version) for each in found] == [("cards", "3"), ("dice", "1.0")]


def test_a_finder_that_raises_hides_only_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "dice-1.0.dist-info")
    monkeypatch.setattr(sys, "meta_path", [Finder(error=RuntimeError("no")), *sys.meta_path])
    assert [name for _, name, *_ in scan(tmp_path)] == ["dice"]


def test_a_distribution_without_any_metadata_is_still_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = Shipped({"entry_points.txt": "[hermes.plugins]\nnonsense\n"})
    monkeypatch.setattr(sys, "meta_path", [Finder(shipped), *sys.meta_path])
    (entry,) = installed_entry_points([GROUP], path=[])
    assert (entry.name, entry.distribution, entry.version) == ("?", "?", None)


def test_the_fast_path_imports_nothing_heavy(tmp_path: Path) -> None:
    install(tmp_path / "site", "dice-1.0.dist-info")
    program = f"""
        import sys
        class Editable:  # as setuptools installs for an editable project
            find_spec = staticmethod(lambda *arguments: None)
        sys.meta_path.append(Editable)
        before = set(sys.modules)
        from hermes_files.installed_packages import installed_entry_points
        found = installed_entry_points(["hermes.plugins"], path=[{str(tmp_path / "site")!r}])
        assert len(found) == 1
        print(*sorted(set(sys.modules) - before))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    assert not {"importlib.metadata", "email", "zipfile", "csv", "pathlib"} & set(done.stdout.split())


# What the texts may look like

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="=[]#;"), min_size=1)
NAMES = WORDS.filter(lambda word: bool(word.strip())) | st.sampled_from(["a", "a.b", "a b", "a-b", "ä"])
VALUES = st.sampled_from(["m", "m:f", "m.n:f.g", "m:f [extra]", "m:f [one, two]", "m:f[x]", "a.b : c"])
SPACE = st.sampled_from(["", " ", "\t", "  "])
SECTIONS = st.builds("[{}]".format, st.sampled_from([GROUP, "console_scripts", "other.group", f" {GROUP} ", ""]))
ENTRIES = st.builds("{}{}{}={}{}".format, SPACE, NAMES, SPACE, SPACE, VALUES)
COMMENTS = st.builds("{}#{}".format, SPACE, st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"])))
LINES = st.lists(st.one_of(SECTIONS, ENTRIES, ENTRIES, COMMENTS, SPACE))
TEXTS = st.builds(lambda lines, end: end.join(lines), LINES, st.sampled_from(["\n", "\r\n", "\r", "\n\n", "\x0c"]))


@settings(deadline=None)  # a busy machine is no failure
@given(TEXTS, st.sampled_from(["", "\n", "\ufeff"]))
def test_a_text_means_what_it_means_to_importlib_metadata(text: str, start: str) -> None:
    text = start + text
    expected = [(entry.group, entry.name, entry.value) for entry in Shipped({"entry_points.txt": text}).entry_points]
    assert parse_entry_points(text, [GROUP, ""]) == [entry for entry in expected if entry[0] in (GROUP, "")]


@settings(deadline=None)
@given(st.text() | st.builds("{}\n{}".format, SECTIONS, st.text()))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_entry_points(text, [GROUP])
    except ValueError:
        found = []
    assert all(group == GROUP for group, _, _ in found)


@pytest.mark.parametrize(
    "text",
    [
        "[hermes.plugins]\r\ndice = a\r\ncards = b\r\n",
        "[hermes.plugins]\ndice = a",
        "[hermes.plugins]\ndice = a\n[other]\nx = y\n[hermes.plugins]\ncards = b\n",
        "[hermes.plugins]\ndice = a\ndice = b\n",
        "\ufeff[hermes.plugins]\ndice = a\n[hermes.plugins]\ncards = b\n",
        "[hermes.plugins]\nd\0ice = a\0b\n\0 = \0\n",
        "dice = before any section\n[hermes.plugins]\n",
        "[hermes.plugins]\n= nameless\nvalueless =\na = b = c\n",
        "[hermes.plugins]\nmy.dotted name=package.module:some.object [extra, other]\n   indented   =   x   \n",
        "[[hermes.plugins]]\ndice = a\n[ hermes.plugins ]\ncards = b\n",
        "# hermes.plugins is only mentioned\n",
        "[hermes.plugins]\n" + "".join(f"plugin{number} = module{number}:plugin\n" for number in range(20_000)),
    ],
    ids=lambda text: repr(text[:30]),
)
def test_hostile_texts_read_as_importlib_metadata_reads_them(text: str, tmp_path: Path) -> None:
    install(tmp_path, "dice-1.0.dist-info", text)
    found = scan(tmp_path)
    try:
        expected = oracle(tmp_path)
    except ValueError:  # from Python 3.14 on, one invalid value spoils the file
        expected = found
    assert found == expected


def test_a_line_that_begins_with_a_semicolon_is_a_comment(tmp_path: Path) -> None:
    install(tmp_path, "dice-1.0.dist-info", "; x\n[hermes.plugins]\n; a = b\n  ;c\ndice = d\n")
    assert [(name, value) for _, name, value, *_ in scan(tmp_path)] == [("dice", "d")]


# What is damaged


def test_undecodable_entry_points_are_reported(tmp_path: Path) -> None:
    install(tmp_path, "dice-1.0.dist-info", b"[hermes.plugins]\nx = \xff\xfe\n")
    install(tmp_path, "stranger-1.0.dist-info", b"[console_scripts]\nx = \xff\xfe\n")
    entry = the_problem(tmp_path)
    assert (entry.name, entry.version) == ("dice", "1.0")


def test_a_problem_belongs_to_the_first_group_that_the_file_mentions(tmp_path: Path) -> None:
    install(tmp_path, "dice-1.0.dist-info", b"[hermes.plugins]\nx = \xff\xfe\n")
    (entry,) = installed_entry_points(["console_scripts", GROUP, "hermes"], path=[str(tmp_path)])
    assert entry.group == GROUP


def test_a_line_that_is_no_entry_is_reported_with_its_number(tmp_path: Path) -> None:
    install(tmp_path, "dice-1.0.dist-info", "\n[hermes.plugins]\ngood = x\nnonsense without a value\n")
    assert "line 4" in (the_problem(tmp_path).problem or "")


def test_a_line_that_is_no_entry_of_another_group_is_nobodys_business(tmp_path: Path) -> None:
    install(tmp_path, "dice-1.0.dist-info", DICE + "[other]\nnonsense without a value\n")
    assert [name for _, name, *_ in scan(tmp_path)] == ["dice"]


def test_a_file_that_is_far_too_large_is_reported(tmp_path: Path) -> None:
    place = install(tmp_path, "dice-1.0.dist-info")
    with (place / "entry_points.txt").open("ab") as stream:
        stream.truncate(LARGEST_FILE + 1)  # sparse: takes no room on the disk
    assert "too large" in (the_problem(tmp_path).problem or "")


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ("Dice_Games-1.0.dist-info", ("dice-games", "1.0")),
        ("dice.egg-info", ("dice", None)),
        ("dice-1.0-py3.11.egg-info", ("dice", "1.0")),
        ("-1.0.dist-info", ("?", "1.0")),
    ],
)
@pytest.mark.parametrize("metadata", [None, "", "Name: other\nVersion: 2\n"])
def test_name_and_version_are_those_of_the_directory_whatever_the_metadata_claims(
    info: str, metadata: str | None, expected: tuple[str, str | None], tmp_path: Path
) -> None:
    install(tmp_path, info, metadata=metadata)
    assert [facts[3:] for facts in scan(tmp_path)] == [expected]


def test_undecodable_metadata_still_names_the_distribution(tmp_path: Path) -> None:
    place = install(tmp_path, "dice-1.0.dist-info")
    (place / "METADATA").write_bytes(b"Author: \xff\nName: dice\nVersion: 1.0\n")
    assert [facts[3:] for facts in scan(tmp_path)] == [("dice", "1.0")]


def test_an_info_folder_may_hold_anything_under_the_names_of_its_files(tmp_path: Path) -> None:
    install(tmp_path, "good-1.0.dist-info")
    (install(tmp_path, "folder-1.0.dist-info", None) / "entry_points.txt").mkdir()
    (install(tmp_path, "metadata-1.0.dist-info", metadata=None) / "METADATA").mkdir()
    os.mkfifo(install(tmp_path, "fifo-1.0.dist-info", None) / "entry_points.txt")
    (install(tmp_path, "dangling-1.0.dist-info", None) / "entry_points.txt").symlink_to("nowhere")
    (install(tmp_path, "endless-1.0.dist-info", None) / "entry_points.txt").symlink_to("/dev/zero")
    (tmp_path / "loop-1.0.dist-info").symlink_to("loop-1.0.dist-info")
    (tmp_path / ".dist-info").touch()
    assert {facts[3] for facts in scan(tmp_path)} == {"good", "metadata"}


def test_names_that_are_no_folders_are_skipped(tmp_path: Path) -> None:
    install(tmp_path / "site", "dice-1.0.dist-info")
    odd = [
        str(tmp_path / "missing"),
        "nul\0byte",
        "/nul\0byte",
        "/nul\0byte.egg",
        "x" * 5000,
        "/" + "x" * 5000,
        "\udcff",
    ]
    assert len(scan(*odd, tmp_path / "site")) == 1


@contextmanager
def permissions_that_count() -> Iterator[Path]:
    """A folder where permissions hold, even for a test that is run by root."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        user = os.geteuid()
        try:
            yield folder
        finally:
            os.seteuid(user)
            for place in folder.iterdir():
                place.chmod(0o755)


def test_what_may_not_be_read_is_skipped() -> None:
    with permissions_that_count() as folder:
        install(folder / "good", "dice-1.0.dist-info")
        closed_file = install(folder / "good", "closed-1.0.dist-info") / "entry_points.txt"
        install(folder / "closed", "cards-1.0.dist-info")
        closed_file.chmod(0)
        (folder / "closed").chmod(0)
        if os.geteuid() == 0:
            os.seteuid(65534)
        path = [str(folder / "closed"), str(folder / "good")]
        for each, expected in ((path, ["dice"]), (path[:1], []), (path[1:], ["dice"])):
            found = installed_entry_points([GROUP], path=each)
            assert [entry.distribution for entry in found] == expected


def test_distributions_that_come_and_go_during_the_scan_do_no_harm(tmp_path: Path) -> None:
    install(tmp_path, "dice-1.0.dist-info")
    program = f"""
        import os, shutil
        while True:
            for number in range(20):
                folder = os.path.join({str(tmp_path)!r}, f"passing{{number}}-1.0.dist-info")
                os.mkdir(folder)
                for name in ("METADATA", "entry_points.txt", "RECORD"):
                    with open(os.path.join(folder, name), "w") as stream:
                        stream.write("[hermes.plugins]\\npassing = x\\n")
            for number in range(20):
                shutil.rmtree(os.path.join({str(tmp_path)!r}, f"passing{{number}}-1.0.dist-info"))
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)]) as disturber:
        try:
            seen: set[int] = set()
            deadline = time.monotonic() + 30
            while len(seen) < 10 and time.monotonic() < deadline:
                found = scan(tmp_path)
                assert (GROUP, "dice", "dice_plugin", "dice", "1.0") in found
                seen.add(len(found))
        finally:
            disturber.kill()
    assert len(seen) == 10
