"""A broken plugin disables only itself, and the report says what, why and what to do."""

from __future__ import annotations

import importlib
import json
import logging
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from hermes_core import Hermes, PluginError, Tool, hookimpl, tool
from hermes_core.inspection import hook_table
from hermes_core.plugins.contributions import Contribution
from hermes_core.plugins.plugin_import import load, run_in_thread
from hermes_core.plugins.plugin_records import Candidate, PluginRecord
from hermes_core.plugins.plugin_sources import GROUP, find_installed

GOOD = """
    from hermes_core import hookimpl, tool, Toolset

    @tool(toolset="dice")
    def roll(sides: int = 6) -> int:
        '''Roll a die.'''
        return sides

    @hookimpl
    def hermes_tools():
        return [roll]

    @hookimpl
    def hermes_toolsets():
        return [Toolset("games", tools=["roll"])]
"""


class Site:
    """A folder of installed distributions, in front of everything else that Python can import."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self.home = home
        self.modules: list[str] = []
        self.distributions: set[str] = set()
        self.hosts: list[Hermes] = []

    def install(
        self, distribution: str, source: str | None = None, *, entry: str | None = None, name: str | None = None
    ) -> None:
        """Install a distribution with one module and one entry point."""
        module = f"site_{distribution.replace('-', '_')}"
        self.modules.append(module)
        self.distributions.add(distribution)
        if source is not None:
            (self.folder / f"{module}.py").write_text(textwrap.dedent(source))
        info = self.folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        points = f"[{GROUP}]\n{name or distribution} = {entry or module}\n"
        (info / "entry_points.txt").write_text(points)
        importlib.invalidate_caches()

    def damage(self, distribution: str, file: str, content: bytes | None) -> None:
        path = self.folder / f"{distribution.replace('-', '_')}-1.0.dist-info" / file
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)
        importlib.invalidate_caches()

    def configure(self, text: str) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / "config.yaml").write_text(textwrap.dedent(text))

    def load(self) -> Hermes:
        hermes = Hermes.load()
        self.hosts.append(hermes)
        return hermes

    def records(self, hermes: Hermes) -> list[PluginRecord]:
        """What became of the plugins installed here; there may be others on this machine."""
        return [record for record in hermes.report if record.distribution in self.distributions]

    def load_beside_a_good_one(self) -> tuple[Hermes, PluginRecord]:
        """Load everything; the good plugin works, whatever the other one named `bad` does."""
        self.install("dice", GOOD)
        self.install("zebra", GOOD.replace("dice", "stripes").replace("roll", "run").replace("games", "zoo"))
        hermes = self.load()
        for good, called in (("dice", "roll"), ("zebra", "run")):
            record = hermes.report.get(good)
            assert record is not None
            assert (record.status, record.tools, record.problems) == ("loaded", (called,), ())
            assert hermes.call(called, {"sides": 4}) == "4"
        assert [entry["function"]["name"] for entry in hermes.definitions(enabled=["games"])] == ["roll"]
        bad = hermes.report.get("bad")
        assert bad is not None
        return hermes, bad


@pytest.fixture
def site(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    made = Site(folder, home)
    yield made
    for hermes in made.hosts:
        hermes.close()
    for module in made.modules:
        sys.modules.pop(module, None)
    importlib.invalidate_caches()


def failed(record: PluginRecord, *facts: str) -> None:
    """The plugin is reported as failed, with these facts, and brought nothing."""
    assert record.status == "failed"
    assert (record.tools, record.hooks) == ((), ())
    said = " ".join(record.problems)
    for fact in facts:
        assert fact in said
    assert record.remedy


# Finding


def test_plugins_are_found_by_entry_point_without_being_imported(site: Site) -> None:
    site.install("zeta", "raise SystemExit(1)")
    site.install("alpha", GOOD, name="first")
    found = [candidate for candidate in find_installed() if candidate.distribution in ("zeta", "alpha")]
    assert [(one.name, one.distribution, one.version) for one in found] == [
        ("first", "alpha", "1.0"),
        ("zeta", "zeta", "1.0"),
    ]
    assert "site_zeta" not in sys.modules
    assert "site_alpha" not in sys.modules


def test_a_good_plugin_is_loaded_with_its_tools_toolsets_and_facts(site: Site) -> None:
    site.install("bad", GOOD.replace("dice", "coin").replace("roll", "toss").replace("games", "bets"))
    hermes, record = site.load_beside_a_good_one()
    assert (record.name, record.origin, record.distribution, record.version) == ("bad", "entry point", "bad", "1.0")
    assert (record.status, record.tools, record.hooks) == ("loaded", ("toss",), ("hermes_tools", "hermes_toolsets"))
    assert record.seconds > 0
    assert record not in hermes.report.problems
    assert [one.name for one in site.records(hermes)] == ["bad", "dice", "zebra"]


# Plugins that break


@pytest.mark.parametrize(
    ("source", "facts"),
    [
        ("raise ValueError('no luck')", ["ValueError: no luck"]),
        ("def broken(:\n    pass", ["syntax error", "site_bad.py:1"]),
        ("import no_such_module_anywhere", ["cannot be imported", "no_such_module_anywhere"]),
        ("import sys; sys.exit('bye')", ["sys.exit('bye')"]),
        ("raise KeyboardInterrupt", ["KeyboardInterrupt"]),
        ("class E(Exception):\n    def __str__(self): raise RuntimeError\nraise E", ["raised E"]),
        ("raise RecursionError", ["RecursionError"]),
        ("from hermes_core import tool\n@tool\ndef f(x): ...", ["'f'", "no annotation"]),
        ("from hermes_core import hookimpl\n@hookimpl\ndef hermes_tools(): return 1 / 0", ["ZeroDivisionError"]),
        ("from hermes_core import hookimpl\n@hookimpl\ndef hermes_tools(): exit()", ["sys.exit"]),
        (
            "from hermes_core import hookimpl\n@hookimpl\ndef hermes_tool(): ...",
            ["no hook 'hermes_tool'", "'hermes_tools'"],
        ),
        ("from hermes_core import hookimpl\n@hookimpl\ndef hermes_tools(registry): ...", ["hermes_tools", "registry"]),
        ("def hermes_tools(): return []", ["hermes_tools is not marked"]),
        (
            "from hermes_core import hookimpl\n@hookimpl(wrapper=True)\ndef hermes_post_tool_call(record): yield",
            ["hermes_post_tool_call", "wrapper"],
        ),
    ],
)
def test_a_plugin_that_breaks_disables_only_itself(source: str, facts: list[str], site: Site) -> None:
    site.install("bad", source)
    _, record = site.load_beside_a_good_one()
    failed(record, *facts)
    assert record.distribution == "bad"


@pytest.mark.parametrize(
    ("answer", "facts"),
    [
        ("5", ["int", "list of Tools"]),
        ("'roll'", ["str", "list of Tools"]),
        ("{'roll': 1}", ["dict"]),
        ("[5]", ["contains a int"]),
        ("[lambda x: x]", ["function"]),
        ("(1 / 0 for _ in [1])", ["ZeroDivisionError"]),
        ("later()", ["coroutine", "not async"]),
    ],
)
def test_nonsense_instead_of_tools_disables_the_plugin(answer: str, facts: list[str], site: Site) -> None:
    source = f"""
        from hermes_core import hookimpl
        async def later(): ...
        @hookimpl
        def hermes_tools():
            return {answer}
    """
    site.install("bad", source)
    _, record = site.load_beside_a_good_one()
    failed(record, *facts)


@pytest.mark.parametrize("answer", ["5", "{'web': {'x': 5}}", "{1: {}}", "{'web': 5}", "[('web', {})]"])
def test_nonsense_instead_of_providers_disables_the_plugin(answer: str, site: Site) -> None:
    site.install("bad", f"from hermes_core import hookimpl\n@hookimpl\ndef hermes_providers(): return {answer}")
    _, record = site.load_beside_a_good_one()
    failed(record, "hermes_providers returned")


@pytest.mark.parametrize("entry", ["site_nowhere", "site_bad:missing", "site_bad:Thing.missing", "not a module!"])
def test_an_entry_point_that_leads_nowhere_disables_only_itself(entry: str, site: Site) -> None:
    site.install("bad", "class Thing: ...", entry=entry)
    _, record = site.load_beside_a_good_one()
    failed(record)


def test_an_entry_point_may_be_none(site: Site) -> None:
    site.install("bad", "nothing = None", entry="site_bad:nothing")
    _, record = site.load_beside_a_good_one()
    failed(record, "None")


def test_a_plugin_that_hangs_is_given_up(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_PLUGINS__IMPORT_SECONDS", "1")
    release = threading.Event()
    sys.modules["site_release"] = SimpleNamespace(event=release)  # type: ignore[assignment]
    try:
        site.install("bad", "import site_release\nsite_release.event.wait(60)\n")
        _, record = site.load_beside_a_good_one()
        failed(record, "still loading after", "s without progress")
        assert "plugins.disabled" in record.remedy
    finally:
        release.set()
        del sys.modules["site_release"]
        for thread in threading.enumerate():
            if thread.name == "hermes-load-bad":
                thread.join(10)


# Plugins that are right only in part


def test_a_tool_whose_name_another_toolset_has_is_refused_alone(site: Site) -> None:
    source = """
        from hermes_core import hookimpl, tool

        @tool(toolset="zzz")
        def roll() -> str:
            '''Mine.'''
            return "stolen"

        @tool(toolset="zzz")
        def other() -> str:
            '''Other.'''
            return "works"

        @hookimpl
        def hermes_tools():
            return [roll, other]
    """
    site.install("dice", GOOD)
    site.install("thief", source)
    hermes = site.load()
    record = hermes.report.get("thief")
    assert record is not None
    assert (record.status, record.tools) == ("partial", ("other",))
    assert "'roll'" in record.problems[0]
    assert "'dice'" in record.problems[0]
    assert record.remedy
    assert record in hermes.report.problems
    assert hermes.call("roll", {"sides": 3}) == "3"
    assert hermes.call("other") == '"works"'


def test_a_tool_of_the_same_toolset_from_another_plugin_is_refused_too(site: Site) -> None:
    site.install("dice", GOOD)
    site.install("thief", GOOD.replace("return sides", "return -1").replace("games", "heists"))
    hermes = site.load()
    record = hermes.report.get("thief")
    assert record is not None
    assert (record.status, record.tools) == ("partial", ())
    assert "is taken by" in record.problems[0]
    assert hermes.call("roll", {"sides": 3}) == "3"


def test_a_toolset_that_exists_is_refused_alone(site: Site) -> None:
    site.install("dice", GOOD)
    site.install("other", GOOD.replace("dice", "coin").replace("roll", "toss"))
    hermes = site.load()
    record = hermes.report.get("other")
    assert record is not None
    assert (record.status, record.tools) == ("partial", ("toss",))
    assert "'games'" in record.problems[0]


def test_of_two_distributions_that_claim_one_name_none_is_loaded(site: Site) -> None:
    site.install("dice", GOOD)
    site.install("other", GOOD.replace("dice", "coin").replace("roll", "toss").replace("games", "bets"), name="dice")
    hermes = site.load()
    for record, distribution in zip(site.records(hermes), ("dice", "other"), strict=True):
        assert (record.status, record.distribution) == ("failed", distribution)
        assert "the name 'dice' is claimed by dice" in record.problems[0]
        assert "plugins: {required: [{name: dice, distribution: DISTRIBUTION}]}" in record.remedy
        assert "(DISTRIBUTION is dice or" in record.remedy
    assert "roll" not in hermes.registry
    assert "toss" not in hermes.registry


# Other shapes


def test_a_class_as_entry_point_is_instantiated(site: Site) -> None:
    source = """
        from hermes_core import hookimpl, tool

        @tool(toolset="coin")
        def toss() -> str:
            '''Toss.'''
            return "heads"

        class Plugin:
            @hookimpl
            def hermes_tools(self):
                return (toss,)
    """
    site.install("bad", source, entry="site_bad:Plugin")
    hermes, record = site.load_beside_a_good_one()
    assert (record.status, record.tools) == ("loaded", ("toss",))
    assert hermes.call("toss") == '"heads"'


def test_a_class_that_cannot_be_made_disables_only_itself(site: Site) -> None:
    site.install("bad", "class Plugin:\n    def __init__(self, wanted): ...", entry="site_bad:Plugin")
    _, record = site.load_beside_a_good_one()
    failed(record, "TypeError", "wanted")


def test_a_plugin_may_give_one_tool_a_generator_or_nothing() -> None:
    @tool
    def one() -> str:
        """One."""
        return "1"

    class Single:
        @hookimpl
        def hermes_tools(self) -> Tool:
            return one

    class Generator:
        @hookimpl
        def hermes_tools(self) -> Iterator[Tool]:
            yield one

    class Nothing:
        @hookimpl
        def hermes_tools(self) -> None:
            return None

    brought = [load(Candidate(name="x", origin="test", load=kind)).tools for kind in (Single, Generator, Nothing)]
    assert brought == [(one,), (one,), ()]


# Damaged installations


@pytest.mark.parametrize(
    "content", [b"[hermes.plugins]\nnonsense without a value\n", b"[hermes.plugins]\nx = \xff\xfe\n"]
)
def test_a_damaged_distribution_is_reported_and_the_others_work(content: bytes, site: Site) -> None:
    site.install("bad", "")
    site.damage("bad", "entry_points.txt", content)
    _, record = site.load_beside_a_good_one()
    failed(record, "entry_points.txt")
    assert "Reinstall" in record.remedy


def test_a_damaged_distribution_that_ships_no_plugins_is_nobodys_business(site: Site) -> None:
    site.install("stranger", "")
    site.damage("stranger", "entry_points.txt", b"[console_scripts]\nnonsense without a value\n")
    site.install("bad", "")
    hermes, _ = site.load_beside_a_good_one()
    assert hermes.report.get("stranger") is None


def test_an_interrupted_installation_without_metadata_still_names_its_plugin(site: Site) -> None:
    site.install("bad", GOOD.replace("dice", "coin").replace("roll", "toss").replace("games", "bets"))
    site.damage("bad", "METADATA", None)
    _, record = site.load_beside_a_good_one()
    assert record.tools == ("toss",)


# What the user chose


def test_a_disabled_plugin_is_not_imported(site: Site) -> None:
    site.install("bad", "raise SystemExit(1)")
    site.configure("plugins: {disabled: [bad]}")
    _, record = site.load_beside_a_good_one()
    assert (record.status, record.problems) == ("disabled", ())
    assert "plugins.disabled" in record.remedy
    assert "site_bad" not in sys.modules


def test_only_enabled_plugins_are_imported(site: Site) -> None:
    site.install("bad", "raise SystemExit(1)")
    site.configure("plugins: {enabled: [dice, zebra]}")
    _, record = site.load_beside_a_good_one()
    assert record.status == "disabled"
    assert "plugins.enabled" in record.remedy
    assert "site_bad" not in sys.modules


def test_an_empty_list_of_enabled_plugins_loads_none(site: Site) -> None:
    site.install("dice", GOOD)
    site.configure("plugins: {enabled: []}")
    hermes = site.load()
    assert [record.status for record in site.records(hermes)] == ["disabled"]
    assert hermes.registry.names() == ()


def test_disabled_wins_over_enabled(site: Site) -> None:
    site.install("dice", GOOD)
    site.configure("plugins: {enabled: [dice], disabled: [dice]}")
    assert [record.status for record in site.records(site.load())] == ["disabled"]


def test_an_enabled_plugin_that_is_not_installed_is_a_problem_worth_a_line(site: Site) -> None:
    site.configure("plugins: {enabled: [dice, zebra, bad]}")
    _, record = site.load_beside_a_good_one()
    failed(record, "not installed")
    assert "plugins.enabled" in record.remedy


def test_a_host_can_be_loaded_without_looking_for_plugins(site: Site) -> None:
    site.install("dice", GOOD)
    with Hermes.load(discover=False) as hermes:
        assert list(hermes.report) == []


# Application plugins


def test_the_application_hears_of_its_own_broken_plugin_at_once() -> None:
    class Broken:
        @hookimpl
        def hermes_tools(self) -> Any:
            return 5

    with Hermes() as hermes:
        with pytest.raises(PluginError, match="int") as caught:
            hermes.add_plugin(Broken(), "mine")
        assert caught.value.plugin == "mine"
        assert hermes.report.problems[0].origin == "application"


def test_a_module_can_be_a_plugin_of_the_application() -> None:
    module = ModuleType("my_policy")
    exec(textwrap.dedent(GOOD), vars(module))
    with Hermes(plugins=[module]) as hermes:
        record = hermes.report.get("my_policy")
        assert record is not None
        assert record.tools == ("roll",)


# Loading one


def test_a_load_is_timed_and_returns_the_error() -> None:
    def refuse() -> object:
        raise LookupError("nothing here")

    result, seconds = run_in_thread(Candidate(name="x", origin="test", load=refuse, distribution="x-dist"), refuse)
    assert isinstance(result, PluginError)
    assert (result.plugin, result.distribution) == ("x", "x-dist")
    assert "LookupError: nothing here" in result.reason
    assert seconds >= 0


def test_the_deadline_can_be_given() -> None:
    release = threading.Event()
    with pytest.raises(PluginError, match=r"still loading after 0\.05 s"):
        load(Candidate(name="x", origin="test", load=lambda: release.wait(30)), seconds=0.05)
    release.set()


def test_what_a_plugin_brings_is_checked_before_anything_is_registered() -> None:
    @tool
    def one() -> str:
        """One."""
        return "1"

    class Half:
        @hookimpl
        def hermes_tools(self) -> list[Tool]:
            return [one]

        @hookimpl
        def hermes_toolsets(self) -> Any:
            return ["not a toolset"]

    with Hermes() as hermes:
        with pytest.raises(PluginError, match="not a Toolset"):
            hermes.add_plugin(Half())
        assert hermes.registry.names() == ()
        assert hook_table(hermes).names() == ()


def test_loading_runs_in_the_context_of_who_asks() -> None:
    import contextvars

    who: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")
    who.set("me")
    seen: list[str] = []

    class Curious:
        def __init__(self) -> None:
            seen.append(who.get())

    assert isinstance(load(Candidate(name="x", origin="test", load=lambda: Curious)), Contribution)
    assert seen == ["me"]


def test_a_failure_is_logged_for_those_who_read_logs(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    site.install("bad", "raise ValueError('no luck')")
    with caplog.at_level(logging.WARNING, logger="hermes"):
        site.load()
    assert "no luck" in caplog.text
    assert "'bad'" in caplog.text


def test_the_report_is_data(site: Site) -> None:
    site.install("bad", "raise ValueError('no luck')")
    hermes, record = site.load_beside_a_good_one()
    assert len(hermes.report) == len(list(hermes.report)) >= 3
    assert hermes.report.get("nobody") is None
    assert json.loads(json.dumps(record._asdict()))["status"] == "failed"
