"""`hermes toolsets` lists the groups and opens one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

Run = Callable[..., CompletedProcess[str]]


def test_the_list_counts_what_is_installed_and_available(hermes: Run) -> None:
    outcome = hermes("toolsets", "--all")
    rows = {line.split()[0]: " ".join(line.split()[1:5]) for line in outcome.stdout.splitlines()}
    assert outcome.returncode == 0
    assert rows["dice"] == "5 of 5 4"
    assert rows["web"].startswith("0 of 3 0")


def test_the_list_leaves_out_toolsets_that_are_not_installed(hermes: Run, home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("toolsets: {mine: [roll_dice, web_search]}\n", encoding="utf-8")
    outcome = hermes("toolsets")
    assert [line.split()[0] for line in outcome.stdout.splitlines()] == ["NAME", "dice", "mine"]
    every = json.loads(hermes("toolsets", "--all", "--json").stdout)["toolsets"]
    assert f"{len(every) - 2} more are not installed: 'hermes toolsets --all' lists them." in outcome.stderr
    assert [each["name"] for each in json.loads(hermes("toolsets", "--json").stdout)["toolsets"]] == ["dice", "mine"]
    assert hermes("toolsets", "web", "--all").returncode == 0


def test_one_toolset_shows_each_tool_and_its_state(hermes: Run) -> None:
    lines = [" ".join(line.split()) for line in hermes("toolsets", "dice").stdout.splitlines()]
    assert "Installed 5 of 5 tools" in lines
    assert "Available 4" in lines
    assert "buy_dice not available" in lines
    assert "roll_dice available" in lines
    assert "web_search not installed" in [
        " ".join(line.split()) for line in hermes("toolsets", "web").stdout.splitlines()
    ]


def test_json_of_the_list_and_of_one(hermes: Run) -> None:
    listed = json.loads(hermes("toolsets", "--json").stdout)["toolsets"]
    one = json.loads(hermes("toolsets", "dice", "--json").stdout)
    assert one in listed
    assert one["available"] == ["burn_dice", "lose_dice", "roll_dice", "watch_dice"]
    assert "buy_dice" in one["registered"]
    safe = json.loads(hermes("toolsets", "safe", "--json").stdout)
    assert safe["includes"] == ["web", "vision", "image_gen"]
    assert "web_search" in safe["tools"]


def test_an_unknown_toolset_is_answered_with_near_names(hermes: Run) -> None:
    outcome = hermes("toolsets", "dise")
    assert outcome.returncode == 2
    assert "Unknown toolset 'dise'. Did you mean 'dice'" in outcome.stderr


def test_a_toolset_with_an_unknown_include_hides_no_other(hermes: Run, home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("toolsets: {mine: {includes: [nowhere]}}\n", encoding="utf-8")
    listed = {each["name"]: each for each in json.loads(hermes("toolsets", "--json").stdout)["toolsets"]}
    assert "Unknown toolset 'nowhere'" in listed["mine"]["problem"]
    assert len(listed["dice"]["available"]) == 4
    assert hermes("toolsets", "mine").returncode == 2
