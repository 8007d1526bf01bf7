"""A remembered scan is never outdated, and a cache that cannot be used does no harm."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
import zipfile
from collections.abc import Callable
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

import pytest

from hermes_core.plugins.entry_points import installed_entry_points
from hermes_core.plugins.scan_cache import KEPT_FILES, RACY_NS, ScanCache

GROUP = "hermes.plugins"
METADATA = "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"

Facts = tuple[str, str, str | None, str | None]


def install(site: Path, name: str, version: str = "1.0", points: str | None = None, kind: str = "dist-info") -> Path:
    """Write an info folder, as an installer does."""
    place = site / f"{name}-{version}.{kind}"
    place.mkdir(parents=True)
    file = place / ("METADATA" if kind == "dist-info" else "PKG-INFO")
    file.write_text(METADATA.format(name=name, version=version))
    (place / "entry_points.txt").write_text(points or f"[{GROUP}]\n{name} = {name}_plugin\n")
    (place / "RECORD").touch()
    return place


def grow_old(*places: Path) -> None:
    """Let ten seconds pass since the last change of everything."""
    for top in places:
        for place in (top, *top.rglob("*")) if top.exists() else ():  # pip removes a folder that it has emptied
            status = place.lstat()
            os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns - 5 * RACY_NS), follow_symlinks=False)


def scan(cache: Path, *path: Path) -> list[Facts]:
    found = installed_entry_points([GROUP], path=[str(entry) for entry in path], cache_folder=str(cache))
    return [(entry.name, entry.value, entry.distribution, entry.version) for entry in found]


def oracle(*path: Path) -> list[Facts]:
    """The answer of importlib.metadata, which is asked anew each time."""
    first: dict[str, Distribution] = {}
    for found in distributions(path=[str(entry) for entry in path]):
        first.setdefault(found.metadata["Name"].lower().replace("-", "_").replace(".", "_"), found)
    return [
        (entry.name, entry.value, found.metadata["Name"], found.version)
        for found in first.values()
        for entry in found.entry_points
        if entry.group == GROUP
    ]


def is_remembered(cache: Path, *path: Path) -> bool:
    """Whether the next scan will answer from the cache: forge the remembered answer, and see who believes it."""
    kept = {file: file.read_text() for file in cache.glob("*.json")}
    for file, text in kept.items():
        file.write_text(json.dumps({**json.loads(text), "answer": [[GROUP, "forged", "", None, None, None, None]]}))
    answer = scan(cache, *path)
    for file, text in kept.items():
        file.write_text(text)
    return answer == [("forged", "", None, None)]


def scan_until_remembered(cache: Path, *path: Path) -> list[Facts]:
    """Scan right after a change, and again when it is old enough to be remembered."""
    at_once = scan(cache, *path)
    assert at_once == oracle(*path)
    grow_old(*path)
    assert scan(cache, *path) == at_once
    assert is_remembered(cache, *path)
    return at_once


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of two old distributions: a plugin, and one that is none."""
    folder = tmp_path / "site-packages"
    install(folder, "dice")
    install(folder, "stranger", points="[console_scripts]\nstranger = stranger:main\n")
    grow_old(folder)
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "home" / "cache"


# Real installers


def write_wheel(folder: Path, name: str, version: str, points: str) -> Path:
    info = f"{name}-{version}.dist-info"
    texts = {
        f"{name}.py": "",
        f"{info}/METADATA": METADATA.format(name=name, version=version),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": points,
    }
    record = "".join(f"{file},,\n" for file in (*texts, f"{info}/RECORD"))
    folder.mkdir(exist_ok=True)
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file, text in {**texts, f"{info}/RECORD": record}.items():
            archive.writestr(file, text)
    return wheel


