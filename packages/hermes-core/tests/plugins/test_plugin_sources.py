"""Plugins come from files of the user and of the project, and from `HERMES_PLUGINS`, too."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hermes_core import Hermes, PluginError
from hermes_core.plugins.plugin_sources import chosen_for_this_run, find_chosen, find_project_files, plugin_files
from hermes_core.plugins.single_file import declared_api, run_file
from hermes_core.plugins.trust import Trust

if TYPE_CHECKING:
    from plugins.conftest import Shop

RAISES = "raise RuntimeError('this must not run')\n"


def plugin(name: str, answer: object, prelude: str = "") -> str:
    """The source of a plugin with one tool."""
    source = f"""
        from hermes_core import hookimpl, tool

        @tool(toolset="files")
        def {name}() -> object:
            '''Answer.'''
            return {answer!r}

        @hookimpl
        def hermes_tools():
            return [{name}]
    """
    return prelude + textwrap.dedent(source)


@pytest.fixture
def folder(home: Path, shop: Shop) -> Path:
    """The user's folder for plugins that are one file."""
    made = home / "plugins"
    made.mkdir(parents=True)
    return made


@pytest.fixture
def project(shop: Shop) -> Path:
    """The folder for plugins of the project in the current folder."""
    made = Path.cwd() / ".hermes" / "plugins"
    made.mkdir(parents=True)
    return made


def trust(home: Path, folder: Path) -> None:
    Trust(home).add(str(folder), {file: Path(file).read_bytes() for file in plugin_files(str(folder))})


# Files of the user


@pytest.mark.parametrize("name", ["one", "with space", "with-dash", "ünïcode", "a.b"])
def test_a_file_in_the_users_folder_is_a_plugin(shop: Shop, folder: Path, name: str) -> None:
    (folder / f"{name}.py").write_text(plugin("one", 1))
    hermes = shop.load()
    record = shop.record(hermes, name)
    assert (record.origin, record.status, record.tools, record.imported) == ("home file", "loaded", ("one",), True)
    assert (record.distribution, record.version) == (None, None)
    assert hermes.call("one") == "1"


def test_private_and_hidden_files_and_folders_are_not_plugins(shop: Shop, folder: Path) -> None:
    for name in ("_private.py", ".hidden.py", "notes.txt", "old.py.bak"):
        (folder / name).write_text(RAISES)
    (folder / "package.py").mkdir()
    (folder / "dangling.py").symlink_to(folder / "nowhere.py")
    assert list(shop.load().report) == []


