"""The first call of a tool imports the module that declares it, where the manifest names that module."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hermes_core.plugins.generated_manifest import manifest_text
from hermes_core.plugins.manifest import FILE
from hermes_core.tools.plain_signature import PlainSignature

if TYPE_CHECKING:
    from plugins.conftest import Shop

    from hermes_core import Hermes

PLUGIN = """
    from hermes_core import hookimpl

    @hookimpl
    def hermes_tools():
        from shop_dice.tools import roll, toss
        return [roll.roll, toss.toss]
"""
TOOL = '''
    from hermes_core import tool

    @tool(toolset="games", effects=["read"])
    def {name}() -> str:
        """Play."""
        return "{name}"
'''


@pytest.fixture
def games(shop: Shop) -> Shop:
    """A plugin with two tools in modules of their own."""
    shop.install("dice", PLUGIN, manifest=False)
    folder = shop.folder / "shop_dice" / "tools"
    folder.mkdir()
    (folder / "__init__.py").touch()
    for name in ("roll", "toss"):
        write(shop, name, TOOL.format(name=name))
    shop.write_manifest("dice")
    return shop


def write(shop: Shop, name: str, source: str) -> None:
    import textwrap

    (shop.folder / "shop_dice" / "tools" / f"{name}.py").write_text(textwrap.dedent(source))
    for stale in shop.folder.glob("shop_dice/tools/__pycache__/*"):
        stale.unlink()
    shop.forget()


def change(shop: Shop, **facts: Any) -> None:
    made = shop.read_manifest("dice")
    made["tools"][0].update(facts)
    (shop.folder / "shop_dice" / FILE).write_text(manifest_text(made))


def test_a_manifest_names_the_module_of_each_tool(games: Shop) -> None:
    sources = {entry["name"]: entry["source"] for entry in games.read_manifest("dice")["tools"]}
    assert sources == {"roll": "shop_dice.tools.roll:roll", "toss": "shop_dice.tools.toss:toss"}


def test_a_tool_in_the_module_of_the_plugin_needs_no_source(shop: Shop, dice: str) -> None:
    shop.install("dice", dice)
    assert "source" not in shop.read_manifest("dice")["tools"][0]


def test_a_call_imports_only_the_module_of_its_tool(games: Shop) -> None:
    hermes = games.load()
    assert hermes.call("roll") == '"roll"'
    assert games.imported() == ["dice", "dice.tools", "dice.tools.roll"]
    assert games.record(hermes, "dice").status == "loaded"
    assert not games.record(hermes, "dice").problems
    assert hermes.call("toss") == '"toss"'
    assert "dice.tools.toss" in games.imported()


def test_a_batch_imports_the_modules_of_its_tools(games: Shop) -> None:
    hermes = games.load()
    assert hermes.batch(["roll", "toss"]) == ['"roll"', '"toss"']
    assert games.imported() == ["dice", "dice.tools", "dice.tools.roll", "dice.tools.toss"]


def test_the_whole_plugin_can_be_imported_after_one_of_its_tools(games: Shop) -> None:
    hermes = games.load()
    hermes.call("roll")
    assert hermes.activate("dice").get("dice") == games.record(hermes, "dice")
    assert games.record(hermes, "dice").imported
    assert (hermes.call("roll"), hermes.call("toss")) == ('"roll"', '"toss"')


def test_a_tool_that_is_not_what_its_manifest_says_is_reported_and_the_code_counts(games: Shop) -> None:
    write(games, "roll", TOOL.format(name="roll").replace('"read"', '"delete"'))
    hermes = games.load()
    assert hermes.call("roll") == '"roll"'
    record = games.record(hermes, "dice")
    assert "stale" in record.problems[0]
    assert [spec.effects for spec in hermes.tools(["games"]) if spec.name == "roll"] == [frozenset({"delete"})]


@pytest.mark.parametrize("source", ["shop_dice.tools.none:roll", "shop_dice.tools.roll:none", "json:loads", "", "::"])
def test_a_wrong_source_means_the_whole_plugin_is_imported(games: Shop, source: str) -> None:
    change(games, source=source)
    hermes = games.load()
    assert hermes.call("roll") == '"roll"'
    assert games.record(hermes, "dice").imported
    assert "differs in its source" in games.record(hermes, "dice").problems[0]


def test_a_manifest_without_sources_is_not_stale(games: Shop) -> None:
    made = games.read_manifest("dice")
    for entry in made["tools"]:
        del entry["source"]
    (games.folder / "shop_dice" / FILE).write_text(manifest_text(made))
    hermes = games.load()
    assert hermes.call("roll") == '"roll"'
    assert games.record(hermes, "dice").imported
    assert not games.record(hermes, "dice").problems


def test_a_module_that_fails_says_so_and_leaves_the_host_alone(games: Shop) -> None:
    write(games, "roll", "import missing_for_sure\n")
    hermes = games.load()
    assert "missing_for_sure" in json.loads(hermes.call("roll"))["error"]
    assert games.record(hermes, "dice").status == "failed"


TYPED = """
    from __future__ import annotations

    from typing import TYPE_CHECKING, Annotated

    from hermes_core import ToolContext, tool

    if TYPE_CHECKING:
        from pydantic import Field

    @tool(toolset="games", effects=["read"])
    def roll(
        ctx: ToolContext,
        sides: Annotated[int, Field(description="How many sides.", ge=2)],
        factor: float = 1,
        names: list[str] | None = None,
    ) -> list[object]:
        '''Play.'''
        return [sides, factor, type(factor).__name__, names, ctx.call.name]
