"""Sampling toolsets for batch runs is fair, repeatable and leaves the global generator alone."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_compat.distributions import Distribution, Distributions, UnknownDistributionError
from hermes_core.errors import ConfigError
from hermes_core.tools.builtin_toolsets import PRESETS

BUILT_IN = Distributions()
KNOWN = {preset.name for preset in PRESETS}


def test_all_seventeen_are_there_and_name_only_real_toolsets() -> None:
    assert len(BUILT_IN.names()) == 17
    assert BUILT_IN.names() == sorted(BUILT_IN.names())
    for name in BUILT_IN.names():
        assert BUILT_IN.validate(name, KNOWN.__contains__) == []
        assert BUILT_IN.get(name).description


def test_built_in_tables_obey_the_rules_of_configured_ones() -> None:
    tables = {
        name: {"description": BUILT_IN.get(name).description, "toolsets": BUILT_IN.get(name).chances}
        for name in BUILT_IN.names()
    }
    again = Distributions(tables)
    assert [again.get(name) for name in again.names()] == [BUILT_IN.get(name) for name in BUILT_IN.names()]


@pytest.mark.parametrize(
    ("name", "chances"),
    [
        ("science", "web 94, terminal 94, file 94, vision 65, browser 50, image_gen 15, moa 10"),
        ("browser_tasks", "browser 97, vision 12, terminal 15"),
        ("terminal_tasks", "terminal 97, file 97, web 97, browser 75, vision 50, image_gen 10"),
        ("mixed_tasks", "browser 92, terminal 92, file 92, web 35, vision 15, image_gen 15"),
    ],
)
def test_tables_keep_numbers_and_order(name: str, chances: str) -> None:
    assert ", ".join(f"{key} {value:g}" for key, value in BUILT_IN.get(name).chances.items()) == chances


def test_a_distribution_cannot_be_changed() -> None:
    source = {"web": 50.0}
    distribution = Distribution(name="mine", chances=source)
    source["web"] = 1.0
    assert distribution.chances == {"web": 50.0}
    with pytest.raises(TypeError):
        distribution.chances["web"] = 1.0  # type: ignore[index]


def test_an_unknown_name_is_an_error_with_near_names() -> None:
    with pytest.raises(UnknownDistributionError) as caught:
        BUILT_IN.get("reserch")
    assert caught.value.near[0] == "research"
    with pytest.raises(UnknownDistributionError):
        BUILT_IN.sample_many("reserch", 3, 1)


# Sampling


def test_a_seed_gives_the_same_answer_in_another_process() -> None:
    here = [BUILT_IN.sample("balanced", seed=seed) for seed in range(20)]
    code = (
        "from hermes_compat.distributions import Distributions as D\n"
        "print([D().sample('balanced', seed=seed) for seed in range(20)])"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert there.stdout.strip() == repr(here)
    assert len(set(here)) > 10


def test_a_seed_means_the_same_on_every_platform_for_ever() -> None:
    assert BUILT_IN.sample("balanced", seed=7) == ("vision", "image_gen", "moa")
    assert BUILT_IN.sample("balanced", seed="7") == ("vision", "image_gen", "moa")
    assert list(BUILT_IN.sample_many("balanced", 2, "batch")) == [
        ("web", "vision", "image_gen", "terminal", "file"),
        ("web", "image_gen", "terminal", "file", "moa"),
    ]


def test_seeds_that_differ_in_sign_differ() -> None:
    plus = [BUILT_IN.sample("balanced", seed=seed) for seed in range(1, 30)]
    minus = [BUILT_IN.sample("balanced", seed=-seed) for seed in range(1, 30)]
    assert plus != minus


def test_the_global_generator_is_never_touched() -> None:
    state = random.getstate()
    BUILT_IN.sample("balanced")
    BUILT_IN.sample("balanced", seed=1)
    list(BUILT_IN.sample_many("balanced", 5, 1))
    assert random.getstate() == state


def test_a_generator_of_the_callers_own_is_used() -> None:
    first = [BUILT_IN.sample("balanced", rng=random.Random(3)) for _ in range(2)]
    assert first[0] == first[1]
    rng = random.Random(3)
    assert len({BUILT_IN.sample("balanced", rng=rng) for _ in range(30)}) > 5
    with pytest.raises(ValueError, match="not both"):
        BUILT_IN.sample("balanced", seed=1, rng=rng)


def test_the_rolls_match_the_percentages() -> None:
    count = 4_000
    seen = Counter(itertools.chain.from_iterable(BUILT_IN.sample_many("science", count, seed=2024)))
    for toolset, chance in BUILT_IN.get("science").chances.items():
        # Four standard deviations of 4,000 rolls are at most 3.2 points; the seed is fixed anyway.
        assert abs(seen[toolset] / count * 100 - chance) < 3.2


def test_rolls_are_independent_of_each_other() -> None:
    samples = list(BUILT_IN.sample_many("balanced", 4_000, seed=5))
    both = sum("web" in sample and "file" in sample for sample in samples) / len(samples)
    assert abs(both - 0.25) < 0.03


def test_zero_never_comes_and_a_hundred_always() -> None:
    distributions = Distributions({"mine": {"never": 0, "always": 100, "barely": 0.0}})
    assert set(distributions.sample_many("mine", 2_000, seed=1)) == {("always",)}
    assert set(distributions.sample_many("mine", 50, seed=1, is_known=lambda name: name != "always")) == {()}


@given(st.integers() | st.text(), st.sampled_from(BUILT_IN.names()))
def test_a_sample_is_never_empty_and_keeps_the_order(seed: int | str, name: str) -> None:
    sample = BUILT_IN.sample(name, seed=seed)
    order = list(BUILT_IN.get(name).chances)
    assert sample
    assert [order.index(toolset) for toolset in sample] == sorted(order.index(toolset) for toolset in sample)


def test_when_nothing_comes_up_the_likeliest_known_toolset_is_taken() -> None:
    distributions = Distributions({"rare": {"a": 0.001, "b": 0.002, "c": 0.002}})
    assert distributions.sample("rare", seed=1) == ("b",)
    assert distributions.sample("rare", seed=1, is_known=lambda name: name != "b") == ("c",)
    assert distributions.sample("rare", seed=1, is_known=lambda name: False) == ()


def test_unknown_toolsets_are_skipped_without_disturbing_the_others() -> None:
    for seed in range(50):
        everything = BUILT_IN.sample("default", seed=seed)
        assert BUILT_IN.sample("default", seed=seed, is_known=lambda name: name != "moa") == tuple(
            name for name in everything if name != "moa"
        )
        whole = set(BUILT_IN.sample("balanced", seed=seed)) - {"web"}
        part = set(BUILT_IN.sample("balanced", seed=seed, is_known=lambda name: name != "web"))
        assert part == whole or not whole


def test_a_resumed_batch_gets_what_it_would_have_got() -> None:
    whole = list(BUILT_IN.sample_many("balanced", 100, seed="run-1"))
    assert list(BUILT_IN.sample_many("balanced", 60, seed="run-1", start=40)) == whole[40:]
    assert list(BUILT_IN.sample_many("balanced", 10, seed="run-1")) == whole[:10]
    assert list(BUILT_IN.sample_many("balanced", 100, seed="run-2")) != whole
    assert list(BUILT_IN.sample_many("balanced", 0, seed="run-1")) == []


def test_validate_names_each_unknown_toolset() -> None:
    distributions = Distributions({"mine": {"web": 50, "wbe": 12.5}})
    (problem,) = distributions.validate("mine", KNOWN.__contains__)
    assert "'wbe'" in problem
    assert "12.5 %" in problem


# Configuration


def test_configured_distributions_come_in_two_forms_and_may_replace_built_in_ones() -> None:
    distributions = Distributions(
        {"short": {"web": 10}, "minimal": {"description": "Files", "toolsets": {"file": 100, "web": 0.5}}}
    )
    assert distributions.get("short") == Distribution(name="short", chances={"web": 10})
    assert distributions.get("minimal").description == "Files"
    assert list(distributions.get("minimal").chances) == ["file", "web"]
    assert len(distributions.names()) == 18
    assert BUILT_IN.get("minimal").chances == {"web": 100}


@pytest.mark.parametrize(
    "chance", [-1, 100.1, True, False, "50", "50%", None, float("nan"), float("inf"), [50], 10**400]
)
def test_a_chance_that_is_no_percentage_names_its_key(chance: object) -> None:
    for spec in ({"web": chance}, {"toolsets": {"web": chance}}):
        with pytest.raises(ConfigError) as caught:
            Distributions({"mine": spec})
        assert caught.value.key == "toolset_distributions.mine.web"
        assert caught.value.example == "web: 50"


@pytest.mark.parametrize(
    "spec",
    [
        {},
        None,
        [],
        "web",
        {"toolsets": {}},
        {"toolsets": ["web"]},
        {"description": "no toolsets"},
        {"description": "mixed", "web": 50},
        {"toolsets": {"web": 50}, "extra": 1},
        {"description": 3, "toolsets": {"web": 50}},
        {1: 50},
        {"": 50},
        {"web": 0, "file": 0},
    ],
)
def test_a_distribution_of_the_wrong_shape_is_refused_with_an_example(spec: object) -> None:
    with pytest.raises(ConfigError) as caught:
        Distributions({"mine": spec})
    assert (caught.value.key or "").startswith("toolset_distributions.mine")
    assert caught.value.example


def test_a_distribution_without_a_name_is_refused() -> None:
    with pytest.raises(ConfigError, match="needs a name"):
        Distributions({"": {"web": 1}})
