"""Ten ways in which a plugin breaks: each time its user reads what is wrong, where and what to do, in plain words,
and the healthy plugin beside it works."""

from __future__ import annotations

import json
import re
import sys
import textwrap
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from hermes_core import Hermes
from hermes_core.plugins import plugin_import
from hermes_core.plugins.plugin_records import PluginRecord

if TYPE_CHECKING:
    from plugins.conftest import Shop

MEND = "Fix it, or disable it with plugins.disabled in config.yaml."
STALE = "Tell its author to run 'hermes plugin manifest', or install another version."
manifests = pytest.mark.parametrize("manifest", [False, True], ids=["without a manifest", "with a manifest"])


class Ward:
    """A broken plugin `bad`, with the tool `roll` while it was well, beside a healthy one with the tool `toss`."""

    def __init__(self, shop: Shop, well: str, healthy: str) -> None:
        self.shop = shop
        self.well = well
        self.healthy = healthy
        self.file = str(shop.folder / "shop_bad" / "__init__.py")
        self.manifest = str(shop.folder / "shop_bad" / "hermes-plugin.json")

    def admit(self, source: str, *, manifest: bool, requires: tuple[str, ...] = ()) -> tuple[Hermes, PluginRecord]:
        """Install both, break one, and call a tool of each."""
        self.shop.install("healthy", self.healthy)
        self.shop.install("bad", self.well, manifest=manifest, requires=requires)
        self.shop.rewrite("bad", source)
        hermes = self.shop.load()
        if manifest:
            assert self.shop.imported() == []
            assert "roll" in hermes.registry
        return hermes, self.examine(hermes)

    def examine(self, hermes: Hermes) -> PluginRecord:
        """What is said of the broken one, after a call of each; the healthy one is well."""
        answer = hermes.call("roll")
        record = self.shop.record(hermes, "bad")
        assert hermes.call("toss") == '"heads"'
        healthy = self.shop.record(hermes, "healthy")
        assert (healthy.status, healthy.problems, healthy.remedy) == ("loaded", (), "")
        assert "toss" in [entry["function"]["name"] for entry in hermes.definitions()]
        if record.status == "failed" and "roll" in hermes.registry:
            self.tool_says_so(hermes, record, answer)
        return record

    def tool_says_so(self, hermes: Hermes, record: PluginRecord, answer: str) -> None:
        """The tool that the manifest promised gives the same reason and remedy."""
        reason = f"its plugin 'bad' cannot be loaded: {record.problems[0].rstrip('.')}"
        assert json.loads(answer)["error"] == f"roll is not available: {reason}."
        assert json.loads(answer)["hint"] == record.remedy
        assert hermes.why("roll") == (False, reason, record.remedy)
        assert "roll" not in [entry["function"]["name"] for entry in hermes.definitions()]


@pytest.fixture
def ward(shop: Shop, dice: str, coin: str) -> Ward:
    return Ward(shop, dice, coin)


def says(record: PluginRecord, *problems: str, remedy: str, status: str = "failed") -> None:
    assert record.problems == problems
    assert record.remedy == remedy
    assert record.status == status


@manifests
def test_1_a_syntax_error(ward: Ward, manifest: bool) -> None:
    _, record = ward.admit("import json\n\ndef broken(:\n    pass\n", manifest=manifest)
    says(record, f"it has a syntax error at {ward.file}:3: invalid syntax.", remedy=MEND)


@manifests
def test_2_an_import_of_what_is_not_there(ward: Ward, manifest: bool) -> None:
    _, record = ward.admit("import no_such_module\n", manifest=manifest)
    says(
        record,
        "it cannot be imported: No module named 'no_such_module'.",
        remedy="Install what provides the module 'no_such_module', or disable the plugin.",
    )


@manifests
def test_2_an_import_of_what_another_package_lacks(ward: Ward, manifest: bool) -> None:
    library = ward.shop.folder / "shop_library"
    library.mkdir()
    (library / "__init__.py").write_text("import json\nimport no_such_module.deep\n")
    _, record = ward.admit("import shop_library\n", manifest=manifest)
    says(
        record,
        f"it cannot be imported: No module named 'no_such_module', which {library / '__init__.py'}:2 imports.",
        remedy="Install what provides the module 'no_such_module', or disable the plugin.",
    )


@manifests
def test_2_an_import_of_a_name_that_a_module_lacks(ward: Ward, manifest: bool) -> None:
    _, record = ward.admit("import json\nfrom textwrap import undent\n", manifest=manifest)
    (problem,) = record.problems
    assert problem.startswith("it cannot be imported: cannot import name 'undent' from 'textwrap'")
    assert problem.endswith(f", at {ward.file}:2.")
    assert record.remedy == MEND