class Environment:
    """A virtual environment, and the installer that fills it."""

    def __init__(self, folder: Path, installer: str) -> None:
        self.folder = folder
        self.installer = installer
        uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
        assert installer == "pip" or uv is not None, "uv belongs to the group of packages that tests need"
        self.program = [uv or "", "pip"] if installer == "uv" else [sys.executable, "-m", "pip"]
        self._run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
        (self.site,) = folder.glob("lib/python*/site-packages")
        self.python = str(folder / "bin" / "python")

    def install(self, *options: str) -> None:
        self._ask("install", "--no-index", "--no-deps", *options)

    def uninstall(self, name: str) -> None:
        self._ask("uninstall", name, *(["--yes"] if self.installer == "pip" else []))

    def _ask(self, command: str, *options: str) -> None:
        where = ["--python", self.python]
        if self.installer == "uv":
            self._run([*self.program, command, *options, *where, "--no-cache", "--offline"])
        else:
            self._run([*self.program, *where, command, *options, "--disable-pip-version-check", "--no-cache-dir"])

    def _run(self, command: list[str]) -> None:
        # The build backend of an editable project is taken from the environment of the tests.
        variables = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if "site-packages" in entry),
        }
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(params=["pip", "uv"])
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> Environment:
    return Environment(tmp_path / "environment", request.param)


def test_the_answer_is_right_after_every_step_of_a_real_installer(
    environment: Environment, tmp_path: Path, cache: Path
) -> None:
    def wheel(name: str, version: str, points: str, folder: str = "wheels") -> str:
        return str(write_wheel(tmp_path / folder, name, version, points))

    def answer() -> list[Facts]:
        return sorted(scan_until_remembered(cache, environment.site))

    assert answer() == []
    environment.install(wheel("dice", "1.0", "[hermes.plugins]\ndice = dice\n"))
    assert answer() == [("dice", "dice", "dice", "1.0")]
    environment.install(wheel("cards", "1.0", "[console_scripts]\ncards = cards:main\n"))
    assert answer() == [("dice", "dice", "dice", "1.0")]
    environment.install("--upgrade", wheel("cards", "1.1", "[hermes.plugins]\ncards = cards:new\n"))
    assert answer() == [("cards", "cards:new", "cards", "1.1"), ("dice", "dice", "dice", "1.0")]
    environment.install("--force-reinstall", wheel("dice", "1.0", "[hermes.plugins]\ndoce = dice\n", "rebuilt"))
    assert answer() == [("cards", "cards:new", "cards", "1.1"), ("doce", "dice", "dice", "1.0")]
    environment.uninstall("cards")
    assert answer() == [("doce", "dice", "dice", "1.0")]
    environment.install("--upgrade", wheel("dice", "2.0", "[console_scripts]\ndice = dice:main\n"))
    assert answer() == []
    environment.install(wheel("dice", "1.0", "[hermes.plugins]\ndice = dice\n"))
    assert answer() == [("dice", "dice", "dice", "1.0")]
    environment.uninstall("dice")
    assert answer() == []


def test_an_editable_project_that_is_installed_again_shows_its_new_entry_points(
    environment: Environment, tmp_path: Path, cache: Path
) -> None:
    def install_project(version: str, points: str) -> None:
        (tmp_path / "project" / "pyproject.toml").write_text(
            textwrap.dedent(f"""
                [build-system]
                requires = ["hatchling"]
                build-backend = "hatchling.build"
                [project]
                name = "edited"
                version = "{version}"
                [project.entry-points."hermes.plugins"]
                {points}
                [tool.hatch.build]
                dev-mode-dirs = ["src"]
            """)
        )
        environment.install("--no-build-isolation", "--editable", str(tmp_path / "project"))

    (tmp_path / "project" / "src" / "edited").mkdir(parents=True)
    (tmp_path / "project" / "src" / "edited" / "__init__.py").touch()
    install_project("1.0", 'one = "edited"')
    assert scan_until_remembered(cache, environment.site) == [("one", "edited", "edited", "1.0")]
    install_project("1.0", 'two = "edited"')
    assert scan_until_remembered(cache, environment.site) == [("two", "edited", "edited", "1.0")]
    install_project("1.1", 'two = "edited:again"')
    assert scan_until_remembered(cache, environment.site) == [("two", "edited:again", "edited", "1.1")]
    environment.uninstall("edited")
    assert scan_until_remembered(cache, environment.site) == []


