"""A model for side tasks is asked over the network, and whatever comes back is an answer or one clear sentence."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from hermes_auxiliary import AuxiliaryError, AuxiliaryModel

KEY = "sk-live-abcdefghijklmnop0123456789"
Says = Callable[..., tuple[int, object]]


def helper(url: str, **fields: Any) -> AuxiliaryModel:
    return AuxiliaryModel(
        **{"task": "web_extract", "model": "m", "base_url": url, "api_key": KEY, "seconds": 30, **fields}
    )


def ask(model: AuxiliaryModel, **fields: Any) -> Any:
    return anyio.run(lambda: model.ask(**{"system": "Shorten.", "user": "Text", **fields}))


def failure(model: AuxiliaryModel, **fields: Any) -> AuxiliaryError:
    with pytest.raises(AuxiliaryError) as caught:
        ask(model, **fields)
    assert KEY not in str(caught.value)
    assert KEY not in str(caught.value.hint)
    assert "\n" not in str(caught.value)
    return caught.value


def refusing(*names: str) -> Callable[[dict[str, Any]], tuple[int, object] | None]:
    def reply(body: dict[str, Any]) -> tuple[int, object] | None:
        for name in names:
            if name in body:
                message = f"Unsupported parameter: '{name}' is not supported with this model."
                return 400, {"error": {"message": message, "param": name, "code": "unsupported_parameter"}}
        return None

    return reply


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_model_answers(chat_server: Any, says: Says, backend: str) -> None:
    server = chat_server(lambda body: says("  short  "))
    model = helper(server.url, extra_body={"top_k": 3})

    async def complete() -> str:
        return await model.complete(system="Shorten.", user="Text", temperature=0.1, max_tokens=20)

    assert anyio.run(complete, backend=backend) == "short"
    (request,) = server.requests
    assert request["path"] == "/v1/chat/completions"
    assert request["messages"] == [{"role": "system", "content": "Shorten."}, {"role": "user", "content": "Text"}]
    assert (request["model"], request["temperature"], request["max_tokens"], request["top_k"]) == ("m", 0.1, 20, 3)
    assert server.keys == [f"Bearer {KEY}"]


def test_a_server_without_a_key_gets_none_of_the_users(
    chat_server: Any, says: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server = chat_server(lambda body: says("yes"))
    assert ask(helper(server.url, api_key="")).text == "yes"
    assert KEY not in server.keys[0]


_MEANT_FOR_ANOTHER = {
    "OPENAI_ORG_ID": "org-of-the-user",
    "OPENAI_PROJECT_ID": "project-of-the-user",
    "OPENAI_CUSTOM_HEADERS": "X-Gateway: for-the-gateway\nAuthorization: Bearer for-the-gateway\nnonsense",
}


def test_what_the_environment_says_for_one_server_is_not_sent_to_another(
    chat_server: Any, says: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in _MEANT_FOR_ANOTHER.items():
        monkeypatch.setenv(name, value)
    server = chat_server(lambda body: says("yes"))
    assert ask(helper(server.url)).text == "yes"
    assert server.keys == [f"Bearer {KEY}"]
    sent = " ".join(server.headers[0].values())
    assert "of-the-user" not in sent
    assert "for-the-gateway" not in sent


def test_what_the_environment_says_for_a_server_is_sent_to_it(
    chat_server: Any, says: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = chat_server(lambda body: says("yes"))
    for name, value in {**_MEANT_FOR_ANOTHER, "OPENAI_BASE_URL": server.url}.items():
        monkeypatch.setenv(name, value)
    assert ask(helper(server.url)).text == "yes"
    assert server.headers[0]["x-gateway"] == "for-the-gateway"
    assert server.headers[0]["openai-organization"] == "org-of-the-user"


def test_a_cut_answer_says_that_it_is_cut(chat_server: Any, says: Says) -> None:
    found = ask(helper(chat_server(lambda body: says("half of", "length")).url))
    assert (found.text, found.cut) == ("half of", True)


def test_models_that_think_first_get_the_parameters_that_they_take(chat_server: Any, says: Says) -> None:
    refuses = refusing("max_tokens", "temperature")
    server = chat_server(lambda body: refuses(body) or says("yes"))
    model = helper(server.url)
    assert ask(model, max_tokens=20, temperature=0.1).text == "yes"
    assert server.requests[-1]["max_completion_tokens"] == 20
    assert "temperature" not in server.requests[-1]
    asked = len(server.requests)
    assert asked == 3
    assert ask(model, max_tokens=20, temperature=0.1).text == "yes"
    assert len(server.requests) == asked + 1, "what was learnt is kept"


def test_a_server_that_takes_none_of_them_is_asked_without(chat_server: Any, says: Says) -> None:
    refuses = refusing("max_tokens", "max_completion_tokens", "temperature")
    server = chat_server(lambda body: refuses(body) or says("yes"))
    assert ask(helper(server.url), max_tokens=20, temperature=0.1).text == "yes"
    assert set(server.requests[-1]) == {"path", "messages", "model"}


def test_a_complaint_in_words_alone_is_understood(chat_server: Any, says: Says) -> None:
    def reply(body: dict[str, Any]) -> tuple[int, object]:
        return (422, {"detail": "extra field max_tokens"}) if "max_tokens" in body else says("yes")

    assert ask(helper(chat_server(reply).url), max_tokens=20).text == "yes"


def test_a_complaint_about_something_else_ends_it(chat_server: Any) -> None:
    server = chat_server(lambda body: (400, {"error": {"message": "context too long", "param": "messages"}}))
    error = failure(helper(server.url), max_tokens=5)
    assert "400" in str(error)
    assert "context too long" in str(error)
    assert not error.retryable
    assert len(server.requests) == 1


def test_thoughts_before_an_answer_are_left_out(chat_server: Any, says: Says) -> None:
    assert ask(helper(chat_server(lambda body: says("<think>\nhm\n</think>\n\nyes")).url)).text == "yes"
    error = failure(helper(chat_server(lambda body: says("<think>\nhm", "length")).url))
    assert "before it said anything" in str(error)


def test_parts_of_an_answer_are_joined(chat_server: Any, says: Says) -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "other"}, {"type": "text", "text": "b"}]
    assert ask(helper(chat_server(lambda body: says(parts)).url)).text == "ab"


@pytest.mark.parametrize(
    ("answer", "words", "retryable"),
    [
        ((200, {"choices": [{"message": {"content": ""}, "finish_reason": "stop"}]}), "the answer is empty", True),
        ((200, {"choices": [{"message": {"content": None}, "finish_reason": "length"}]}), "tokens were spent", True),
        ((200, {"choices": [{"message": {"refusal": "no", "content": None}}]}), "refused", False),
        ((200, {"choices": [{"message": {"content": "x"}, "finish_reason": "content_filter"}]}), "filter", False),
        ((200, {"choices": []}), "not a chat completion", True),
        ((200, {"choices": [None]}), "empty", True),
        ((200, {"choices": "x"}), "not a chat completion", True),
        ((200, ["x"]), "not a chat completion", True),
        ((200, b"<html>login</html>"), "not a chat completion", True),
        ((200, b"{broken"), "could not be asked", True),
        ((401, {"error": {"message": f"Incorrect API key provided: {KEY}."}}), "Incorrect API key", False),
        ((404, {"error": {"message": "no such model"}}), "no such model", False),
        ((429, {"error": {"message": "slow down"}}), "slow down", True),
        ((500, b"<html>oops</html>"), "answered 500", True),
        ((503, {"error": "a\nb" * 2000}), "answered 503", True),
    ],
)
def test_whatever_else_comes_is_one_sentence(
    chat_server: Any, answer: tuple[int, object], words: str, retryable: bool
) -> None:
    error = failure(helper(chat_server(lambda body: answer).url))
    assert words in str(error)
    assert error.retryable is retryable
    assert len(str(error)) < 500
    assert error.task == "web_extract"


def test_a_wrong_key_is_told_where_to_put_a_right_one(chat_server: Any) -> None:
    error = failure(helper(chat_server(lambda body: (401, {"error": {"message": "who?"}})).url))
    assert "auxiliary.web_extract.api_key" in str(error.hint)
    assert "AUXILIARY_WEB_EXTRACT_API_KEY" in str(error.hint)
    assert error.status == 401


def test_a_server_that_hangs_is_left(chat_server: Any, says: Says) -> None:
    def reply(body: dict[str, Any]) -> tuple[int, object]:
        server.leave.wait(60)
        return says("late")

    server = chat_server(reply)
    error = failure(helper(server.url), seconds=0.3)
    assert "within 0.3 seconds" in str(error)
    assert "auxiliary.web_extract.timeout" in str(error.hint)


def test_a_server_that_is_not_there_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    error = failure(helper(f"http://127.0.0.1:{port}/v1"))
    assert "could not be reached at 127.0.0.1" in str(error)
    assert error.retryable


@pytest.mark.parametrize("url", ["nonsense", "http://[", "ftp://x", "http://\x00/"])
def test_a_url_that_is_none_is_a_clear_error(url: str) -> None:
    assert "m" in str(failure(helper(url, seconds=5)))


def test_text_that_cannot_be_sent_is_mended(chat_server: Any, says: Says) -> None:
    server = chat_server(lambda body: says("yes"))
    assert ask(helper(server.url), user="a\ud800b\x00").text == "yes"
    assert server.requests[0]["messages"][1]["content"] == "a?b\x00"


def test_whoever_is_cancelled_stops_waiting(chat_server: Any, says: Says) -> None:
    def reply(body: dict[str, Any]) -> tuple[int, object]:
        asked.set()
        server.leave.wait(60)
        return says("late")

    server = chat_server(reply)
    import threading

    asked = threading.Event()

    async def run() -> bool:
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: helper(server.url).complete(system="s", user="u"))
            await anyio.to_thread.run_sync(asked.wait, 20)
            group.cancel_scope.cancel()
        return True

    assert anyio.run(run)


def test_without_the_package_it_is_said_how_to_get_it() -> None:
    script = """
import sys; sys.modules["openai"] = None
import anyio
from hermes_auxiliary import AuxiliaryError, AuxiliaryModel
try:
    anyio.run(lambda: AuxiliaryModel(task="t", model="m").complete(system="s", user="u"))
except AuxiliaryError as error:
    print(error, error.hint)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert "pip install openai" in done.stdout


def test_knowing_the_model_imports_no_client() -> None:
    script = (
        "import sys; from hermes_auxiliary import AuxiliaryModel;"
        "AuxiliaryModel.from_mapping({'t': {'model': 'm'}}, 't');"
        "print([name for name in ('openai', 'httpx2', 'httpx', 'anyio') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
