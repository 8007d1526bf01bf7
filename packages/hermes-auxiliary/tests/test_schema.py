"""The settings name a model for each task."""

from __future__ import annotations

import pytest

from hermes_auxiliary import AUXILIARY_SCHEMA, AuxiliaryModel
from hermes_auxiliary.schema import TASK_SECONDS


def test_without_a_name_there_is_no_model() -> None:
    assert AuxiliaryModel.from_mapping({}, "web_extract") is None
    assert AuxiliaryModel.from_mapping({"api_key": "sk-1"}, "web_extract") is None
    assert AuxiliaryModel.from_mapping({"web_extract": {"model": "  "}}, "web_extract") is None


@pytest.mark.parametrize(("task", "seconds"), [*TASK_SECONDS.items(), ("mine", 60)])
def test_each_task_has_its_time_limit(task: str, seconds: float) -> None:
    found = AuxiliaryModel.from_mapping({task: {"model": "m"}}, task)
    assert found is not None
    assert found.seconds == seconds
    assert found.base_url == "https://api.openai.com/v1"
    entry = AUXILIARY_SCHEMA["properties"].get(task, AUXILIARY_SCHEMA["additionalProperties"])
    assert entry["properties"]["timeout"]["default"] == seconds


def test_a_task_can_set_everything() -> None:
    entry = {
        "model": "m",
        "base_url": "http://h/v1",
        "api_key": "k",
        "timeout": 5,
        "extra_body": {"a": 1},
        "more": True,
    }
    found = AuxiliaryModel.from_mapping({"web_extract": entry}, "web_extract")
    assert found is not None
    assert (found.model, found.base_url, found.api_key, found.seconds) == ("m", "http://h/v1", "k", 5.0)
    assert found.extra_body == {"a": 1}


def test_every_task_uses_the_shared_server_and_its_key() -> None:
    shared = {"base_url": "https://gateway.example/v1", "api_key": "sk-1"}
    for task in ("web_extract", "mine"):
        found = AuxiliaryModel.from_mapping({**shared, task: {"model": "m"}}, task)
        assert found is not None
        assert (found.base_url, found.api_key) == ("https://gateway.example/v1", "sk-1")


def test_the_key_for_one_server_is_not_sent_to_another() -> None:
    section = {"api_key": "sk-1", "web_extract": {"model": "m", "base_url": "http://h/v1"}}
    found = AuxiliaryModel.from_mapping(section, "web_extract")
    assert found is not None
    assert found.api_key == ""


def test_keys_are_not_shown() -> None:
    found = AuxiliaryModel.from_mapping({"web_extract": {"model": "m", "api_key": "very-secret"}}, "web_extract")
    assert "very-secret" not in repr(found)
    for part in (AUXILIARY_SCHEMA, AUXILIARY_SCHEMA["properties"]["vision"], AUXILIARY_SCHEMA["additionalProperties"]):
        assert part["properties"]["api_key"]["writeOnly"] is True


def test_null_means_unset() -> None:
    unset = {"model": None, "api_key": None, "timeout": None}
    assert AuxiliaryModel.from_mapping({"web_extract": unset}, "web_extract") is None
    found = AuxiliaryModel.from_mapping({"web_extract": {**unset, "model": "m"}}, "web_extract")
    assert found is not None
    assert found.seconds == 360


def test_values_of_other_types_are_ignored() -> None:
    assert AuxiliaryModel.from_mapping({"web_extract": "gpt"}, "web_extract") is None
    odd = {"web_extract": {"model": "m", "timeout": True, "extra_body": [], "base_url": 3}, "base_url": 4}
    found = AuxiliaryModel.from_mapping(odd, "web_extract")
    assert found is not None
    assert (found.seconds, found.base_url, found.extra_body) == (360, "https://api.openai.com/v1", {})
