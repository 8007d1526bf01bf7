"""Declared secrets stay out of results, errors, files, records and log messages, in every encoding."""

from __future__ import annotations

import asyncio
import base64
import html
import json
import logging
import os
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field, SecretStr

from hermes_core import CallRecord, Decision, Hermes, Progress, Tool, ToolCall, ToolContext, hookimpl
from hermes_text.secrets import find_masks

KEY = "DEMO_API_KEY"
SECRET = 'k9/Zq+w"7\\ä=Tn&24'


class Observer:
    """Keeps records, and writes them to the log as plugins do."""

    def __init__(self) -> None:
        self.records: list[CallRecord] = []
        self.progress: list[Progress] = []
        self.started: list[str] = []

    @hookimpl
    def hermes_tool_call_started(self, call: ToolCall, decision: Decision | None) -> None:
        self.started.append(f"{call!r} {dict(call.args)} {decision}")

    @hookimpl
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        logging.getLogger("observer").warning("%s %r %s", record, record.call, dict(record.call.args))
        self.records.append(record)

    @hookimpl
    def hermes_tool_progress(self, call: ToolCall, progress: Progress) -> None:
        self.progress.append(progress)


def spelled(secret: str) -> dict[str, str]:
    """A secret as tools echo it."""
    data = secret.encode()
    return {
        "plain": secret,
        "json": json.dumps(secret),
        "twice": json.dumps(json.dumps({"key": secret})),
        "url": f"https://host/?key={urllib.parse.quote(secret, safe='')}",
        "form": urllib.parse.urlencode({"key": secret}),
        "basic": "Basic " + base64.b64encode(b"user:" + data).decode(),
        "alone": base64.b64encode(data).decode(),
        "token": base64.urlsafe_b64encode(data + b":x").decode(),
        "html": html.escape(secret),
        "repr": repr(secret),
        "hex": data.hex(),
        "inside": f"key{secret}end",
    }


def echoing(secret: Callable[[], str], **fields: Any) -> list[Tool]:
    """Tools that give a secret away in every way that a tool has."""

    def fail(args: dict[str, Any]) -> str:
        raise RuntimeError(f"<tool_call> {args} failed with {spelled(secret())}")

    def long(args: dict[str, Any]) -> str:
        return json.dumps({"text": ("x" * 90 + secret() + "\n") * 3_000})

    async def awaited(args: dict[str, Any]) -> Any:
        return spelled(secret())

    def streamed(args: dict[str, Any]) -> Iterator[str]:
        yield from spelled(secret()).values()

    def nested(args: dict[str, Any], ctx: ToolContext) -> Any:
        ctx.progress(f"using {secret()}", detail=secret())
        return ctx.call_tool("plain", {"text": secret()})

    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    handlers: dict[str, Callable[..., Any]] = {
        "plain": lambda args: spelled(secret()),
        "fail": fail,
        "long": long,
        "awaited": awaited,
    }
    handlers |= {"streamed": streamed, "nested": nested}
    made = (Tool.from_schema({"name": name, "parameters": schema}, made, **fields) for name, made in handlers.items())
    return [*made, forwarding()]


def forwarding() -> Tool:
    """A tool whose calls become calls of the tool that its arguments name, as `tool_call` of tool search does."""

    def follow(args: dict[str, Any], ctx: ToolContext) -> tuple[str, Any]:
        return args["name"], args.get("arguments", {})

    return Tool.from_schema({"name": "tool_call"}, lambda args: None, forward=follow, in_every_scope=True)


