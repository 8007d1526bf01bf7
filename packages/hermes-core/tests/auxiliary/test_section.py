"""Which model helps with a task is read from the settings and from variables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hermes_core import Hermes, ToolContext, tool
from hermes_core.auxiliary import AuxiliaryModel
from hermes_core.auxiliary.section import AUXILIARY_SECTION
from hermes_core.config.config import Config


def model(task: str = "web_extract", *, home: Path, environ: dict[str, str] | None = None, **data: Any) -> Any:
    config = Config(home=home, environ=environ or {}, sections=[AUXILIARY_SECTION], data={"auxiliary": data})
    return AuxiliaryModel.from_settings(config.section("auxiliary"), task)


def test_without_a_name_there_is_no_model(home: Path) -> None:
    assert model(home=home) is None
    assert model(home=home, environ={"OPENAI_API_KEY": "sk-1"}) is None
    assert model(home=home, web_extract={"model": "  "}) is None
    assert AuxiliaryModel.from_settings({}, "web_extract") is None


@pytest.mark.parametrize(
    ("task", "seconds"),
    [("vision", 120), ("web_extract", 360), ("approval", 30), ("mcp", 30), ("skills_hub", 30), ("mine", 60)],
)
def test_each_task_has_its_time(task: str, seconds: float, home: Path) -> None:
    found = model(task, home=home, **{task: {"model": "m"}})
    assert found.seconds == seconds
    assert found.base_url == "https://api.openai.com/v1"


def test_a_task_says_everything_itself(home: Path) -> None:
    said = {"model": "m", "base_url": "http://h/v1", "api_key": "k", "timeout": 5, "extra_body": {"a": 1}, "more": True}
    found = model(home=home, web_extract=said)
    assert (found.model, found.base_url, found.api_key, found.seconds) == ("m", "http://h/v1", "k", 5.0)
    assert found.extra_body == {"a": 1}


def test_variables_name_a_model(home: Path) -> None:
    environ = {
        "AUXILIARY_WEB_EXTRACT_MODEL": "m",
        "AUXILIARY_WEB_EXTRACT_BASE_URL": "http://h/v1",
        "AUXILIARY_WEB_EXTRACT_API_KEY": "k",
        "AUXILIARY_VISION_MODEL": "eyes",
    }
    found = model(home=home, environ=environ)
    assert (found.model, found.base_url, found.api_key) == ("m", "http://h/v1", "k")
    assert model("vision", home=home, environ=environ).model == "eyes"
    assert model("mcp", home=home, environ=environ) is None


def test_what_the_user_has_for_openai_is_used_by_every_task(home: Path) -> None:
    environ = {"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "https://gateway.example/v1"}
    for task in ("web_extract", "mine"):
        found = model(task, home=home, environ=environ, **{task: {"model": "m"}})
        assert (found.base_url, found.api_key) == ("https://gateway.example/v1", "sk-1")


def test_the_key_for_one_server_is_not_sent_to_another(home: Path) -> None:
    found = model(home=home, environ={"OPENAI_API_KEY": "sk-1"}, web_extract={"model": "m", "base_url": "http://h/v1"})
    assert found.api_key == ""


def test_keys_are_secrets(home: Path) -> None:
    config = Config(home=home, environ={}, sections=[AUXILIARY_SECTION])
    for key in ("auxiliary.api_key", "auxiliary.vision.api_key", "auxiliary.mine.api_key"):
        assert config.is_secret(key)
    found = model(home=home, web_extract={"model": "m", "api_key": "very-secret"})
    assert "very-secret" not in repr(found)


def test_nulls_mean_that_nothing_is_said(home: Path) -> None:
    assert model(home=home, web_extract={"model": None, "api_key": None, "timeout": None}) is None
    assert model(home=home, web_extract={"model": "m", "api_key": None, "timeout": None}).seconds == 360


def test_sections_of_other_shapes_are_no_model() -> None:
    assert AuxiliaryModel.from_settings({"web_extract": "gpt"}, "web_extract") is None
    odd = {"web_extract": {"model": "m", "timeout": True, "extra_body": [], "base_url": 3}, "base_url": 4}
    found = AuxiliaryModel.from_settings(odd, "web_extract")
    assert found is not None
    assert (found.seconds, found.base_url, found.extra_body) == (360, "https://api.openai.com/v1", {})


def test_a_tool_finds_its_model_in_its_settings(home: Path) -> None:
    @tool
    def which(ctx: ToolContext) -> str:
        """Names the model."""
        found = AuxiliaryModel.from_settings(ctx.settings("auxiliary"), "vision")
        return found.model if found else "none"

    with Hermes(tools=[which], config={"auxiliary": {"vision": {"model": "eyes"}}}) as hermes:
        assert hermes.call("which") == '"eyes"'