# What a remembered answer depends on


def rewrite_points(site: Path) -> None:
    (site / "dice-1.0.dist-info" / "entry_points.txt").write_text("[hermes.plugins]\nd1ce = dice_plugin\n")


def remove_the_group(site: Path) -> None:
    (site / "dice-1.0.dist-info" / "entry_points.txt").write_text("[other]\nd1ce = dice_plugin\n")


def rewrite_the_points_of_a_stranger(site: Path) -> None:
    (site / "stranger-1.0.dist-info" / "entry_points.txt").write_text("[hermes.plugins]\nnew = dice_plugin\n")


def bump_the_version(site: Path) -> None:
    (site / "dice-1.0.dist-info" / "METADATA").write_text(METADATA.format(name="dice", version="1.0.post1"))


@pytest.mark.parametrize(
    "change", [rewrite_points, remove_the_group, rewrite_the_points_of_a_stranger, bump_the_version]
)
def test_an_edit_in_place_shows_and_so_does_its_reversal(
    change: Callable[[Path], None], site: Path, cache: Path
) -> None:
    before = scan(cache, site)
    assert is_remembered(cache, site)
    shutil.copytree(site, cache.parent / "original")
    change(site)
    assert scan_until_remembered(cache, site) != before
    for file in (cache.parent / "original").rglob("*-info/*"):
        (site / file.relative_to(cache.parent / "original")).write_bytes(file.read_bytes())
    assert scan_until_remembered(cache, site) == before


def test_an_edit_that_keeps_size_and_time_shows_when_the_file_is_another_one(site: Path, cache: Path) -> None:
    scan(cache, site)
    file = site / "dice-1.0.dist-info" / "entry_points.txt"
    other = site.parent / "other"
    other.write_text(file.read_text().replace("dice =", "doce ="))
    os.utime(other, ns=(0, file.stat().st_mtime_ns))
    times = [(folder, folder.stat().st_mtime_ns) for folder in (file.parent, site)]
    other.replace(file)
    for folder, moment in times:
        os.utime(folder, ns=(moment, moment))
    assert scan(cache, site) == oracle(site) == [("doce", "dice_plugin", "dice", "1.0")]


def test_an_egg_info_is_rewritten_in_place_by_its_tools(site: Path, cache: Path) -> None:
    place = install(site, "developed", kind="egg-info", points="[console_scripts]\nx = y\n")
    assert len(scan_until_remembered(cache, site)) == 1
    (place / "entry_points.txt").unlink()
    assert len(scan_until_remembered(cache, site)) == 1
    (place / "entry_points.txt").write_text("[hermes.plugins]\ndeveloped = x\n")
    assert len(scan_until_remembered(cache, site)) == 2
    (place / "PKG-INFO").write_text(METADATA.format(name="developed", version="2"))
    assert ("developed", "x", "developed", "2") in scan_until_remembered(cache, site)


def test_an_installation_that_is_under_way_for_long_shows_when_it_is_done(site: Path, cache: Path) -> None:
    place = site / "slow-1.0.dist-info"
    place.mkdir()
    grow_old(site)
    assert len(scan(cache, site)) == 1
    assert is_remembered(cache, site)
    (place / "entry_points.txt").write_text("[hermes.plugins]\nslow = x\n")
    assert ("slow", "x", "slow", "1.0") in scan(cache, site)
    (place / "METADATA").write_text(METADATA.format(name="Slow", version="1.0"))
    grow_old(site)
    assert ("slow", "x", "Slow", "1.0") in scan(cache, site)
    assert is_remembered(cache, site)