def test_a_symlink_is_a_plugin_under_its_own_name(shop: Shop, folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.py"
    target.write_text(plugin("one", 1))
    (folder / "linked.py").symlink_to(target)
    hermes = shop.load()
    assert shop.record(hermes, "linked").tools == ("one",)
    assert hermes.call("one") == "1"


def test_a_file_with_a_syntax_error_disables_only_itself(shop: Shop, folder: Path) -> None:
    (folder / "bad.py").write_text("x = 1\ndef broken(:\n    pass\n")
    (folder / "good.py").write_text(plugin("one", 1))
    hermes = shop.load()
    record = shop.record(hermes, "bad")
    assert record.status == "failed"
    assert record.problems == (f"it has a syntax error at {folder / 'bad.py'}:2: invalid syntax.",)
    assert hermes.call("one") == "1"


def test_a_file_that_breaks_says_where(shop: Shop, folder: Path) -> None:
    (folder / "bad.py").write_text("import json\n\njson.loads('{')\n")
    record = shop.record(shop.load(), "bad")
    assert record.problems[0].startswith("it raised JSONDecodeError: ")
    assert record.problems[0].endswith(f" while it was loaded, at {folder / 'bad.py'}:3.")
    assert not [name for name in sys.modules if name.startswith("hermes_plugin_file_")]


def test_a_file_of_the_same_name_as_an_installed_plugin_claims_its_name(shop: Shop, folder: Path, dice: str) -> None:
    shop.install("dice", dice)
    (folder / "dice.py").write_text(RAISES)
    hermes = shop.load()
    for record in hermes.report:
        assert record.status == "failed"
        assert record.problems == ("the name 'dice' is claimed by dice-tools 1.0 and a home file: none is loaded.",)
        assert "{name: dice, distribution: dice-tools}" in record.remedy
    assert [record.origin for record in hermes.report] == ["entry point", "home file"]
    assert shop.imported() == []


def test_a_file_that_changed_is_run_again_by_the_next_host(shop: Shop, folder: Path) -> None:
    (folder / "one.py").write_text(plugin("one", 1))
    first = shop.load()
    (folder / "one.py").write_text(plugin("one", 2))
    second = shop.load()
    assert (first.call("one"), second.call("one")) == ("1", "2")


def test_a_file_that_did_not_change_runs_once(shop: Shop, folder: Path) -> None:
    (folder / "one.py").write_text(plugin("one", 1, "import os\nos.environ['SHOP_RUNS'] += 'x'\n"))
    os.environ["SHOP_RUNS"] = ""
    try:
        assert [shop.load().call("one"), shop.load().call("one")] == ["1", "1"]
        assert os.environ["SHOP_RUNS"] == "x"
    finally:
        del os.environ["SHOP_RUNS"]


def test_two_hosts_that_load_a_file_at_once_both_get_all_of_it(shop: Shop, folder: Path) -> None:
    (folder / "slow.py").write_text(plugin("one", 1, "import time\ntime.sleep(0.2)\n"))
    start = threading.Barrier(4)
    found: list[tuple[str, ...]] = []

    def one() -> None:
        start.wait(10)
        with Hermes.load() as hermes:
            found.append(shop.record(hermes, "slow").tools)

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert found == [("one",)] * 4


@pytest.mark.parametrize(
    "line",
    [
        'hermes_api = ">=2"',
        "hermes_api='>=2'",
        'hermes_api: str = ">=2"',
        'hermes_api: Final[str] = ">=2"',
        'hermes_api = (">=2")',
        '\ufeffhermes_api = ">=2"',
    ],
)
def test_a_file_for_a_newer_api_is_refused_before_it_runs(shop: Shop, folder: Path, line: str) -> None:
    (folder / "new.py").write_text(f"{line}\n{RAISES}", encoding="utf-8")
    record = shop.record(shop.load(), "new")
    assert record.status == "failed"
    assert record.problems == ("it requires version >=2 of the plugin API, but this hermes-core has version 1.0.",)
    assert record.remedy == "Install a compatible hermes-core, or another version of new."


def test_a_file_for_this_api_runs_and_one_that_computes_its_range_is_asked_after_it_ran(
    shop: Shop, folder: Path
) -> None:
    (folder / "fits.py").write_text(plugin("one", 1, 'hermes_api = ">=1.0,<2"\n'))
    (folder / "computes.py").write_text(plugin("two", 2, 'hermes_api = ">=" + str(2)\n'))
    (folder / "number.py").write_text(plugin("three", 3, "hermes_api = 2\n"))
    hermes = shop.load()
    assert hermes.call("one") == "1"
    assert shop.record(hermes, "computes").status == "failed"
    assert shop.record(hermes, "number").problems == ("its hermes_api is a int, not a range of versions.",)
    assert hermes.registry.names() == ("one",)


def test_a_range_is_read_only_where_it_is_assigned() -> None:
    assert declared_api(b'x = 1\nhermes_api = ">=1"\n') == ">=1"
    assert declared_api(b'    hermes_api = ">=1"\n') is None
    assert declared_api(b'# hermes_api = ">=1"\n') is None
    assert declared_api(b'my_hermes_api = ">=1"\n') is None
    assert declared_api(b"hermes_api = wanted\n") is None


def test_a_module_of_a_file_is_whole_before_it_is_shared(tmp_path: Path) -> None:
    file = tmp_path / "one.py"
    source = b"value = 1\n"
    try:
        module = run_file(str(file), source)
        assert run_file(str(file), source) is module
        assert run_file(str(file), b"value = 2\n").value == 2
        assert module.value == 1
        assert module.__file__ == str(file)
    finally:
        for name in [name for name in sys.modules if name.startswith("hermes_plugin_file_")]:
            del sys.modules[name]


def test_types_of_a_file_can_be_named_in_its_annotations(shop: Shop, folder: Path) -> None:
    source = """
        from __future__ import annotations
        from pydantic import BaseModel
        from hermes_core import hookimpl, tool

        class Cup(BaseModel):
            dice: int

        @tool(toolset="files")
        def shake(cup: Cup) -> int:
            '''Shake.'''
            return cup.dice

        @hookimpl
        def hermes_tools():
            return [shake]
    """
    (folder / "cup.py").write_text(textwrap.dedent(source))
    assert shop.load().call("shake", {"cup": {"dice": 3}}) == "3"


def test_a_file_can_be_turned_off(shop: Shop, folder: Path, home: Path) -> None:
    (folder / "bad.py").write_text(RAISES)
    (home / "config.yaml").write_text("plugins: {disabled: [bad]}\n")
    assert shop.record(shop.load(), "bad").status == "disabled"


# Files of the project


def test_a_project_plugin_is_not_run_before_it_is_trusted(shop: Shop, project: Path, home: Path) -> None:
    (project / "mine.py").write_text("not even Python (\n" + RAISES)
    record = shop.record(shop.load(), "mine")
    assert (record.origin, record.status, record.tools) == ("project file", "untrusted", ())
    assert record.problems == ("the project's directory .hermes/plugins is not trusted.",)
    assert record.remedy == "Review it, then run 'hermes plugins trust'."
    assert record not in shop.load().report.problems
    assert not home.joinpath("trusted-plugins.json").exists()


def test_a_trusted_project_plugin_runs(shop: Shop, project: Path, home: Path) -> None:
    (project / "mine.py").write_text(plugin("one", 1))
    trust(home, project)
    hermes = shop.load()
    assert shop.record(hermes, "mine").status == "loaded"
    assert hermes.call("one") == "1"


def test_a_project_plugin_that_changed_or_came_later_is_refused(shop: Shop, project: Path, home: Path) -> None:
    (project / "same.py").write_text(plugin("one", 1))
    (project / "other.py").write_text(plugin("two", 2))
    trust(home, project)
    (project / "other.py").write_text(RAISES)
    (project / "late.py").write_text(RAISES)
    hermes = shop.load()
    assert {record.name: (record.status, record.problems) for record in hermes.report} == {
        "late": ("untrusted", ("it came after the project's directory was trusted.",)),
        "other": ("untrusted", ("it changed after the project's directory was trusted.",)),
        "same": ("loaded", ()),
    }
    assert hermes.call("one") == "1"


def test_what_was_checked_is_what_runs(shop: Shop, project: Path, home: Path) -> None:
    file = project / "mine.py"
    file.write_text(plugin("one", 1))
    trust(home, project)
    (candidate,) = find_project_files(str(home))
    file.write_text(RAISES)
    assert candidate.refusal is None
    assert hasattr(candidate.load(), "one")


def test_the_trust_of_one_project_is_not_that_of_another(
    shop: Shop, project: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "mine.py").write_text(plugin("one", 1))
    trust(home, project)
    other = tmp_path / "other" / ".hermes" / "plugins"
    other.mkdir(parents=True)
    (other / "mine.py").write_text(plugin("one", 1))
    monkeypatch.chdir(tmp_path / "other")
    assert shop.record(shop.load(), "mine").status == "untrusted"


def test_a_symlink_to_a_trusted_project_leads_to_the_trusted_files(
    shop: Shop, project: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "mine.py").write_text(plugin("one", 1))
    trust(home, project)
    (tmp_path / "link").symlink_to(Path.cwd())
    monkeypatch.chdir(tmp_path / "link")
    assert shop.record(shop.load(), "mine").status == "loaded"
    (project / "mine.py").write_text(RAISES)
    assert shop.record(shop.load(), "mine").status == "untrusted"


def test_a_folder_of_a_project_that_is_a_symlink_is_trusted_as_what_it_leads_to(
    shop: Shop, home: Path, tmp_path: Path
) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "mine.py").write_text(plugin("one", 1))
    (Path.cwd() / ".hermes").mkdir()
    (Path.cwd() / ".hermes" / "plugins").symlink_to(real)
    assert shop.record(shop.load(), "mine").status == "untrusted"
    trust(home, real)
    assert shop.record(shop.load(), "mine").status == "loaded"