"""


@pytest.fixture
def typed(games: Shop) -> Shop:
    """The same with a tool that has parameters, of plain types."""
    write(games, "roll", TYPED)
    games.write_manifest("dice")
    return games


def signature_of(hermes: Hermes, name: str) -> object:
    return hermes.registry.snapshot._tools[name].signature


def test_a_tool_of_plain_types_takes_its_schema_from_the_manifest(typed: Shop) -> None:
    hermes = typed.load()
    before = hermes.definitions(["games"])
    assert json.loads(hermes.call("roll", {"sides": 6, "factor": 2})) == [6, 2.0, "float", None, "roll"]
    assert isinstance(signature_of(hermes, "roll"), PlainSignature)
    assert hermes.definitions(["games"]) == before
    assert json.loads(hermes.call("roll", {"sides": "6", "names": "a"}))[:1] == [6]  # repaired as everywhere


@pytest.mark.parametrize(
    ("args", "named"),
    [({}, "sides"), ({"sides": 1}, "sides"), ({"sides": 6, "names": [[]]}, "names"), ({"sides": 6, "x": 1}, "x")],
    ids=repr,
)
def test_the_schema_of_the_manifest_is_checked(typed: Shop, args: dict[str, Any], named: str) -> None:
    hermes = typed.load()
    answer = json.loads(hermes.call("roll", args))
    assert named in answer["error"]
    assert "Invalid arguments" in answer["error"]


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("factor: float = 1", "factor: float = 2"),
        ("factor: float = 1", "times: float = 1"),
        ("factor: float = 1,", ""),
        ("names: list[str] | None = None", "names: list[str] | None"),
    ],
)
def test_a_function_that_its_manifest_does_not_describe_is_read_itself(typed: Shop, was: str, becomes: str) -> None:
    order = TYPED.replace("ctx: ToolContext,", "ctx: ToolContext, *,")
    write(typed, "roll", order.replace(was, becomes).replace("factor, type(factor).__name__", "1, ''"))
    hermes = typed.load()
    hermes.call("roll", {"sides": 6})
    assert not isinstance(signature_of(hermes, "roll"), PlainSignature)
    assert "stale" in typed.record(hermes, "dice").problems[0]


@pytest.mark.parametrize("kind", ["set[str]", "Annotated[str, AfterValidator(str.upper)]", "Color"])
def test_a_function_with_other_types_is_read_with_pydantic(games: Shop, kind: str) -> None:
    source = f"""
        from enum import Enum
        from typing import Annotated
        from pydantic import AfterValidator
        from hermes_core import tool

        class Color(Enum):
            RED = "r"

        @tool(toolset="games", effects=["read"])
        def roll(what: {kind}) -> str:
            return repr(what)
    """
    write(games, "roll", source)
    games.write_manifest("dice")
    hermes = games.load()
    given: object = ["r"] if kind == "set[str]" else "r"
    assert hermes.call("roll", {"what": given}) in ("\"{'r'}\"", "\"'R'\"", "\"<Color.RED: 'r'>\"")
    assert not isinstance(signature_of(hermes, "roll"), PlainSignature)