def test_a_folder_that_appears_on_the_path_shows(site: Path, cache: Path, tmp_path: Path) -> None:
    later = tmp_path / "later"
    assert len(scan(cache, later, site)) == 1
    assert is_remembered(cache, later, site)
    install(later, "cards")
    assert len(scan_until_remembered(cache, later, site)) == 2
    shutil.rmtree(later)
    assert len(scan(cache, later, site)) == 1


def test_a_link_that_leads_elsewhere_shows(site: Path, cache: Path, tmp_path: Path) -> None:
    install(tmp_path / "other", "cards")
    grow_old(tmp_path / "other")
    link = tmp_path / "link"
    link.symlink_to(site)
    assert [facts[0] for facts in scan(cache, link)] == ["dice"]
    link.unlink()
    link.symlink_to(tmp_path / "other")
    assert [facts[0] for facts in scan(cache, link)] == ["cards"]


def test_the_order_of_the_path_is_part_of_the_question(site: Path, cache: Path, tmp_path: Path) -> None:
    install(tmp_path / "other", "dice", "2.0")
    grow_old(tmp_path / "other")
    for path in ([site, tmp_path / "other"], [tmp_path / "other", site], [site]):
        assert scan(cache, *path) == scan(cache, *path) == oracle(*path)
        assert is_remembered(cache, *path)


def test_the_groups_are_part_of_the_question(site: Path, cache: Path) -> None:
    for _ in range(2):
        for group, expected in ((GROUP, "dice"), ("console_scripts", "stranger"), ("none", None)):
            found = installed_entry_points([group], path=[str(site)], cache_folder=str(cache))
            assert [entry.name for entry in found] == ([expected] if expected else [])


def test_the_current_folder_is_part_of_the_question(
    site: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "other", "cards")
    grow_old(tmp_path / "other")
    for folder, expected in ((site, "dice"), (tmp_path / "other", "cards"), (site, "dice")):
        monkeypatch.chdir(folder)
        (entry,) = installed_entry_points([GROUP], path=[""], cache_folder=str(cache))
        assert (entry.name, entry.folder) == (expected, str(folder))