@manifests
def test_3_an_exit(ward: Ward, manifest: bool) -> None:
    _, record = ward.admit("import sys\nsys.exit('bye')\n", manifest=manifest)
    says(record, f"it called sys.exit('bye') while it was loaded, at {ward.file}:2.", remedy=MEND)


@pytest.fixture
def release() -> Iterator[threading.Event]:
    event = threading.Event()
    sys.modules["release_of_shop"] = SimpleNamespace(event=event)  # type: ignore[assignment]
    yield event
    event.set()
    del sys.modules["release_of_shop"]
    for thread in threading.enumerate():
        if thread.name == "hermes-load-bad":
            thread.join(10)


@manifests
def test_4_a_hang(ward: Ward, manifest: bool, release: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_import, "LOAD_SECONDS", 1.0)
    monkeypatch.setenv("HERMES_PLUGINS__IMPORT_SECONDS", "1")
    _, record = ward.admit("import release_of_shop\n\nrelease_of_shop.event.wait(60)\n", manifest=manifest)
    # A process of its own gives up after half of the time: it is used where this one has no other threads.
    problem = rf"it was still loading after (1|0\.5) s without progress, at {re.escape(str(ward.file))}:3\."
    assert [bool(re.fullmatch(problem, said)) for said in record.problems] == [True]
    assert record.remedy.startswith(
        "Move slow work out of its import, or disable it with plugins.disabled in config.yaml."
    )
    assert record.status == "failed"


@manifests
def test_5_a_tool_name_that_another_plugin_has(ward: Ward, manifest: bool) -> None:
    thief = ward.healthy.replace('toolset="coin"', 'toolset="theft"').replace('"heads"', '"stolen"')
    ward.shop.install("healthy", ward.healthy)
    ward.shop.install("thief", thief, manifest=manifest)
    hermes = ward.shop.load()
    for _ in range(2):
        record = ward.shop.record(hermes, "thief")
        says(
            record,
            "tool 'toss' of toolset 'theft' is taken by a tool in toolset 'coin' of the plugin 'healthy'.",
            remedy="Rename it, or disable one of the plugins that claim it.",
            status="partial",
        )
        assert hermes.call("toss") == '"heads"'
        hermes.activate("thief")


@manifests
def test_5_a_tool_name_that_the_plugin_has_twice(ward: Ward, manifest: bool) -> None:
    ward.shop.install("bad", ward.well.replace("return [roll]", "return [roll, roll]"), manifest=manifest)
    hermes = ward.shop.load()
    for _ in range(2):
        says(
            ward.shop.record(hermes, "bad"),
            "tool 'roll' of toolset 'dice' is declared twice by this plugin.",
            remedy="Rename it, or disable one of the plugins that claim it.",
            status="partial",
        )
        assert hermes.call("roll", {"sides": 2}) == "2"


BAD_SCHEMA = """\
from hermes_core import Tool, hookimpl

SCHEMA = {"name": "roll", "parameters": {"type": "object", "properties": {"sides": {"type": "int"}}}}

@hookimpl
def hermes_tools():
    return [Tool.from_schema(SCHEMA, print, toolset="dice")]
"""


@manifests
def test_6_a_schema_that_cannot_be(ward: Ward, manifest: bool) -> None:
    _, record = ward.admit(BAD_SCHEMA, manifest=manifest)
    says(
        record,
        "Tool 'roll', parameter 'sides': 'int' is not a type of JSON. Did you mean 'integer'? "
        f"It is declared at {ward.file}:7.",
        remedy="The types are array, boolean, integer, null, number, object, string.",
    )


def test_6_a_schema_in_the_manifest_that_cannot_be(ward: Ward) -> None:
    ward.shop.install("healthy", ward.healthy)
    ward.shop.install("bad", ward.well)
    ward.shop.write_manifest("bad", lambda made: made["tools"][0].update(parameters={"type": "array"}))
    hermes = ward.shop.load()
    record = ward.examine(hermes)
    says(
        record,
        f"its manifest {ward.manifest} cannot be used: Tool 'roll': its parameters are of type 'array', but arguments "
        'are always an object. Write {"type": "object", "properties": {...}}.',
        remedy="Generate it again with 'hermes plugin manifest', or reinstall the distribution.",
        status="partial",
    )
    assert hermes.call("roll", {"sides": 2}) == "2"


def test_7_a_stale_manifest(ward: Ward) -> None:
    hermes, record = ward.admit(ward.well.replace("sides: int = 6", "sides: int = 8"), manifest=True)
    says(
        record,
        f"its manifest {ward.manifest} is stale: tool 'roll' differs in its parameters.",
        remedy=STALE,
        status="partial",
    )
    assert hermes.call("roll") == "8"


