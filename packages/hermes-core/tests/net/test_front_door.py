"""What `hermes_core.net` shows, and what its errors tell."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable

import pytest

from hermes_core import Hermes, net, tool
from hermes_core.errors import ToolUnavailableError
from hermes_core.net import ResponseLimitError, UrlRefusedError, check_url, guarded_client


def test_every_name_of_the_front_door_can_be_had() -> None:
    assert sorted(net.__all__) == net.__all__
    assert all(getattr(net, name) is not None for name in net.__all__)
    assert set(net.__all__) <= set(dir(net))
    with pytest.raises(AttributeError):
        net.__getattr__("nothing")


@pytest.mark.parametrize(
    "error",
    [UrlRefusedError(check_url("http://127.0.0.1/")), ResponseLimitError("bytes", "The body is too large.")],
    ids=["url", "response"],
)
def test_an_error_survives_the_way_to_another_process(error: UrlRefusedError | ResponseLimitError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.__dict__) == (type(error), str(error), error.__dict__)


def test_a_refusal_is_the_result_of_a_call(host: Callable[..., Hermes]) -> None:
    @tool(toolset="pages")
    def fetch(url: str) -> str:
        """Fetch a page."""
        with guarded_client(environ={}) as client:
            return client.get(url).text

    result = json.loads(host(tools=[fetch]).call("fetch", {"url": "http://user:hunter2@example.org/"}))
    assert (result["code"], result["reason"]) == ("url_refused", "credentials")
    assert result["hint"] == "Leave user names and passwords out of the URL."
    assert "hunter2" not in json.dumps(result)


def test_without_the_extra_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(ToolUnavailableError) as caught:
        guarded_client()
    assert "hermes-core[net]" in (caught.value.hint or "")