def test_a_zip_file_is_remembered_until_it_is_replaced(site: Path, cache: Path, tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    wheel = write_wheel(wheels, "cards", "1.0", "[hermes.plugins]\ncards = a\n")
    grow_old(wheels)
    assert scan(cache, wheel, site) == oracle(wheel, site)
    assert is_remembered(cache, wheel, site)
    write_wheel(wheels, "cards", "1.0", "[hermes.plugins]\ncards = b\n")
    assert scan_until_remembered(cache, wheel, site)[0] == ("cards", "b", "cards", "1.0")


def test_an_egg_folder_is_remembered_until_it_is_edited(cache: Path, tmp_path: Path) -> None:
    egg = tmp_path / "cards-1.0-py3.11.egg"
    install(tmp_path, "cards", kind="egg-info").rename(egg)
    (egg / "EGG-INFO").mkdir()
    for name in ("PKG-INFO", "entry_points.txt"):
        (egg / name).rename(egg / "EGG-INFO" / name)
    assert len(scan_until_remembered(cache, egg)) == 1
    (egg / "EGG-INFO" / "entry_points.txt").write_text("[hermes.plugins]\na = b\nc = d\n")
    assert len(scan_until_remembered(cache, egg)) == 2


def test_what_changed_a_moment_ago_is_not_remembered(site: Path, cache: Path) -> None:
    os.utime(site)
    scan(cache, site)
    assert not cache.exists()
    grow_old(site)
    (site / "dice-1.0.dist-info" / "entry_points.txt").touch()
    scan(cache, site)
    assert not cache.exists()


def test_a_change_that_grows_old_during_a_slow_scan_is_not_remembered(site: Path, cache: Path) -> None:
    changed = time.time_ns() - RACY_NS + 50_000_000
    os.utime(site, ns=(changed, changed))
    slow = ScanCache(str(cache), groups=[GROUP], path=[str(site)])
    while time.time_ns() - changed < RACY_NS:
        time.sleep(0.01)
    slow.save([], {})
    assert not cache.exists()
    ScanCache(str(cache), groups=[GROUP], path=[str(site)]).save([], {})
    assert cache.exists()


def test_a_remembered_answer_is_the_same_in_every_detail(site: Path, cache: Path, tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"not \xff UTF-8")
    install(odd, "cards", points="[hermes.plugins]\nnonsense\n")
    install(odd, "ünï", points="[hermes.plugins]\nñ = ö:ß [extra]\n")
    grow_old(odd)
    path = [str(odd), str(site)]
    plain = installed_entry_points([GROUP], path=path)
    first, second = (installed_entry_points([GROUP], path=path, cache_folder=str(cache)) for _ in range(2))
    assert plain == first == second
    assert is_remembered(cache, odd, site)


# Caches that cannot be used

ROW: list[Any] = [GROUP, "a", "b", None, None, None, None]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: b"\xff\xfe\0",
        lambda content: b"[" * 1_000_000,
        lambda content: json.dumps(content).encode()[:-20],
        lambda content: b"[]",
        lambda content: b"null",
        lambda content: b"{}",
        lambda content: b"NaN",
        lambda content: {**content, "question": None},
        lambda content: {**content, "question": [0, *content["question"][1:]]},
        lambda content: {**content, "watched": None},
        lambda content: {**content, "watched": []},
        lambda content: {**content, "watched": {"nul\0": [1]}},
        lambda content: {**content, "watched": {"/": "x"}},
        lambda content: {**content, "answer": None},
        lambda content: {**content, "answer": {"a": "b"}},
        lambda content: {**content, "answer": "text"},
        lambda content: {**content, "answer": [None]},
        lambda content: {**content, "answer": [ROW[:-1]]},
        lambda content: {**content, "answer": [[*ROW, None]]},
        lambda content: {**content, "answer": [ROW, [None, *ROW[1:]]]},
        lambda content: {**content, "answer": [[*ROW[:-1], 3]]},
        lambda content: {**content, "answer": ["seven77"]},
    ],
)
def test_a_cache_of_any_other_shape_is_ignored_and_rewritten(
    damage: Callable[[dict[str, Any]], object], site: Path, cache: Path
) -> None:
    expected = scan(cache, site)
    (file,) = cache.iterdir()
    good = file.read_bytes()
    bad = damage(json.loads(good))
    file.write_bytes(bad if isinstance(bad, bytes) else json.dumps(bad).encode())
    assert scan(cache, site) == expected
    assert file.read_bytes() == good


def test_a_cache_folder_is_private(site: Path, cache: Path) -> None:
    scan(cache, site)
    (file,) = cache.iterdir()
    assert cache.stat().st_mode & 0o777 == 0o700
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_cache_folder_that_is_a_file_does_no_harm(site: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for folder in (tmp_path / "file", tmp_path / "file" / "below", Path("nul\0byte"), Path("/proc/nowhere")):
        assert scan(folder, site) == oracle(site)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_in_the_place_of_the_cache_file_does_no_harm(site: Path, cache: Path) -> None:
    scan(cache, site)
    (file,) = cache.iterdir()
    file.unlink()
    (file / "inside").mkdir(parents=True)
    assert scan(cache, site) == oracle(site)
    assert list(cache.iterdir()) == [file]


def test_a_cache_folder_that_may_not_be_written_does_no_harm() -> None:
    with tempfile.TemporaryDirectory() as name:  # not tmp_path, which nobody but its owner may enter
        folder = Path(name)
        folder.chmod(0o755)
        install(folder / "site", "dice")
        grow_old(folder / "site")
        (folder / "cache").mkdir(mode=0o555)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)  # permissions do not bind root
        try:
            assert scan(folder / "cache", folder / "site") == [("dice", "dice_plugin", "dice", "1.0")]
        finally:
            if root:
                os.seteuid(0)
        assert list((folder / "cache").iterdir()) == []


