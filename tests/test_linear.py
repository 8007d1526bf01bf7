"""Nothing is worse than linear in its input: each case is run with n and with 2n, and work is counted, not seconds.

Work is the number of bytecode instructions that are executed. It is the same on every machine and in every run, and it
does not see loops inside C code: where such a loop matters, a case counts what the loop goes over instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from bench.work import FACTOR, Job, Make, assert_linear, make_tool, make_tools, work

from hermes_core import Hermes, Tool, Toolset
from hermes_core.calls.batch import footprint
from hermes_core.calls.results import as_json, encode
from hermes_core.calls.spill import Spill
from hermes_core.tools.definitions import FORMATS
from hermes_core.tools.registry import Registry
from hermes_core.tools.toolset import ToolsetCatalog
from hermes_files.access_order import Footprint, waits
from hermes_schemas import repair_arguments
from hermes_schemas.checker import compile_checker
from hermes_schemas.docstring import read_docstring
from hermes_schemas.provider_formats import sanitize_parameters, strip_pattern_and_format
from hermes_schemas.readonly import frozen, thawed
from hermes_schemas.repair import Repairer
from hermes_text import sanitize_error
from hermes_text.secrets import mask_secrets, redact

# -- the registry and what models are shown --------------------------------------------------------------------------


def register_each(registry: Registry, tools: Iterable[Tool]) -> None:
    for tool in tools:
        registry.register(tool)


def registering(n: int) -> Job:
    registry, tools = Registry(), make_tools(n)
    return lambda: register_each(registry, tools)


def registering_at_once(n: int) -> Job:
    tools = make_tools(n)
    return lambda: Registry().register_all(tools)


def registering_with_aliases(n: int) -> Job:
    registry = Registry()
    tools = [make_tool(f"tool_{number}", aliases=[f"alias_{number}"]) for number in range(n)]
    return lambda: register_each(registry, tools)


def replacing_a_toolset(n: int) -> Job:
    registry = Registry()
    registry.register_all(make_tools(n))
    fresh = make_tools(n)
    return lambda: registry.replace_toolset("many", fresh)


def deregistering(n: int) -> Job:
    registry = Registry()
    registry.register_all(make_tools(n))
    return lambda: [registry.deregister(f"tool_{number}") for number in range(n)]


def deregistering_toolsets(n: int) -> Job:
    registry = Registry()
    registry.register_all(make_tool(f"tool_{number}", toolset=f"set_{number}") for number in range(n))
    return lambda: [registry.deregister(f"tool_{number}") for number in range(n)]


def definitions_cold(n: int) -> Job:
    hermes = Hermes(tools=make_tools(n))
    return lambda: hermes.definitions(everything=True)


def definitions_warm(n: int) -> Job:
    hermes = Hermes(tools=make_tools(n))
    hermes.definitions(everything=True)
    return lambda: hermes.definitions(everything=True)


def definitions_after_a_registration(n: int) -> Job:
    hermes = Hermes(tools=make_tools(n))
    hermes.definitions(everything=True)
    hermes.registry.register(make_tool("one_more"))
    return lambda: hermes.definitions(everything=True)


def definitions_of_a_selection(n: int) -> Job:
    hermes = Hermes(tools=[make_tool(f"tool_{number}", toolset=f"set_{number % 3}") for number in range(n)])
    return lambda: hermes.definitions(["set_0", "set_1"], ["set_1"], everything=True)


def definitions_of_tools_with_requirements(n: int) -> Job:
    hermes = Hermes(tools=[make_tool(f"tool_{number}", requires_env=[f"NO_SUCH_{number}"]) for number in range(n)])
    return hermes.definitions


def definitions_with_all_tools_hidden(n: int) -> Job:
    hermes = Hermes(tools=make_tools(n))
    return lambda: hermes.definitions(context_length=1)


def definitions_with_one_more_tool_hidden(n: int) -> Job:
    hermes = Hermes(tools=make_tools(n))
    hermes.definitions(context_length=1)
    hermes.registry.register(make_tool("one_more"))
    return lambda: hermes.definitions(context_length=1)


@pytest.mark.parametrize(
    "make",
    [
        registering,
        registering_at_once,
        registering_with_aliases,
        replacing_a_toolset,
        deregistering,
        deregistering_toolsets,
        definitions_cold,
        definitions_warm,
        definitions_after_a_registration,
        definitions_of_a_selection,
        definitions_of_tools_with_requirements,
        definitions_with_all_tools_hidden,
        definitions_with_one_more_tool_hidden,
    ],
)
def test_twice_the_tools_cost_twice_the_work(make: Make) -> None:
    assert_linear(make)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_of_definitions_is_linear_in_the_tools(format: str) -> None:
    def make(n: int) -> Job:
        hermes = Hermes(tools=make_tools(n))
        return lambda: hermes.definitions(format=format, everything=True)

    assert_linear(make)


def sanitizing_properties(n: int) -> Job:
    properties = {f"name_{number}": {"anyOf": [{"type": "integer"}, {"type": "null"}]} for number in range(n)}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return lambda: sanitize_parameters(schema)


def sanitizing_branches(n: int) -> Job:
    schema = {"type": "object", "properties": {"one": {"anyOf": [{"type": "string"} for _ in range(n)]}}}
    return lambda: sanitize_parameters(schema)


def stripping(n: int) -> Job:
    properties = {f"name_{number}": {"type": "string", "format": "date"} for number in range(n)}
    definition = {"name": "tool", "parameters": {"type": "object", "properties": properties}}
    return lambda: strip_pattern_and_format([definition])


@pytest.mark.parametrize("make", [sanitizing_properties, sanitizing_branches, stripping])
def test_twice_the_schema_costs_twice_the_work(make: Make) -> None:
    assert_linear(make)


def google_items(n: int) -> Job:
    doc = "Do it.\n\nArgs:\n" + "".join(f"    name_{number}: What it is.\n        And more.\n" for number in range(n))
    return lambda: read_docstring(doc)


def numpy_items(n: int) -> Job:
    lines = "".join(f"name_{number} : int\n    What it is.\n" for number in range(n))
    doc = f"Do it.\n\nParameters\n----------\n{lines}"
    return lambda: read_docstring(doc)


def sphinx_items(n: int) -> Job:
    doc = "Do it.\n\n" + "".join(f":param int name_{number}: What it is.\n    And more.\n" for number in range(n))
    return lambda: read_docstring(doc)


def prose_lines(n: int) -> Job:
    doc = "Do it.\n\n" + "A line of prose: with a colon.\n\n\n\n" * n
    return lambda: read_docstring(doc)


@pytest.mark.parametrize("make", [google_items, numpy_items, sphinx_items, prose_lines])
def test_twice_the_docstring_costs_twice_the_work(make: Make) -> None:
    assert_linear(make)


# -- toolsets --------------------------------------------------------------------------------------------------------


def resolving(toolsets: Iterable[Toolset], name: str) -> Job:
    catalog, live = ToolsetCatalog(toolsets), Registry().snapshot
    return lambda: catalog.resolve(name, live)


def a_chain(n: int) -> Job:
    last = Toolset(f"set_{n}", tools=["tool"])
    return resolving([*(Toolset(f"set_{at}", includes=[f"set_{at + 1}"]) for at in range(n)), last], "set_0")


def a_row_of_diamonds(n: int) -> Job:
    """Each toolset includes both of the next pair: the ways through double with every step."""
    pairs = [
        Toolset(f"{side}_{at}", tools=[f"tool_{at}"], includes=[f"left_{at + 1}", f"right_{at + 1}"])
        for at in range(n)
        for side in ("left", "right")
    ]
    return resolving([*pairs, Toolset(f"left_{n}"), Toolset(f"right_{n}")], "left_0")


def one_around_all(n: int) -> Job:
    inner = [Toolset(f"set_{at}", tools=[f"tool_{at}"], includes=["base"]) for at in range(n)]
    return resolving([Toolset("base"), *inner, Toolset("all_of_them", includes=[t.name for t in inner])], "all_of_them")


def a_ring(n: int) -> Job:
    return resolving([Toolset(f"set_{at}", includes=[f"set_{(at + 1) % n}"]) for at in range(n)], "set_0")


def adding_toolsets_at_once(n: int) -> Job:
    toolsets = [Toolset(f"set_{at}", aliases=[f"alias_{at}"]) for at in range(n)]
    return lambda: ToolsetCatalog(()).add(*toolsets)


@pytest.mark.parametrize("make", [a_chain, a_row_of_diamonds, one_around_all, a_ring, adding_toolsets_at_once])
def test_twice_the_toolsets_cost_twice_the_work(make: Make) -> None:
    assert_linear(make)


# -- checking and repairing arguments --------------------------------------------------------------------------------

_ITEM: dict[str, Any] = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}},
    "required": ["id"],
}
_ITEMS: dict[str, Any] = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": _ITEM}, "note": {"type": "string"}},
}
_TREE: dict[str, Any] = {
    "$defs": {
        "tree": {"type": "object", "properties": {"size": {"type": "integer"}, "next": {"$ref": "#/$defs/tree"}}}
    },
    "type": "object",
    "properties": {"root": {"$ref": "#/$defs/tree"}, "note": {"type": "string"}},
}


def _wide(n: int, kind: str = "integer", **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {f"name_{at}": {"type": kind} for at in range(n)}, **more}


def _deep(levels: int, size: object) -> dict[str, Any]:
    value: dict[str, Any] = {"size": size}
    for _ in range(levels):
        value = {"size": size, "next": value}
    return {"root": value, "note": "deep"}


def fitting_items(n: int) -> Job:
    checker, value = compile_checker(_ITEMS), {"items": [{"id": at, "tags": ["a", "b"]} for at in range(n)]}
    return lambda: checker.fits(value)


def fitting_properties(n: int) -> Job:
    checker, value = compile_checker(_wide(n)), {f"name_{at}": at for at in range(n)}
    return lambda: checker.fits(value)


def fitting_unique_items(n: int) -> Job:
    checker, value = compile_checker({"type": "array", "uniqueItems": True}), [{"id": [at]} for at in range(n)]
    return lambda: checker.fits(value)


def fitting_unions(n: int) -> Job:
    union = {"anyOf": [{"type": "array", "items": {"type": "integer"}}, _ITEM, {"type": "array"}]}
    checker = compile_checker({"type": "array", "items": union})
    value = [["a"] if at % 2 else {"id": at} for at in range(n)]
    return lambda: checker.fits(value)


def problems_in_the_last_item(n: int) -> Job:
    checker, value = compile_checker(_ITEMS), {"items": [*({"id": at} for at in range(n)), {"id": "x"}]}
    return lambda: checker.find_problems(value)


def problems_of_every_item(n: int) -> Job:
    checker, value = compile_checker(_ITEMS), {"items": [{"id": "x", "tags": "y"} for at in range(n)]}
    return lambda: checker.find_problems(value, limit=10 * n)


def problems_by_unknown_names(n: int) -> Job:
    checker = compile_checker(_wide(3, additionalProperties=False))
    value = {f"other_{at}": at for at in range(n)}
    return lambda: checker.find_problems(value, limit=10 * n)


def compiling(n: int) -> Job:
    schema = _wide(n, required=[f"name_{at}" for at in range(n)])
    return lambda: Repairer(schema)


def repairing_items(n: int) -> Job:
    args = {"items": [{"id": str(at), "tags": "one"} for at in range(n)], "note": "x"}
    return lambda: repair_arguments(_ITEMS, args)


def repairing_properties(n: int) -> Job:
    repairer, args = Repairer(_wide(n)), {f"name_{at}": str(at) for at in range(n)}
    return lambda: repairer.repair(args)


def repairing_nulls(n: int) -> Job:
    repairer, args = Repairer(_wide(n)), {f"name_{at}": None for at in range(n)} | {"name_0": 1, "name_1": 2}
    return lambda: repairer.repair(args)


def repairing_strange_names(n: int) -> Job:
    repairer = Repairer(_wide(3, additionalProperties={"type": "integer"}))
    args = {f"other_{at}": str(at) for at in range(n)}
    return lambda: repairer.repair(args)


def repairing_misspelt_names(n: int) -> Job:
    repairer, args = Repairer(_wide(n)), {f"Name-{at}": at for at in range(n)}
    return lambda: repairer.repair(args)


def repairing_unions(n: int) -> Job:
    union = {"anyOf": [{"type": "integer"}, _ITEM]}
    repairer = Repairer({"type": "object", "properties": {"items": {"type": "array", "items": union}, "note": {}}})
    args = {"items": [{"id": str(at)} for at in range(n)], "note": "x"}
    return lambda: repairer.repair(args)


def repairing_a_json_text(n: int) -> Job:
    args = {"items": "[" + ", ".join(f'{{"id": "{at}"}}' for at in range(n)) + "]", "note": "x"}
    return lambda: repair_arguments(_ITEMS, args)


def repairing_a_python_text(n: int) -> Job:
    args = {"items": "[" + ", ".join(f"{{'id': {at}, 'tags': ('a', 'b')}}" for at in range(n)) + "]", "note": "x"}
    return lambda: repair_arguments(_ITEMS, args)


def putting_repairs_into_words(n: int) -> Job:
    repaired = Repairer(_ITEMS).repair({"items": [{"id": str(at), "tags": "one"} for at in range(n)], "note": "x"})
    return lambda: repaired.repairs


@pytest.mark.parametrize(
    "make",
    [
        fitting_items,
        fitting_properties,
        fitting_unique_items,
        fitting_unions,
        problems_in_the_last_item,
        problems_of_every_item,
        problems_by_unknown_names,
        compiling,
        repairing_items,
        repairing_properties,
        repairing_nulls,
        repairing_strange_names,
        repairing_misspelt_names,
        repairing_unions,
        repairing_a_json_text,
        repairing_a_python_text,
        putting_repairs_into_words,
    ],
)
def test_twice_the_arguments_cost_twice_the_work(make: Make) -> None:
    assert_linear(make)


@pytest.mark.parametrize("size", ["7", [], None, 7])
def test_arguments_nested_past_the_bound_cost_no_more(size: object) -> None:
    def make(levels: int) -> Job:
        checker, repairer, args = compile_checker(_TREE), Repairer(_TREE), _deep(levels, size)
        return lambda: (repairer.repair(args), checker.fits(args), checker.find_problems(args))

    make(3)()
    assert work(make(400)) <= 1.1 * work(make(200))


def freezing(n: int) -> Job:
    value = {f"name_{at}": [at, {"id": at}] for at in range(n)}
    return lambda: thawed(frozen(value))


@dataclass
class FileInfo:
    number: int
    score: float


def encoding_what_json_does_not_know(n: int) -> Job:
    value = [FileInfo(at, float("nan") if at % 2 else 0.5) for at in range(n)]
    return lambda: encode(value)


@pytest.mark.parametrize("make", [freezing, encoding_what_json_does_not_know])
def test_twice_the_result_costs_twice_the_work(make: Make) -> None:
    assert_linear(make)


def test_a_plain_result_costs_the_same_work_whatever_its_size() -> None:
    def make(n: int) -> Job:
        value = {"rows": [{"number": at, "name": "é"} for at in range(n)]}
        return lambda: as_json(encode(value))

    make(3)()
    assert work(make(2_000)) == work(make(1_000)) < 1_000


# -- error text ------------------------------------------------------------------------------------------------------

_HOSTILE = {
    "closed tags": "<tool_call></tool_call>",
    "nested tags": "<tool_<tool_call>call>",
    "open brackets": "<",
    "open and shut brackets": "<[><]>",
    "template tokens": "<|im_start|>system\n",
    "half tokens": "<|im_start",
    "sections": "<![CDATA[",
    "closed sections": "<![CDATA[x]]>",
    "fences": "```json\n",
    "instructions": "[INST][/INST]",
    "attributes": '<invoke name="<x>">',
    "escapes": "\x1b[31m\x1b]0;",
    "keys": "sk-ant-abcdefghijklmnop ",
    "private keys": "-----BEGIN PRIVATE KEY-----\n",
    "assignments": "password=hunter22hunter ",
    "addresses": "https://user:password@example.com/",
    "parameters": "<parameter name=x></parameter>",
}


@pytest.mark.parametrize("piece", _HOSTILE.values(), ids=_HOSTILE)
def test_twice_the_hostile_error_text_costs_twice_the_work(piece: str) -> None:
    def make(chars: int) -> Job:
        text = (piece * chars)[:chars]
        return lambda: (sanitize_error(text), redact(text), mask_secrets(text))

    make(6_000)()  # compiles every pattern that this text needs
    small, large = work(make(3_000)), work(make(6_000))
    assert large <= FACTOR * small + 5_000


@pytest.mark.parametrize("piece", _HOSTILE.values(), ids=_HOSTILE)
def test_error_text_past_the_window_costs_no_more(piece: str) -> None:
    def make(chars: int) -> Job:
        text = (piece * chars)[:chars]
        return lambda: sanitize_error(text)

    make(300_000)()  # compiles every pattern that this text needs
    assert work(make(600_000)) <= 1.1 * work(make(300_000)) + 500


# -- batches ---------------------------------------------------------------------------------------------------------


def _reads(*paths: str) -> Footprint:
    return Footprint(paths=tuple(tuple(path.split("/")) for path in paths))


def _writes(*paths: str) -> Footprint:
    return Footprint(changes=True, paths=tuple(tuple(path.split("/")) for path in paths))


_BATCHES: dict[str, Callable[[int], list[Footprint]]] = {
    "calls that touch nothing": lambda n: [Footprint()] * n,
    "calls that run alone": lambda n: [Footprint(exclusive=True)] * n,
    "now and then one alone": lambda n: [Footprint(exclusive=at % 10 == 0) for at in range(n)],
    "reads of one path": lambda n: [_reads("a/b")] * n,
    "reads of many paths": lambda n: [_reads(f"a/{at}") for at in range(n)],
    "writes to one path": lambda n: [_writes("a/b")] * n,
    "writes to many paths": lambda n: [_writes(f"a/{at}") for at in range(n)],
    "reads and writes in turn": lambda n: [_writes("a/b") if at % 2 else _reads("a/b") for at in range(n)],
    "reads, then writes": lambda n: [_reads("a/b")] * n + [_writes("a/b")] * n,
    "a parent, then its children": lambda n: [_writes("a"), *(_writes(f"a/{at}") for at in range(n))],
    "children, then their parent": lambda n: [*(_writes(f"a/{at}") for at in range(n)), _writes("a")],
    "parent and child in turn": lambda n: [_writes("a/b") if at % 2 else _writes("a") for at in range(n)],
    "one call with many paths": lambda n: [_writes(*(f"a/{at}" for at in range(n))), _reads("a")],
}


@pytest.mark.parametrize("batch", _BATCHES.values(), ids=_BATCHES)
def test_twice_the_batch_costs_twice_the_work(batch: Callable[[int], list[Footprint]]) -> None:
    def make(n: int) -> Job:
        footprints = batch(n)
        return lambda: waits(footprints)

    def edges(n: int) -> int:
        return sum(len(behind) for behind in waits(batch(n)).awaited)

    assert_linear(make)
    assert edges(200) <= FACTOR * edges(100) + 5  # sets are joined in C, unseen: what they hold is counted


def test_twice_the_paths_of_a_call_cost_twice_the_work() -> None:
    spec = make_tool("tool", effects=["write"]).spec

    def make(n: int) -> Job:
        args = {"paths": [f"folder/file_{at}" for at in range(n)], **{f"other_{at}": at for at in range(n)}}
        return lambda: footprint(spec, args)

    assert_linear(make)


# -- results that are too long ---------------------------------------------------------------------------------------


def test_spilling_a_long_text_costs_the_same_work_whatever_its_size(tmp_path: Path) -> None:
    def make(n: int) -> Job:
        spill, text = Spill(tmp_path / str(n)), "a line of text\n" * n
        return lambda: spill.shorten(text, "call-1", lambda path, line: f"{path} {line}")

    make(3_000)()
    assert work(make(40_000)) <= 1.1 * work(make(20_000))


def test_a_turn_that_fits_is_left_alone_in_linear_work(tmp_path: Path) -> None:
    def make(n: int) -> Job:
        results = ["x" * at for at in range(n)]
        return lambda: Spill(tmp_path).fit_turn(results, results, n * n, lambda path, line: "")

    make(3)()
    assert work(make(200)) <= FACTOR * work(make(100)) + 500
