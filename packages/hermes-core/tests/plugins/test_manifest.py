"""A manifest is read without trust: whatever it holds, the plugin is loaded from it, or from its code with a word."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
import textwrap
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_core import Hermes, PluginError, ToolDefinitionError
from hermes_core.config.core_settings import CORE_SECTION_NAMES
from hermes_core.config.sections import CORE_SECTIONS, SectionSpec
from hermes_core.inspection import plugin_sections
from hermes_core.plugins.manifest import FILE, Manifest, find_manifest, manifest_places, read_manifest
from hermes_core.tools.lazy_tool import lazy_tool
from hermes_core.tools.tool_spec import LazyHandler

if TYPE_CHECKING:
    from plugins.conftest import Shop

OR_HELP = "or a help that is not text"
BARE: dict[str, Any] = {"manifest": 1, "plugin": "dice", "api": ">=1.0,<2"}
ROLL: dict[str, Any] = {"name": "roll", "toolset": "dice", "parameters": {"type": "object", "properties": {}}}


def read(data: object) -> Manifest | None:
    return read_manifest("dice", json.dumps(data).encode(), "dice.json")


def make_nothing() -> object:
    return None


# Its shape


def test_the_smallest_manifest_brings_nothing() -> None:
    found = read(BARE)
    assert found is not None
    assert (found.plugin, found.api, found.file) == ("dice", ">=1.0,<2", "dice.json")
    assert (*found.tools, *found.toolsets, *found.settings, *found.commands, *found.hooks) == ()
    assert found.providers == {}
    assert found.call_hooks == ()


def test_a_manifest_of_another_plugin_is_not_ours() -> None:
    assert read({**BARE, "plugin": "coin"}) is None
    assert read({"plugin": "coin"}) is None


def test_what_a_later_version_adds_is_passed_over() -> None:
    found = read({**BARE, "icons": ["x"], "tools": [{**ROLL, "smell": "of wood"}]})
    assert found is not None
    assert [tool.name for tool in found.offer(lambda _p, _n: make_nothing).tools] == ["roll"]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (None, "it does not contain an object"),
        ([], "it does not contain an object"),
        ("x", "it does not contain an object"),
        ({}, '"plugin" is not the name of the plugin'),
        ({**BARE, "plugin": 5}, '"plugin" is not the name of the plugin'),
        ({**BARE, "api": 1}, '"api" is not a range of versions such as ">=1.0,<2"'),
        ({"manifest": 1, "plugin": "dice"}, '"api" is not a range of versions such as ">=1.0,<2"'),
        ({**BARE, "manifest": 2}, '"manifest" is 2, and this version reads format 1'),
        ({**BARE, "manifest": True}, '"manifest" is True, and this version reads format 1'),
        ({**BARE, "manifest": "1"}, "\"manifest\" is '1', and this version reads format 1"),
        ({**BARE, "tools": {}}, '"tools" is not a list'),
        ({**BARE, "toolsets": "x"}, '"toolsets" is not a list'),
        ({**BARE, "settings": 5}, '"settings" is not a list'),
        ({**BARE, "commands": None}, '"commands" is not a list'),
        ({**BARE, "hooks": {"hermes_tools": 1}}, '"hooks" is not a list'),
        ({**BARE, "tools": [5]}, 'an entry of "tools" is not an object with a name'),
        ({**BARE, "tools": [{}]}, 'an entry of "tools" is not an object with a name'),
        ({**BARE, "toolsets": [{"name": 5}]}, 'an entry of "toolsets" is not an object with a name'),
        ({**BARE, "settings": [["x"]]}, 'an entry of "settings" is not an object with a name'),
        ({**BARE, "settings": [{"name": "x"}]}, 'an entry of "settings" has no schema'),
        (
            {**BARE, "settings": [{"name": "a b", "schema": {}}]},
            "an entry of \"settings\" has the name 'a b', which is not a valid section name",
        ),
        (
            {**BARE, "settings": [{"name": "", "schema": {}}]},
            "an entry of \"settings\" has the name '', which is not a valid section name",
        ),
        (
            {**BARE, "commands": [{"name": " "}]},
            f"an entry of \"commands\" has an invalid name ' ', {OR_HELP}",
        ),
        (
            {**BARE, "commands": [{"name": "-x"}]},
            f"an entry of \"commands\" has an invalid name '-x', {OR_HELP}",
        ),
        (
            {**BARE, "commands": [{"name": "x", "help": 5}]},
            f"an entry of \"commands\" has an invalid name 'x', {OR_HELP}",
        ),
        ({**BARE, "hooks": [5]}, '"hooks" contains something that is not a hook'),
        ({**BARE, "hooks": ["pytest_configure"]}, '"hooks" contains something that is not a hook'),
        ({**BARE, "providers": []}, '"providers" is not an object of lists of names'),
        ({**BARE, "providers": {"web": "x"}}, '"providers" is not an object of lists of names'),
        ({**BARE, "providers": {"web": [5]}}, '"providers" is not an object of lists of names'),
    ],
)
def test_a_wrong_shape_is_refused_in_words(data: object, problem: str) -> None:
    with pytest.raises(PluginError) as caught:
        read(data)
    assert caught.value.reason == f"its manifest dice.json cannot be used: {problem}."
    assert caught.value.remedy == "Generate it again with 'hermes plugin manifest', or reinstall the distribution."


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "Expecting value: line 1 column 1 (char 0)"),
        (b"{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        (b'{"a": NaN}', "NaN is not a JSON value"),
        (b'{"a": [-Infinity]}', "-Infinity is not a JSON value"),
        (b'{"a": 1e999}', "the number 1e999 is too large"),
        (b'{"a": "\xe9"}', "it is not UTF-8"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b'{"a":' * 100_000, "it is nested too deeply"),
        (b" " * (4 * 1024 * 1024 + 1), "more than 4 MiB"),
    ],
    ids=["empty", "cut", "nan", "infinity", "large", "latin", "lists", "objects", "huge"],
)
def test_what_is_no_json_is_refused_in_words(text: bytes, why: str) -> None:
    with pytest.raises(PluginError) as caught:
        read_manifest("dice", text, "dice.json")
    assert caught.value.reason == f"its manifest dice.json is not valid JSON: {why}."


def test_a_number_with_too_many_digits_is_refused() -> None:
    with pytest.raises(PluginError, match="is not valid JSON"):
        read_manifest("dice", b'{"a": ' + b"9" * 10_000 + b"}", "dice.json")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_that_json_may_have_are_read(encoding: str) -> None:
    data = {**BARE, "tools": [{**ROLL, "description": "Würfel 🎲"}]}
    found = read_manifest("dice", json.dumps(data, ensure_ascii=False).encode(encoding), "dice.json")
    assert found is not None
    assert found.tools[0]["description"] == "Würfel 🎲"


def test_what_a_manifest_says_cannot_be_changed() -> None:
    found = read({**BARE, "tools": [{**ROLL, "keywords": [["x"]]}]})
    assert found is not None
    with pytest.raises(TypeError):
        found.tools.append({})  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        found.tools[0]["name"] = "x"  # type: ignore[index]
    with pytest.raises(TypeError):
        found.tools[0]["keywords"][0].append("y")


# Its tools


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": ""}, "is not a name that model APIs accept"),
        ({"name": "röll"}, "is not a name that model APIs accept"),
        ({"name": "x" * 65}, "is not a name that model APIs accept"),
        ({"toolset": None}, "has no toolset"),
        ({"toolset": 5}, "has no toolset"),
        ({"toolset": " "}, "has no toolset"),
        ({"toolset": "all"}, "cannot be called 'all'"),
        ({"description": None}, "its description is a NoneType"),
        ({"description": ["x"]}, "its description is a list"),
        ({"parameters": []}, "its parameters are a list"),
        ({"parameters": {"type": "array"}}, "arguments are always an object"),
        ({"parameters": {"properties": []}}, "the properties of its parameters are not a mapping"),
        ({"parameters": {"required": "x"}}, "'required' is 'x'"),
        ({"is_async": 1}, "is_async is 1, not True or False"),
        ({"always_load": "yes"}, "always_load is 'yes', not True or False"),
        ({"emoji": 5}, "emoji is 5, not text"),
        ({"requires_env": "KEY"}, "requires_env is 'KEY'"),
        ({"requires_env": [5]}, "requires_env holds 5, which is not a name"),
        ({"requires_bin": [None]}, "requires_bin holds None, which is not a name"),
        ({"requires_extra": [["x"]]}, "requires_extra holds ['x'], which is not a name"),
        ({"needs": [{}]}, "needs a service by type or by name, not by {}"),
        ({"keywords": {}}, "keywords is {}"),
        ({"effects": ["reed"]}, "'reed' is not an effect"),
        ({"effects": "read"}, "effects is 'read'"),
        ({"aliases": ["roll"]}, "lists its own name as an alias"),
        ({"aliases": ["a b"]}, "'a b' is not a name"),
        ({"timeout": 0}, "timeout is 0"),
        ({"timeout": -1}, "timeout is -1"),
        ({"timeout": True}, "timeout is True"),
        ({"timeout": "5"}, "timeout is '5'"),
        ({"max_result_size_chars": 0}, "max_result_size_chars is 0"),
        ({"argument_aliases": []}, "argument_aliases is not a mapping of names"),
        ({"argument_aliases": {"n": 5}}, "argument_aliases is not a mapping of names"),
        ({"argument_aliases": {"n": "count"}}, "stands for 'count', which is not a parameter"),
        ({"code": "check"}, "code is 'check'"),
        ({"source": 5}, "source is 5"),
    ],
    ids=str,
)
def test_a_tool_that_cannot_be_is_refused_in_words(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ToolDefinitionError) as caught:
        lazy_tool({**ROLL, **change}, LazyHandler("dice"))
    assert said in str(caught.value)


def test_a_lazy_tool_cannot_be_run_by_accident() -> None:
    made = lazy_tool(ROLL, LazyHandler("dice"))
    with pytest.raises(RuntimeError, match="the plugin 'dice' is not imported yet"):
        made()


@pytest.mark.parametrize(
    "toolset",
    [
        {"name": ""},
        {"name": "all"},
        {"name": "x", "description": 5},
        {"name": "x", "tools": 5},
        {"name": "x", "tools": "roll"},
        {"name": "x", "tools": [5]},
        {"name": "x", "includes": {}},
        {"name": "x", "aliases": ["*"]},
    ],
    ids=str,
)
def test_a_toolset_that_cannot_be_is_refused(toolset: dict[str, Any]) -> None:
    found = read({**BARE, "toolsets": [toolset]})
    assert found is not None
    with pytest.raises(ToolDefinitionError):
        found.offer(lambda _p, _n: make_nothing)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(-2, 2)
    | st.sampled_from(["", "x", "roll", "all", ">=1"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "type", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    key=st.sampled_from(["manifest", "api", "tools", "toolsets", "settings", "commands", "hooks", "providers"]),
    value=json_values,
)
def test_any_value_anywhere_is_read_or_refused_by_our_own_errors(key: str, value: Any) -> None:
    try:
        found = read({**BARE, key: value})
        assert found is not None
        offer = found.offer(lambda _p, _n: make_nothing)
    except (PluginError, ToolDefinitionError):
        return
    sections = [SectionSpec.from_dict(dict(one), owner="x") for one in found.settings]
    assert len(sections) == len(found.settings)
    assert len(offer.tools) == len(found.tools)


@settings(max_examples=300, deadline=None)
@given(
    key=st.sampled_from(["name", "toolset", "parameters", "effects", "timeout", "aliases", "code"]), value=json_values
)
def test_any_value_in_a_tool_makes_a_tool_or_our_own_error(key: str, value: Any) -> None:
    try:
        made = lazy_tool({**ROLL, key: value}, LazyHandler("dice"))
    except ToolDefinitionError:
        return
    assert made.spec.name
    assert json.dumps(made.parameters)


# Through a host


def load_with(shop: Shop, source: str, text: str | bytes) -> Hermes:
    package = shop.install("dice", source)
    (package / "hermes-plugin.json").write_bytes(text.encode() if isinstance(text, str) else text)
    return shop.load()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not valid JSON: Expecting property name"),
        (b"\xff\xfe\x00", "is not valid JSON"),
        (" " * 5_000_000, "is not valid JSON: more than 4 MiB"),
        ("[" * 50_000, "is not valid JSON: it is nested too deeply"),
        (json.dumps({**BARE, "manifest": 9}), 'cannot be used: "manifest" is 9'),
        (json.dumps({**BARE, "tools": [{**ROLL, "effects": ["reed"]}]}), "cannot be used: Tool 'roll': 'reed'"),
        (json.dumps({**BARE, "toolsets": [{"name": "all"}]}), "cannot be used: Tool 'all'"),
        (json.dumps({**BARE, "settings": [{"name": "a.b", "schema": {}}]}), "cannot be used: an entry of"),
    ],
    ids=["cut", "bytes", "5 MB", "deep", "format", "tool", "toolset", "section"],
)
def test_a_plugin_whose_manifest_cannot_be_used_is_imported_and_reported(
    shop: Shop, dice: str, text: str | bytes, said: str
) -> None:
    hermes = load_with(shop, dice, text)
    record = shop.record(hermes, "dice")
    assert (record.status, record.tools, record.imported) == ("partial", ("roll",), True)
    assert len(record.problems) == 1
    assert record.problems[0].startswith(f"its manifest {shop.folder / 'shop_dice' / 'hermes-plugin.json'} ")
    assert said in record.problems[0]
    assert record.remedy == "Generate it again with 'hermes plugin manifest', or reinstall the distribution."
    assert hermes.call("roll", {"sides": 2}) == "2"
    assert plugin_sections(hermes) == ()


def test_a_deeply_nested_schema_is_read_and_shown(shop: Shop, dice: str) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(60):
        schema = {"type": "object", "properties": {"x": schema}}
    tools = [{**ROLL, "parameters": schema}]
    hermes = load_with(shop, dice, json.dumps({**BARE, "tools": tools, "hooks": ["hermes_tools"]}))
    assert shop.imported() == []
    for format in ("openai", "anthropic", "responses", "mcp"):
        assert len(hermes.definitions(format=format)) == 1


def test_a_tool_listed_twice_stands_once_and_is_reported(shop: Shop, dice: str) -> None:
    package = shop.install("dice", dice)
    shop.write_manifest("dice", lambda made: made["tools"].append(made["tools"][0]))
    assert (package / "hermes-plugin.json").exists()
    hermes = shop.load()
    assert shop.imported() == []
    assert shop.record(hermes, "dice").problems == ("tool 'roll' of toolset 'dice' is declared twice by this plugin.",)
    assert hermes.call("roll", {"sides": 2}) == "2"


def test_a_folder_in_the_place_of_the_manifest_is_reported(shop: Shop, dice: str) -> None:
    package = shop.install("dice", dice, manifest=False)
    (package / "hermes-plugin.json").mkdir()
    hermes = shop.load()
    assert shop.record(hermes, "dice").problems == (
        f"its manifest {package / 'hermes-plugin.json'} cannot be read (Is a directory).",
    )
    assert hermes.call("roll", {"sides": 2}) == "2"


@pytest.mark.parametrize(
    ("api", "reason"),
    [
        (">=2", "it requires version >=2 of the plugin API, but this hermes-core has version 1.0."),
        ("<1.0", "it requires version <1.0 of the plugin API, but this hermes-core has version 1.0."),
        ("~=1.1", "it requires version ~=1.1 of the plugin API, but this hermes-core has version 1.0."),
        ("!=1.0", "it requires version !=1.0 of the plugin API, but this hermes-core has version 1.0."),
        ("1.0", "it requires version '1.0' of the plugin API: '1.0' is not a range of versions."),
        ("", "it requires version '' of the plugin API: '' is not a range of versions."),
        (">=one", "it requires version '>=one' of the plugin API: 'one' is not a version of the plugin API."),
        (">=1.0,", "it requires version '>=1.0,' of the plugin API: '>=1.0,' is not a range of versions."),
    ],
)
def test_a_plugin_for_another_api_is_refused_before_it_is_imported(
    shop: Shop, dice: str, api: str, reason: str
) -> None:
    shop.install("dice", dice)
    shop.write_manifest("dice", lambda made: made.update(api=api))
    hermes = shop.load()
    record = shop.record(hermes, "dice")
    assert (record.status, record.problems) == ("failed", (reason,))
    assert record.remedy
    assert reason.rstrip(".") in hermes.why("roll").reason
    assert hermes.definitions() == []
    assert json.loads(hermes.call("roll"))["code"] == "unavailable"
    assert shop.imported() == []


@pytest.mark.parametrize("api", [">=1.0,<2", ">=1", "==1.0", "==1", "~=1.0", ">0.9", "<=1.0.0", " >= 1.0 , < 2 "])
def test_a_plugin_for_this_api_is_accepted(shop: Shop, dice: str, api: str) -> None:
    shop.install("dice", dice)
    shop.write_manifest("dice", lambda made: made.update(api=api))
    assert shop.record(shop.load(), "dice").status == "loaded"


# Where it lies


def test_an_entry_point_that_names_an_object_of_a_submodule_has_its_manifest_in_the_package(shop: Shop) -> None:
    package = shop.install("dice", manifest=False, entry="shop_dice.inner.plugin:Plugin")
    inner = package / "inner"
    inner.mkdir()
    source = """
        from hermes_core import hookimpl, tool

        @tool(toolset="dice")
        def roll() -> int:
            '''Roll.'''
            return 6

        class Plugin:
            @hookimpl
            def hermes_tools(self):
                return [roll]
    """
    (inner / "__init__.py").write_text("")
    (inner / "plugin.py").write_text(textwrap.dedent(source))
    assert manifest_places("shop_dice.inner.plugin") == [str(inner), str(package)]
    made = shop.write_manifest("dice", entry="shop_dice.inner.plugin:Plugin")
    hermes = shop.load()
    assert shop.imported() == []
    assert hermes.call("roll") == "6"
    (package / "hermes-plugin.json").rename(inner / "hermes-plugin.json")
    shop.forget()
    hermes = shop.load()
    assert [spec.name for spec in hermes.tools()] == [entry["name"] for entry in made["tools"]]
    assert shop.imported() == []


def test_two_plugins_in_one_package_have_a_manifest_each(shop: Shop, dice: str, coin: str) -> None:
    package = shop.install("dice", dice, manifest=False)
    (package / "coin.py").write_text(textwrap.dedent(coin))
    (shop.folder / "dice_tools-1.0.dist-info" / "entry_points.txt").write_text(
        "[hermes.plugins]\ndice = shop_dice\ncoin = shop_dice.coin\n"
    )
    shop.write_manifest("dice")
    (package / "hermes-plugin.json").rename(package / "hermes-plugin.dice.json")
    (package / "hermes-plugin.json").write_text(
        json.dumps(
            {
                **BARE,
                "plugin": "coin",
                "hooks": ["hermes_tools"],
                "tools": [{**ROLL, "name": "toss", "toolset": "coin"}],
            }
        )
    )
    hermes = shop.load()
    assert shop.imported() == []
    assert [(one.name, one.tools, one.imported) for one in hermes.report] == [
        ("coin", ("toss",), False),
        ("dice", ("roll",), False),
    ]
    assert hermes.call("roll") == "6"


def test_a_plugin_whose_package_holds_only_the_manifest_of_another_is_imported(shop: Shop, dice: str) -> None:
    shop.install("dice", dice)
    shop.write_manifest("dice", lambda made: made.update(plugin="other"))
    hermes = shop.load()
    assert shop.imported() == ["dice"]
    assert shop.record(hermes, "dice").status == "loaded"


def test_a_package_in_an_archive_has_its_manifest_in_the_archive(
    shop: Shop, dice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = shop.install("dice", dice)
    archive = tmp_path / "dice.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        for file in ("__init__.py", "hermes-plugin.json"):
            opened.write(package / file, f"shop_dice/{file}")
    shutil.rmtree(package)
    monkeypatch.syspath_prepend(archive)
    shop.forget()
    found = find_manifest("dice", "shop_dice")
    assert found is not None
    assert found.file == f"{archive}/shop_dice/hermes-plugin.json"
    hermes = shop.load()
    assert shop.imported() == []
    assert hermes.call("roll", {"sides": 2}) == "2"


def test_an_archive_without_a_manifest_has_none(shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "bare.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("shop_bare/__init__.py", "")
    monkeypatch.syspath_prepend(archive)
    importlib.invalidate_caches()
    assert find_manifest("bare", "shop_bare") is None


def test_a_namespace_package_has_its_manifest_in_any_of_its_folders(
    shop: Shop, dice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.install("dice", dice, entry="shop_dice.plugin", manifest=False)
    package = shop.folder / "shop_dice"
    (package / "__init__.py").unlink()
    other = tmp_path / "other" / "shop_dice"
    other.mkdir(parents=True)
    (other / "plugin.py").write_text(textwrap.dedent(dice))
    monkeypatch.syspath_prepend(tmp_path / "other")
    importlib.invalidate_caches()
    shop.write_manifest("dice", entry="shop_dice.plugin")
    hermes = shop.load()
    assert shop.imported() == []
    assert hermes.call("roll", {"sides": 2}) == "2"


def test_an_editable_installation_has_its_manifest_in_the_source_tree(
    shop: Shop, dice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = shop.install("dice", dice)
    source = tmp_path / "src"
    source.mkdir()
    package.rename(source / "shop_dice")
    monkeypatch.setattr(sys, "path", [*sys.path, str(source)])  # what a .pth file does when Python starts
    shop.forget()
    hermes = shop.load()
    assert shop.imported() == []
    assert shop.record(hermes, "dice").tools == ("roll",)
    assert hermes.call("roll", {"sides": 2}) == "2"


def test_an_editable_installation_by_an_import_hook_has_its_manifest_too(
    shop: Shop, dice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib.util import spec_from_file_location

    package = shop.install("dice", dice)
    moved = tmp_path / "src" / "shop_dice"
    moved.parent.mkdir()
    package.rename(moved)

    class Finder:
        @staticmethod
        def find_spec(name: str, path: object = None, target: object = None) -> Any:
            if name == "shop_dice":
                return spec_from_file_location(name, moved / "__init__.py", submodule_search_locations=[str(moved)])
            return None

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    shop.forget()
    hermes = shop.load()
    assert shop.imported() == []
    assert hermes.call("roll", {"sides": 2}) == "2"


def test_an_import_hook_that_breaks_hides_only_what_it_would_have_found(
    shop: Shop, dice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.install("dice", dice)

    class Broken:
        @staticmethod
        def find_spec(name: str, path: object = None, target: object = None) -> Any:
            if name == "shop_dice":
                raise RuntimeError("not today")
            return None

    monkeypatch.setattr(sys, "meta_path", [Broken, *sys.meta_path])
    found = find_manifest("dice", "shop_dice")
    assert found is not None
    assert [entry["name"] for entry in found.tools] == ["roll"]


def test_a_module_that_is_no_package_or_is_not_there_has_no_manifest() -> None:
    assert manifest_places("textwrap") == []
    assert manifest_places("no_such_module_anywhere.plugin") == []
    assert find_manifest("x", "no_such_module_anywhere") is None


def test_a_plugin_with_a_name_that_no_file_can_have_is_reported(shop: Shop) -> None:
    shop.install("dice", manifest=False)
    with pytest.raises(PluginError, match="cannot be read"):
        find_manifest("di\0ce", "shop_dice")
    with pytest.raises(PluginError, match="cannot be read"):
        find_manifest("x" * 300, "shop_dice")


def test_the_sections_that_plugins_may_not_take_are_those_of_the_core() -> None:
    assert {section.name for section in CORE_SECTIONS} == CORE_SECTION_NAMES


# Files that are no manifests


@pytest.mark.parametrize("kind", ["pipe", "link to a pipe", "device", "link to a device", "socket", "loop", "nowhere"])
def test_what_is_not_a_regular_file_is_refused_without_waiting_for_it(
    shop: Shop, dice: str, tmp_path: Path, kind: str
) -> None:
    import os
    import socket

    file = shop.install("dice", dice) / FILE
    file.unlink()
    target = tmp_path / "outside" if kind.startswith("link") else file
    target.parent.mkdir(exist_ok=True)
    if kind.endswith("pipe"):
        os.mkfifo(target)
    elif kind.endswith("device"):
        target = Path("/dev/zero")
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind(os.path.relpath(file))
    if kind in ("link to a pipe", "device", "link to a device"):
        file.symlink_to(target)
    elif kind == "loop":
        file.symlink_to(file.name)
    elif kind == "nowhere":
        file.symlink_to(tmp_path / "nowhere")
    hermes = shop.load()
    record = shop.record(hermes, "dice")
    assert (record.status, record.imported) == ("partial", True)
    assert str(file) in record.problems[0]
    assert hermes.call("roll", {"sides": 3}) == "3"


def test_a_link_to_a_manifest_elsewhere_is_read(shop: Shop, dice: str, tmp_path: Path) -> None:
    file = shop.install("dice", dice) / FILE
    file.rename(tmp_path / "elsewhere.json")
    file.symlink_to(tmp_path / "elsewhere.json")
    assert shop.record(shop.load(), "dice").imported is False


def test_a_manifest_that_is_too_large_is_not_read_to_its_end(shop: Shop, dice: str) -> None:
    file = shop.install("dice", dice) / FILE
    with file.open("ab") as opened:
        opened.truncate(1 << 40)
    record = shop.record(shop.load(), "dice")
    assert "more than 4 MiB" in record.problems[0]
    assert record.imported
