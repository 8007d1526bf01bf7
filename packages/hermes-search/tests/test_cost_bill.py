"""The token bill: what is counted, by which rule, and that it adds up."""

from __future__ import annotations

import json
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_core import Hermes, Tool
from hermes_search import assemble, tokens
from hermes_search.bridge_tools import bridge_definitions
from hermes_search.cost import Bill, bill_of
from hermes_search.definition_sizes import compact, estimate_tokens
from hermes_search.tokens import RuleOfThumb, TokenCounter, token_counter

Make = Callable[..., Hermes]

TIKTOKEN = """
class Encoding:
    def __init__(self, name):
        self.name = name

    def encode(self, text, *, disallowed_special="all"):
        if "<|endoftext|>" in text and disallowed_special != ():
            raise ValueError("a special token")
        return text.split()


def encoding_for_model(model):
    if model != "gpt-4o":
        raise KeyError(f"Could not automatically map {model} to a tokeniser.")
    return Encoding("o200k_base")


def get_encoding(name):
    return Encoding(name)
"""


def make(name: str, toolset: str, length: int, **fields: Any) -> Tool:
    schema = {"name": name, "description": "x" * length}
    return Tool.from_schema(schema, lambda args: "{}", toolset=toolset, **fields)


def bill(hermes: Hermes, counter: TokenCounter | None = None) -> Bill:
    return bill_of(hermes.definitions(everything=True), hermes.registry.get, counter or RuleOfThumb())


@pytest.fixture
def shop(host: Make) -> Hermes:
    return host(
        tools=[
            *(make("a", "one", 400), make("b", "one", 40), make("c", "two", 4_000)),
            *(make("d", "two", 4, always_load=True), make("e", "three", 80, always_load=True)),
            make("gone", "one", 9_000, requires_env=["NO_SUCH_KEY_HERE"]),
        ]
    )


def test_every_tool_and_toolset_is_on_the_bill_the_dearest_first(shop: Hermes) -> None:
    found = bill(shop)
    shown = {each["function"]["name"]: estimate_tokens([each]) for each in shop.definitions()}
    assert [(tool.name, tool.tokens) for tool in found.tools] == sorted(shown.items(), key=lambda each: -each[1])
    assert [toolset.name for toolset in found.toolsets] == ["two", "one", "three"]
    assert [toolset.tools for toolset in found.toolsets] == [2, 2, 1]
    assert [tool.name for tool in found.tools if tool.always_load] == ["e", "d"]


def test_the_bill_adds_up_to_what_models_are_sent(shop: Hermes) -> None:
    found = bill(shop)
    result = assemble(shop, context_length=1_000)
    assert result.activated
    assert (found.total, found.hideable) == (result.tokens_before, result.deferrable_tokens)
    assert abs(found.with_search - result.tokens_after) <= 1  # each part is rounded up by itself
    assert found.saved == found.total - found.with_search > 0
    assert found.bridge == estimate_tokens(bridge_definitions())
    assert found.always_load == sum(toolset.always_load_tokens for toolset in found.toolsets)


def test_hiding_nothing_saves_nothing_and_hiding_little_costs(host: Make) -> None:
    everything = bill(host(tools=[make("a", "one", 50, always_load=True)]))
    assert (everything.hideable, everything.saved, everything.with_search) == (0, 0, everything.total)
    little = bill(host(tools=[make("a", "one", 5)]))
    assert little.saved < 0
    empty = bill(host())
    assert (empty.total, empty.saved, empty.tools, empty.toolsets) == (0, 0, (), ())


# -- how tokens are counted ---------------------------------------------------------------------------------------


@pytest.fixture
def tiktoken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts a module in the place of the tokenizer, whose tables cannot be fetched in a test."""

    def install(source: str) -> None:
        (tmp_path / "tiktoken.py").write_text(source, encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(sys.modules, "tiktoken", raising=False)

    return install


def test_without_the_extra_the_rule_counts_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    counter = token_counter("gpt-4o")
    assert not counter.exact
    assert counter.method == "estimate: 4 characters are one token"
    assert "hermes-search[tokens]" in counter.note
    assert counter.of(["abc", "de"]) == 2


def test_with_the_extra_a_known_model_is_counted_exactly(tiktoken: Callable[[str], None], shop: Hermes) -> None:
    tiktoken(TIKTOKEN)
    counter = token_counter("gpt-4o")
    assert (counter.exact, counter.method, counter.note) == (True, "tiktoken: o200k_base", "")
    assert counter.of(["one two", "three", "a <|endoftext|> b"]) == 6
    found = bill(shop, counter)
    assert found.total == sum(len(compact(each).split()) for each in shop.definitions())


@pytest.mark.parametrize("model", ["claude-sonnet", None])
def test_another_model_is_counted_by_the_closest_tables(model: str | None, tiktoken: Callable[[str], None]) -> None:
    tiktoken(TIKTOKEN)
    counter = token_counter(model)
    assert (counter.exact, counter.method) == (False, "tiktoken: o200k_base")
    assert (model or "") in counter.note


@pytest.mark.parametrize("model", ["gpt-4o", " gpt-4o ", "openai/gpt-4o"])
def test_a_model_is_known_however_its_name_is_written(model: str, tiktoken: Callable[[str], None]) -> None:
    tiktoken(TIKTOKEN)
    assert token_counter(model).exact


def test_a_name_that_is_none_is_told_in_short(tiktoken: Callable[[str], None]) -> None:
    tiktoken(TIKTOKEN)
    assert len(token_counter("x" * 10_000).note) < 200


@pytest.mark.parametrize(
    "source",
    [
        "def encoding_for_model(model):\n    raise OSError('no network')\n",
        "raise ImportError('broken')\n",
        "raise RuntimeError('built for another machine')\n",
        "import time\ndef encoding_for_model(model):\n    time.sleep(5)\n",
    ],
)
def test_a_tokenizer_that_cannot_load_is_replaced_by_the_rule(
    source: str, tiktoken: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    tiktoken(source)
    monkeypatch.setattr(tokens, "_SILENT_SECONDS", 0.2)
    counter = token_counter("gpt-4o")
    assert not counter.exact
    assert counter.method.startswith("estimate")
    assert counter.note
    assert len(json.dumps(counter.note)) < 400


@pytest.mark.skipif(
    not hasattr(time, "pthread_getcpuclockid"), reason="nobody can tell whether a thread works or waits"
)
def test_tables_that_take_long_to_read_are_waited_for(
    tiktoken: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    tiktoken(f"import time\nend = time.monotonic() + 1.5\nwhile time.monotonic() < end:\n    pass\n{TIKTOKEN}")
    monkeypatch.setattr(tokens, "_SILENT_SECONDS", 0.7)
    assert token_counter("gpt-4o").exact


def test_a_network_that_does_not_answer_costs_seconds_and_says_how_to_do_without(
    tiktoken: Callable[[str], None],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        tiktoken(
            "import socket\n"
            "def encoding_for_model(model):\n"
            f"    with socket.create_connection(('127.0.0.1', {silent.getsockname()[1]}), timeout=60) as asked:\n"
            "        asked.recv(1)\n"
        )
        before = time.monotonic()
        counter = token_counter("gpt-4o")
        assert time.monotonic() - before < 15
    assert counter.method.startswith("estimate")
    assert "TIKTOKEN_CACHE_DIR" in counter.note
