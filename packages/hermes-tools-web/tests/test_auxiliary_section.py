"""The shared sections of the web family are read from `config.yaml` and from variables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hermes_tools_web.plugin
from hermes_auxiliary import AuxiliaryModel
from hermes_core import Hermes


def model(home: Path, task: str = "web_extract", *, environ: dict[str, str], **data: Any) -> AuxiliaryModel | None:
    with Hermes(home=home, plugins=[hermes_tools_web.plugin], config={"auxiliary": data}, environ=environ) as hermes:
        return AuxiliaryModel.from_mapping(hermes.config.section("auxiliary"), task)


def test_variables_name_a_model(home: Path) -> None:
    environ = {
        "AUXILIARY_WEB_EXTRACT_MODEL": "m",
        "AUXILIARY_WEB_EXTRACT_BASE_URL": "http://h/v1",
        "AUXILIARY_WEB_EXTRACT_API_KEY": "k",
        "AUXILIARY_VISION_MODEL": "eyes",
    }
    found, eyes = model(home, environ=environ), model(home, "vision", environ=environ)
    assert found is not None
    assert (found.model, found.base_url, found.api_key) == ("m", "http://h/v1", "k")
    assert eyes is not None
    assert eyes.model == "eyes"
    assert model(home, "mcp", environ=environ) is None


def test_the_variables_for_openai_are_used_by_every_task(home: Path) -> None:
    environ = {"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "https://gateway.example/v1"}
    for task in ("web_extract", "mine"):
        found = model(home, task, environ=environ, **{task: {"model": "m"}})
        assert found is not None
        assert (found.base_url, found.api_key) == ("https://gateway.example/v1", "sk-1")


def test_keys_are_secrets(home: Path) -> None:
    with Hermes(home=home, plugins=[hermes_tools_web.plugin], environ={}) as hermes:
        hermes.config.section("auxiliary")
        for key in ("auxiliary.api_key", "auxiliary.vision.api_key", "auxiliary.mine.api_key"):
            assert hermes.config.is_secret(key)