NEWER = "it requires version >=2 of the plugin API, but this hermes-core has version 1.0."
NEWER_REMEDY = "Install a compatible hermes-core, or another version of bad-tools."


@manifests
def test_8_a_newer_api(ward: Ward, manifest: bool) -> None:
    _, record = ward.admit("hermes_api = '>=2'\n" + textwrap.dedent(ward.well), manifest=manifest)
    says(record, NEWER, remedy=NEWER_REMEDY)


def test_8_a_newer_api_by_its_manifest(ward: Ward) -> None:
    ward.shop.install("healthy", ward.healthy)
    ward.shop.install("bad", ward.well)
    ward.shop.write_manifest("bad", lambda made: made.update(api=">=2"))
    says(ward.examine(ward.shop.load()), NEWER, remedy=NEWER_REMEDY)
    assert ward.shop.imported() == ["healthy"]


@manifests
@pytest.mark.parametrize(
    ("requires", "command"),
    [
        ('no-such-module>=2; extra == "fast"', "pip install 'bad-tools[fast]'"),
        ("No.Such_Module ; python_version >= '3' and extra == 'fast'", "pip install 'bad-tools[fast]'"),
        ("python-no-such-module; extra == 'fast'", "pip install 'bad-tools[fast]'"),
        ("no_such_module[speed]>1", "pip install bad-tools"),
    ],
)
def test_9_a_module_of_an_extra_that_is_not_installed(ward: Ward, manifest: bool, requires: str, command: str) -> None:
    _, record = ward.admit("import no_such_module.speed\n", manifest=manifest, requires=("other>=1", requires))
    says(record, "it cannot be imported: No module named 'no_such_module'.", remedy=f"Run: {command}")


@manifests
def test_9_a_tool_that_needs_an_extra_that_is_not_installed(ward: Ward, manifest: bool) -> None:
    well = ward.well.replace('aliases=["throw"]', 'requires_extra=["bad-tools[fast]"]')
    ward.shop.install("healthy", ward.healthy)
    ward.shop.install("bad", well, manifest=manifest, requires=('no-such-module; extra == "fast"',))
    hermes = ward.shop.load()
    says(ward.examine(hermes), remedy="", status="loaded")
    assert json.loads(hermes.call("roll"))["code"] == "unavailable"
    verdict = hermes.why("roll")
    assert not verdict.available
    assert "bad-tools[fast]" in verdict.reason
    assert "no-such-module" in verdict.reason
    assert verdict.remedy == "Run: pip install 'bad-tools[fast]'"


WRONG_ARGUMENTS = """\
from hermes_core import hookimpl

@hookimpl
def hermes_transform_tool_result(calls, ctx):
    return None
"""


@manifests
def test_10_a_hook_with_wrong_arguments(ward: Ward, manifest: bool) -> None:
    _, record = ward.admit(WRONG_ARGUMENTS, manifest=manifest)
    says(
        record,
        f"hermes_transform_tool_result at {ward.file}:3 takes an argument 'calls' that the hook does not give. "
        "It gives call and result and ctx. Did you mean 'call'?",
        remedy="Take only the arguments that the hook documents.",
    )


def test_10_a_hook_that_gives_no_arguments(ward: Ward) -> None:
    source = "from hermes_core import hookimpl\n@hookimpl(specname='hermes_tools')\ndef mine(registry): return []\n"
    _, record = ward.admit(source, manifest=False)
    says(
        record,
        f"hermes_tools at {ward.file}:2 takes an argument 'registry' that the hook does not give. It gives none.",
        remedy="Take only the arguments that the hook documents.",
    )


@manifests
def test_whatever_else_is_raised_says_where(ward: Ward, manifest: bool) -> None:
    source = "import json\n\ndef read():\n    return json.loads('{')\n\nread()\n"
    _, record = ward.admit(source, manifest=manifest)
    says(
        record,
        "it raised JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1) "
        f"while it was loaded, at {ward.file}:4.",
        remedy=MEND,
    )


def test_all_at_once_leave_the_healthy_one_alone(ward: Ward) -> None:
    ward.shop.install("healthy", ward.healthy)
    sources = [
        "def broken(:",
        "import no_such_module",
        "raise SystemExit",
        BAD_SCHEMA,
        WRONG_ARGUMENTS,
        "hermes_api = '>=2'",
    ]
    for number, source in enumerate(sources):
        ward.shop.install(f"bad{number}", source, manifest=False)
    hermes = ward.shop.load()
    assert hermes.call("toss") == '"heads"'
    assert [record.name for record in hermes.report.problems] == [f"bad{number}" for number in range(len(sources))]
    assert all(record.problems and record.remedy for record in hermes.report.problems)