def leaked(secret: str, text: str) -> list[str]:
    forms = {*spelled(secret).values(), secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    return [form for form in forms if form in text]


def every_answer(hermes: Hermes, args: dict[str, Any]) -> Iterator[str]:
    async def main(name: str) -> str:
        return await hermes.acall(name, args)

    for name in ("plain", "fail", "long", "awaited", "streamed", "nested"):
        yield hermes.call(name, args)
        yield asyncio.run(main(name))
        yield from hermes.batch([(name, args)])
        yield hermes.call("tool_call", {"name": name, "arguments": args})


def check_nothing_leaks(hermes: Hermes, secret: str, home: Path, observer: Observer, log: str) -> None:
    answers = list(every_answer(hermes, {"text": f"with {secret}"}))
    for answer in answers:
        json.loads(answer)
        assert not leaked(secret, answer), answer
        assert find_masks(answer)
    files = list((home / "results").glob("*"))
    assert len(files) > 3
    for file in files:
        text = file.read_text()
        assert not leaked(secret, text), file
        assert secret[:9] not in text
    assert len(observer.records) >= len(answers)
    for record in observer.records:
        assert not leaked(secret, f"{record!r} {record.result} {dict(record.call.args)}")
    assert len(observer.started) >= len(answers)
    assert not leaked(secret, str(observer.started))
    assert observer.progress
    assert not leaked(secret, str(observer.progress))


def test_a_key_of_a_tool_is_hidden_everywhere(
    home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    observer = Observer()
    tools = echoing(lambda: os.environ[KEY], requires_env=[KEY], effects=["write"])
    with Hermes(tools=tools, plugins=[observer], home=home) as hermes:
        check_nothing_leaks(hermes, SECRET, home, observer, caplog.text)
    assert not leaked(SECRET, caplog.text)


class Account(BaseModel):
    token: SecretStr = SecretStr("")
    keys: list[SecretStr] = Field(default_factory=list)
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    nested: dict[str, Any] = Field(default_factory=dict, json_schema_extra={"secret": True})


class DemoSettings(BaseModel):
    """Settings of a family of somebody else."""

    api_key: str = Field(default="", json_schema_extra={"secret": True})
    account: Account = Field(default_factory=Account)
    host: str = "localhost"


@pytest.mark.parametrize(
    "config",
    [
        {"api_key": SECRET},
        {"account": {"token": SECRET}},
        {"account": {"keys": ["first-key-1", SECRET]}},
        {"account": {"headers": {"X-Auth": SECRET}}},
        {"account": {"nested": {"any": [{"where": SECRET}]}}},
    ],
)
def test_a_setting_that_a_third_party_marks_as_secret_is_hidden_everywhere(config: dict[str, Any], home: Path) -> None:
    observer = Observer()

    class Family:
        @hookimpl
        def hermes_tools(self) -> list[Tool]:
            return echoing(lambda: SECRET, effects=["write"])

        @hookimpl
        def hermes_settings(self) -> dict[str, Any]:
            return {"demo": DemoSettings}

    with Hermes(plugins=[Family(), observer], home=home, config={"demo": config}) as hermes:
        check_nothing_leaks(hermes, SECRET, home, observer, "")


def test_a_changed_key_is_noticed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with Hermes(tools=echoing(lambda: os.environ[KEY], requires_env=[KEY])) as hermes:
        for secret in ("first-secret-111", "second-secret-222"):
            monkeypatch.setenv(KEY, secret)
            assert secret not in hermes.call("plain")


def test_a_key_of_the_hosts_own_environment_is_hidden(home: Path) -> None:
    environ = {KEY: "only-for-this-host-1"}
    with Hermes(tools=echoing(lambda: environ[KEY], requires_env=[KEY]), environ=environ) as hermes:
        assert "only-for-this-host-1" not in hermes.call("plain")


def test_the_key_of_another_tool_is_hidden_from_callers_but_not_from_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool may write what it reads back where it was: a mask in its place would be written instead."""
    monkeypatch.setenv(KEY, "somebody-elses-key-1")
    heard: list[str] = []

    def outer(args: dict[str, Any], ctx: ToolContext) -> str:
        heard.append(ctx.call_tool("reader"))
        return heard[-1]

    tools = [
        Tool.from_schema({"name": "reader"}, lambda args: json.dumps(f"KEY={os.environ[KEY]}")),
        Tool.from_schema({"name": "owner"}, lambda args: "1", requires_env=[KEY]),
        Tool.from_schema({"name": "outer"}, outer),
    ]
    observer = Observer()
    with Hermes(tools=tools, plugins=[observer]) as hermes:
        assert "somebody-elses-key-1" not in hermes.call("reader") + hermes.call("outer")
    assert heard == ['"KEY=somebody-elses-key-1"']
    assert "somebody-elses-key-1" not in "".join(record.result for record in observer.records)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (KEY, "true"),
        (KEY, "abc"),
        (KEY, "12345"),
        (KEY, "localhost"),
        (KEY, "production"),
        (KEY, "********"),
        (KEY, " "),
        ("DEMO_HOST", "demo.example.com"),
        ("DEMO_URL", "http://localhost:8080/path"),
        ("DEMO_MODEL", "mistral-large-2"),
        ("DEMO_REGION", "eu-central-1"),
        ("DEMO_CREDENTIALS", "/home/me/credentials.json"),
    ],
)
def test_values_that_are_no_secrets_do_not_spoil_results(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    text = json.dumps({"text": f"abcabc {value} true 12345678 localhost:80 production", "ok": True, "n": 12345})
    made = Tool.from_schema({"name": "t"}, lambda args: text)
    owner = Tool.from_schema({"name": "owner"}, lambda args: "1", requires_env=[name])
    with Hermes(tools=[made, owner]) as hermes:
        assert hermes.call("t") == text


@pytest.mark.parametrize(
    ("name", "value", "text", "shown"),
    [
        (KEY, "hunter2", "hunter2 unhunter2ed", "MASK unhunter2ed"),
        (KEY, "hunter2", "key:\nhunter2\n\thunter2 \u00e4hunter2", "key:\nMASK\n\tMASK \u00e4MASK"),
        (KEY, "48151623", "48151623 and 481516234", "MASK and 481516234"),
        (KEY, "supersecret", "supersecret, supersecretly", "MASK, supersecretly"),
        (KEY, "pass-word-77", "xpass-word-77x", "xMASKx"),
        ("DATABASE_URL", "postgres://me:s3cr3t-pw@db/x", "postgres://me:s3cr3t-pw@db/x s3cr3t-pw", "MASK MASK"),
        ("HOOK_URL", "https://h.example/s/T0K9x8Zq7Lw2Pm4", "see https://h.example/s/T0K9x8Zq7Lw2Pm4", "see MASK"),
    ],
)
def test_short_values_are_hidden_as_whole_words(
    name: str, value: str, text: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    made = Tool.from_schema({"name": "t"}, lambda args: json.dumps(text), requires_env=[name])
    with Hermes(tools=[made]) as hermes:
        answer = json.loads(hermes.call("t"))
    for mask in find_masks(answer):
        answer = answer.replace(mask.text, "MASK").replace(mask.text.replace(name.lower(), name), "MASK")
    assert answer == shown


def test_a_number_that_is_a_secret_leaves_valid_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "481516234200")
    made = Tool.from_schema({"name": "t"}, lambda args: {"pin": 481516234200, "n": [1.5, 2]}, requires_env=[KEY])
    with Hermes(tools=[made]) as hermes:
        answer = json.loads(hermes.call("t"))
    assert answer["n"] == [1.5, 2]
    assert answer["pin"].startswith("[secret:")


def test_a_secret_that_is_json_itself_leaves_valid_json(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = '{"type": "service_account", "id": "a1b2c3d4"}'
    monkeypatch.setenv(KEY, secret)
    made = Tool.from_schema({"name": "t"}, lambda args: '{"found": ' + secret + "}", requires_env=[KEY])
    with Hermes(tools=[made]) as hermes:
        answer = hermes.call("t")
    json.loads(answer)
    assert "a1b2c3d4" not in answer


def test_no_half_of_a_secret_is_left_where_a_text_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "Zk81-half-of-a-secret-is-usable-49"
    monkeypatch.setenv(KEY, secret)

    def at(args: dict[str, Any]) -> str:
        if args["fail"]:
            raise RuntimeError("x" * args["at"] + secret)
        return json.dumps("x" * args["at"] + secret + "y" * 3_000)

    kinds = {"at": {"type": "integer"}, "fail": {"type": "boolean"}}
    made = Tool.from_schema(
        {"name": "t", "parameters": {"type": "object", "properties": kinds}},
        at,
        requires_env=[KEY],
        max_result_size_chars=1_000,
    )
    with Hermes(tools=[made]) as hermes:
        for position in (*range(1_460, 1_510), *range(1_960, 2_010)):
            for fail in (False, True):
                answer = hermes.call("t", {"at": position, "fail": fail})
                assert secret[:6] not in answer
                assert secret[-6:] not in answer


def test_a_transformation_cannot_bring_a_secret_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "brought-back-key-1")
    given: list[str] = []

    class Plugin:
        @hookimpl
        def hermes_transform_tool_result(self, call: ToolCall, result: str) -> str:
            given.append(result)
            return json.dumps(os.environ[KEY])

    with Hermes(tools=echoing(lambda: os.environ[KEY], requires_env=[KEY]), plugins=[Plugin()]) as hermes:
        assert "brought-back-key-1" not in hermes.call("plain")
    assert "brought-back-key-1" not in given[0]


def test_what_a_policy_says_about_a_call_is_recorded_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    from hermes_core import Deny

    monkeypatch.setenv(KEY, "policy-saw-this-key-1")

    class Policy:
        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> Deny:
            return Deny(f"not with {call.args['text']}")

    tools = echoing(lambda: os.environ[KEY], requires_env=[KEY])
    with Hermes(tools=tools, plugins=[Policy()]) as hermes:
        record = hermes.run("plain", {"text": os.environ[KEY]})
    assert "policy-saw-this-key-1" not in f"{record!r} {record.result} {record.decision}"