def test_the_users_own_folder_is_not_a_project(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path.cwd() / ".hermes"
    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "mine.py").write_text(plugin("one", 1))
    monkeypatch.setenv("HERMES_HOME", str(home))
    (record,) = shop.load().report
    assert (record.origin, record.status) == ("home file", "loaded")


def test_the_current_folder_may_be_the_home(
    shop: Shop, folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "mine.py").write_text(plugin("one", 1))
    monkeypatch.chdir(home)
    (record,) = shop.load().report
    assert (record.origin, record.status) == ("home file", "loaded")


def test_the_current_folder_may_be_gone(
    shop: Shop, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "mine.py").write_text(plugin("one", 1))
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    try:
        assert shop.load().call("one") == "1"
    finally:
        os.chdir(tmp_path)


def test_a_list_of_trust_that_cannot_be_read_trusts_nothing(shop: Shop, project: Path, home: Path) -> None:
    (project / "mine.py").write_text(RAISES)
    home.mkdir()
    (home / "trusted-plugins.json").write_text("{")
    record = shop.record(shop.load(), "mine")
    assert record.status == "untrusted"
    assert (home / "trusted-plugins.json.broken").read_text() == "{"


# HERMES_PLUGINS


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, None),
        ("", None),
        (" , ", None),
        ("dice", ("dice",)),
        (" dice , ./x.py,pkg.mod:obj ", ("dice", "./x.py", "pkg.mod:obj")),
    ],
)
def test_the_variable_is_a_list_with_commas(value: str | None, words: tuple[str, ...] | None) -> None:
    assert chosen_for_this_run({} if value is None else {"HERMES_PLUGINS": value}) == words