def test_a_cache_folder_that_was_deleted_is_made_again(site: Path, cache: Path) -> None:
    for _ in range(2):
        assert scan(cache, site) == oracle(site)
        assert is_remembered(cache, site)
        shutil.rmtree(cache.parent)


def test_only_the_newest_files_stay(site: Path, cache: Path, tmp_path: Path) -> None:
    cache.mkdir(parents=True)
    (cache / "entry-points-0.json.123.456").write_text("left by a crash")
    (cache / "somebody-elses.json").write_text("{}")
    for file in cache.iterdir():
        os.utime(file, ns=(0, 0))
    for number in range(KEPT_FILES + 5):
        scan(cache, site, tmp_path / f"missing{number}")
    names = {file.name for file in cache.iterdir()}
    assert len(names) == KEPT_FILES + 1
    assert "somebody-elses.json" in names
    assert "entry-points-0.json.123.456" not in names
    assert is_remembered(cache, site, tmp_path / f"missing{KEPT_FILES + 4}")


# Many at once


def test_many_processes_share_a_cache_folder(site: Path, cache: Path, tmp_path: Path) -> None:
    program = f"""
        import os, shutil, sys
        from hermes_core.plugins.entry_points import installed_entry_points
        number = int(sys.argv[1])
        print("ready", flush=True)
        sys.stdin.readline()
        for turn in range(150):
            path = [{str(site)!r}, os.path.join({str(tmp_path)!r}, f"missing{{(number + turn) % 20}}")]
            found = installed_entry_points([{GROUP!r}], path=path, cache_folder={str(cache)!r})
            assert [entry.value for entry in found] == ["dice_plugin"], found
            if number == 0 and turn % 10 == 0:
                shutil.rmtree({str(cache)!r}, ignore_errors=True)
            if number == 1 and turn % 3 == 0:
                os.utime({str(site)!r}, ns=(0, turn * 1_000_000_000))
        print("done")
    """
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(program), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(10)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        output, errors = process.communicate(timeout=60)
        assert (output, errors) == ("done\n", "")
    scan(cache, site)
    assert is_remembered(cache, site)
    names = [file.name for file in cache.iterdir()]
    assert len(names) <= KEPT_FILES
    assert [name for name in names if not name.endswith(".json")] == []
    for file in cache.iterdir():
        assert isinstance(json.loads(file.read_text()), dict)


def test_a_scan_beside_a_real_change_never_keeps_the_old_answer(site: Path, cache: Path) -> None:
    program = f"""
        import sys
        from hermes_core.plugins.entry_points import installed_entry_points
        print("ready", flush=True)
        while not sys.stdin.closed:
            found = installed_entry_points([{GROUP!r}], path=[{str(site)!r}], cache_folder={str(cache)!r})
            if {{"dice", "last"}} == {{entry.name for entry in found}}:
                break
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for number in range(100):
        install(site, f"passing{number}")
        shutil.rmtree(site / f"passing{number}-1.0.dist-info")
    install(site, "last")
    for process in processes:
        process.communicate(timeout=30)
        assert process.returncode == 0
    assert {facts[0] for facts in scan(cache, site)} == {"dice", "last"}


@pytest.mark.parametrize("content", [b"", b"{", b"\0\0", b"[" * 100_000], ids=["empty", "torn", "zeros", "deep"])
def test_a_damaged_cache_is_moved_aside(
    site: Path, cache: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    expected = scan_until_remembered(cache, site)
    (file,) = cache.iterdir()
    file.write_bytes(content)
    assert scan(cache, site) == expected
    assert sorted(cache.iterdir()) == [file, file.with_name(f"{file.name}.broken")]
    assert str(file) in caplog.text
    assert is_remembered(cache, site)


def test_a_cache_of_a_newer_version_is_not_overwritten(site: Path, cache: Path) -> None:
    expected = scan_until_remembered(cache, site)
    (file,) = cache.iterdir()
    file.write_text('{"question": [99], "answer": "in another way"}')
    assert scan(cache, site) == expected
    assert file.read_text() == '{"question": [99], "answer": "in another way"}'