def test_only_the_plugins_that_are_named_are_loaded(
    shop: Shop, folder: Path, home: Path, dice: str, coin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.install("dice", dice)
    shop.install("coin", coin)
    (folder / "mine.py").write_text(plugin("one", 1))
    (folder / "other.py").write_text(RAISES)
    (home / "config.yaml").write_text("plugins: {disabled: [dice]}\n")
    monkeypatch.setenv("HERMES_PLUGINS", "dice,mine")
    hermes = shop.load()
    assert {record.name: record.status for record in hermes.report} == {
        "coin": "disabled",
        "dice": "loaded",
        "mine": "loaded",
        "other": "disabled",
    }
    assert shop.record(hermes, "coin").remedy == "Name it in HERMES_PLUGINS to load it in this run."
    assert hermes.registry.names() == ("one", "roll")


def test_a_file_can_be_named_by_its_path(
    shop: Shop, home: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (Path.cwd() / "here.py").write_text(plugin("one", 1))
    (tmp_path / "with space.py").write_text(plugin("two", 2))
    (folder / "mine.py").write_text(plugin("three", 3))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HERMES_PLUGINS", f"here.py, ~/with space.py, {folder / 'mine.py'}")
    hermes = shop.load()
    for name, answer in (("here", "one"), ("with space", "two"), ("mine", "three")):
        record = shop.record(hermes, name)
        assert (record.origin, record.status, record.tools) == ("HERMES_PLUGINS", "loaded", (answer,))
    assert hermes.registry.names() == ("one", "three", "two")


@pytest.mark.parametrize(
    ("word", "name", "problem"),
    [
        ("./nowhere.py", "nowhere", "{here}/nowhere.py cannot be read (No such file or directory)."),
        ("nowhere.py", "nowhere", "{here}/nowhere.py cannot be read (No such file or directory)."),
        ("./", "here", "{here} cannot be read (Is a directory)."),
        ("no_such_package.plugin", "no_such_package.plugin", "there is no module 'no_such_package'."),
        ("json.nothing:x", "json.nothing:x", "there is no module 'json.nothing'."),
    ],
)
def test_a_file_or_module_that_is_not_there_is_reported(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, word: str, name: str, problem: str
) -> None:
    monkeypatch.setenv("HERMES_PLUGINS", word)
    record = shop.record(shop.load(), name)
    assert record.status == "failed"
    assert record.problems == (problem.format(here=Path.cwd()),)
    assert record.remedy == "Look at HERMES_PLUGINS."


def test_a_module_or_object_can_be_named_without_being_installed(
    shop: Shop, coin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Path.cwd()
    (here / "shop_local").mkdir()
    (here / "shop_local" / "__init__.py").write_text("")
    (here / "shop_local" / "tools.py").write_text(textwrap.dedent(coin))
    source = "class Plugin:\n    @hookimpl\n    def hermes_tools(self):\n        return [one]\n"
    (here / "shop_local" / "objects.py").write_text(plugin("one", 1) + source)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry not in ("", str(here))])
    monkeypatch.setenv("HERMES_PLUGINS", "shop_local.tools,shop_local.objects:Plugin")
    hermes = shop.load()
    assert {record.name: (record.origin, record.status, record.tools) for record in hermes.report} == {
        "shop_local.tools": ("HERMES_PLUGINS", "loaded", ("toss",)),
        "shop_local.objects:Plugin": ("HERMES_PLUGINS", "loaded", ("one",)),
    }
    assert hermes.call("toss") == '"heads"'


def test_a_module_without_the_object_is_reported(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_PLUGINS", "textwrap:dedents")
    record = shop.record(shop.load(), "textwrap:dedents")
    assert record.status == "failed"
    assert record.problems == ("there is no 'dedents' in the module 'textwrap'. Did you mean 'dedent'?",)
    assert record.remedy == "Look at HERMES_PLUGINS."


def test_an_unknown_name_is_reported_with_the_nearest(shop: Shop, dice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.install("dice", dice)
    monkeypatch.setenv("HERMES_PLUGINS", "dcie")
    hermes = shop.load()
    record = shop.record(hermes, "dcie")
    assert record.problems == ("it is enabled in HERMES_PLUGINS but not installed. Did you mean 'dice'?",)
    assert record.remedy == "Install the distribution that ships it, or take it out of HERMES_PLUGINS."
    assert shop.record(hermes, "dice").status == "disabled"


def test_an_installed_plugin_that_fails_is_not_taken_for_a_module(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.install("bad", "raise ValueError('no luck')", manifest=False)
    info = shop.folder / "bad_tools-1.0.dist-info" / "entry_points.txt"
    info.write_text("[hermes.plugins]\nshop.bad = shop_bad\n")
    monkeypatch.setenv("HERMES_PLUGINS", "shop.bad")
    (record,) = shop.load().report
    assert record.origin == "entry point"
    assert "no luck" in record.problems[0]


def test_a_project_plugin_must_be_trusted_even_when_it_is_named(
    shop: Shop, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "mine.py").write_text(RAISES)
    monkeypatch.setenv("HERMES_PLUGINS", "mine")
    assert shop.record(shop.load(), "mine").status == "untrusted"


def test_plugins_of_the_application_are_loaded_whatever_is_named(
    shop: Shop, dice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.install("dice", dice)
    monkeypatch.setenv("HERMES_PLUGINS", "dice")
    source: dict[str, Any] = {}
    exec(plugin("one", 1), source)
    module = type(sys)("mine")
    module.__dict__.update(source)
    hermes = shop.load(plugins=[module])
    assert hermes.registry.names() == ("one", "roll")


def test_words_that_are_names_are_no_files_or_modules() -> None:
    assert list(find_chosen(["dice", "web_search", "my-plugin"])) == []


# What cannot be looked at is not the same as nothing


POLICY = """
from hermes_core import Deny, hookimpl

@hookimpl
def hermes_pre_tool_call(call):
    return Deny("closed")
"""


def test_a_link_in_a_circle_hides_no_other_plugin(shop: Shop, home: Path, dice: str) -> None:
    folder = home / "plugins"
    folder.mkdir(parents=True)
    (folder / "policy.py").write_text(POLICY)
    (folder / "loop.py").symlink_to("loop.py")
    shop.install("dice", dice)
    hermes = shop.load()
    assert "closed" in hermes.call("roll")
    assert shop.record(hermes, "loop").status == "failed"
    assert "loop.py cannot be read" in shop.record(hermes, "loop").problems[0]


@pytest.mark.parametrize("kind", ["a file", "a circle"])
def test_a_folder_of_plugins_that_cannot_be_read_is_reported(shop: Shop, home: Path, kind: str) -> None:
    home.mkdir(parents=True, exist_ok=True)
    folder = home / "plugins"
    if kind == "a file":
        folder.write_text("")
    else:
        folder.symlink_to("plugins")
    record = shop.record(shop.load(), "plugins folder")
    assert record.status == "failed"
    assert "so no plugin in it is loaded" in record.problems[0]


def test_a_required_plugin_that_cannot_be_used_lets_nothing_run(shop: Shop, home: Path, dice: str) -> None:
    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "policy.py").write_text("import no_such_module_at_all" + POLICY)
    (home / "config.yaml").write_text("plugins: {required: [policy]}")
    shop.install("dice", dice)
    with pytest.raises(PluginError, match=r"plugins\.required lists it.*no_such_module_at_all"):
        shop.load()
    looking = shop.load(only_looking=True)
    assert [spec.name for spec in looking.tools()] == ["roll"]
    with pytest.raises(PluginError, match="required"):
        looking.call("roll")
    (home / "plugins" / "policy.py").write_text(POLICY)
    assert "closed" in shop.load().call("roll")


def test_a_required_plugin_that_is_not_there_lets_nothing_run(shop: Shop, home: Path) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.yaml").write_text("plugins: {required: [policy]}")
    with pytest.raises(PluginError, match="it is not installed"):
        shop.load()


def test_a_home_that_nobody_may_enter_is_refused_and_not_taken_as_empty(tmp_path: Path) -> None:
    program = (
        "import os, sys\n"
        "from hermes_core import ConfigError, Hermes\n"
        "import hermes_core.config.config, hermes_core.plugins.lock_file, hermes_core.startup, resource\n"
        "if os.geteuid() == 0: os.setgroups([]); os.setegid(65534); os.seteuid(65534)\n"
        "try:\n    Hermes.load(discover=False)\n"
        "except (ConfigError, OSError) as error:\n    print(type(error).__name__)\n"
    )
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        home = Path(name) / "home"
        home.mkdir()
        (home / "config.yaml").write_text("plugins: {disabled: [dice]}")
        home.chmod(0)
        environment = {**os.environ, "HERMES_HOME": str(home)}
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            cwd="/",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        home.chmod(0o700)
    assert done.stdout.strip() in ("ConfigError", "PermissionError"), done.stderr


def test_a_directory_of_another_program_is_reported_with_what_loads_it(home: Path) -> None:
    for name, file in (("sky", "plugin.yaml"), ("plain", "notes.txt")):
        (home / "plugins" / name).mkdir(parents=True)
        (home / "plugins" / name / "__init__.py").write_text("raise SystemExit(1)")
        (home / "plugins" / name / file).write_text("")
    with Hermes.load() as hermes:
        (record,) = hermes.report
    assert (record.name, record.status) == ("sky", "failed")
    assert "is a plugin of another program." in record.problems[0]
    assert "pip install ./packages/hermes-compat" in record.remedy


def test_the_setting_for_other_programs_needs_an_adapter(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "config.yaml").write_text("plugins: {upstream: true}\n")
    with Hermes.load() as hermes:
        (record,) = hermes.report
    assert "no adapter is installed" in record.problems[0]
    assert "pip install ./packages/hermes-compat" in record.remedy
