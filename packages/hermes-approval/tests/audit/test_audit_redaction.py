"""Nothing secret reaches the disk: told by names, by shapes, or by the values that the environment holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from hermes_approval import Audit
from hermes_approval.audit.entry import entry_of, line_of
from hermes_core import CallRecord, Finding, Hermes, ToolCall, hookimpl, tool

MakeRecord = Callable[..., CallRecord]

OPENAI = "sk-proj-abcDEF123456abcDEF123456"
GITHUB = "ghp_0123456789abcdefABCDEF0123456789abcd"

SECRETS: dict[str, tuple[Any, str]] = {
    "an api key by its shape": ({"text": f"use {OPENAI} please"}, OPENAI[8:]),
    "an api key by its name": ({"api_key": "plainvalue"}, "plainvalue"),
    "a name in camel case": ({"apiKey": "plainvalue"}, "plainvalue"),
    "a bearer token": ({"header": "Authorization: Bearer abc123def456ghi"}, "abc123def456ghi"),
    "a header": ({"headers": {"Authorization": "Custom zzz999yyy"}}, "zzz999yyy"),
    "a header as a pair": ({"headers": [{"name": "X-Api-Key", "value": "plainvalue"}]}, "plainvalue"),
    "a password in a URL": ({"url": "https://ann:hunter22@example.org/x"}, "hunter22"),
    "a password in an address of a database": ({"args": ["postgres://u:pa55w0rd@db/x"]}, "pa55w0rd"),
    "a password that is a number": ({"password": 12345678}, "12345678"),
    "everything under a secret name": ({"credentials": {"user": "annabel", "list": ["plainvalue"]}}, "plainvalue"),
    "an option of a command": ({"argv": ["curl", "--token", "plainvalue"]}, "plainvalue"),
    "an assignment in a command": ({"command": "export DB_PASSWORD=plainvalue1 && run"}, "plainvalue1"),
    "deep inside": ({"a": [{"b": ({"c": {"client_secret": "plainvalue"}},)}]}, "plainvalue"),
    "in the name of a key": ({GITHUB: 1}, GITHUB[4:]),
    "arguments that are text": (f'{{"token": "{GITHUB}"}}', GITHUB[4:]),
    "the password of curl": ({"command": "curl -u admin:plain1 https://x.io"}, "plain1"),
    "the password of mysql": ({"command": "mysql -u root -pplain1 db"}, "plain1"),
    "a short password": ({"command": "mysql --password=pl1 db"}, "pl1"),
    "the password of sshpass": ({"command": "sshpass -p plain1 ssh host"}, "plain1"),
    "a password for sudo": ({"command": "echo plain1 | sudo -S ls"}, "plain1"),
    "a pair behind an option": ({"argv": ["-u", "a:plain1"]}, "plain1"),
    "a pair among other values": ({"argv": ["curl", 5, None, "-u", "a:plain1"]}, "plain1"),
    "a password in a list of words": ({"argv": ["sshpass", "-p", "plain1", "ssh"]}, "plain1"),
    "headers as pairs": ({"headers": [["X-Api-Key", "plainvalue"]]}, "plainvalue"),
    "headers as tuples": ({"headers": (("Authorization", "plainvalue"),)}, "plainvalue"),
    "a code for one time": ({"otp": "123456"}, "123456"),
    "a number for one time": ({"login_otp": 123456}, "123456"),
    "a command in the name of a key": ({"curl -u admin:plain1 x": 1}, "plain1"),
    "a setting in the name of a key": ({"a": {"password=plainvalue": 1}}, "plainvalue"),
    "a name below a secret one": ({"passwords": {"hunter22": True}}, "hunter22"),
    "a private key": ({"file": "-----BEGIN PRIVATE KEY-----\nMIIabcdefgh\n-----END PRIVATE KEY-----"}, "MIIabcdefgh"),
}


@pytest.mark.parametrize(("args", "secret"), SECRETS.values(), ids=SECRETS.keys())
def test_a_secret_does_not_reach_the_line(record: MakeRecord, args: object, secret: str) -> None:
    assert secret in str(args)
    assert secret.encode() not in line_of(entry_of(record(args), source=None))


KEY = "SHED_KEY"


class Judge:
    """Denies every call, and names the secret while it does."""

    def __init__(self, secret: str) -> None:
        self.secret = secret

    @hookimpl
    def hermes_assess_call(self, call: ToolCall) -> list[Finding]:
        return [Finding(rule="r", severity="refuse", reason=f"has {self.secret}")] if "judged" in call.args else []


@tool(requires_env=[KEY], effects=["write"])
def open_shed(text: str = "", more: Any = None, judged: bool = False) -> str:
    """Open the shed."""
    return "open"


def audited(home: Path, secret: str, **args: Any) -> dict[str, Any]:
    """Call a tool that needs a secret, and return the entry of the call."""
    with Hermes(tools=[open_shed], plugins=[Judge(secret), Audit()], home=home, environ={KEY: secret}) as hermes:
        hermes.call("open_shed", args)
    entry: dict[str, Any] = json.loads((home / "audit.jsonl").read_text().splitlines()[-1])
    return entry


@pytest.mark.parametrize(
    "spelling",
    [str, lambda text: quote(text, safe=""), lambda text: json.dumps(text)[1:-1]],
    ids=["raw", "url", "json"],
)
def test_a_known_secret_is_hidden_wherever_it_stands(home: Path, spelling: Callable[[str], str]) -> None:
    secret = 'no shape/at all & "quoted"'
    spelled = spelling(secret)
    entry = audited(home, secret, text=f"before {spelled} after", more={spelled: [spelled]}, judged=True)
    assert "no shape" not in str(entry)
    assert "no%20shape" not in str(entry)
    assert entry["args"]["text"].startswith("before [secret:SHED_KEY#")
    assert entry["args"]["text"].endswith("] after")
    assert entry["decision"]["reason"].startswith("has [secret:SHED_KEY#")


def test_a_known_secret_that_is_digits_is_hidden_as_a_number(home: Path) -> None:
    assert "9876543210" not in str(audited(home, "9876543210", more=9876543210)["args"])


@pytest.mark.parametrize("secret", ["1", "or", "true", ""])
def test_short_values_of_the_environment_do_not_blacken_everything(home: Path, secret: str) -> None:
    assert audited(home, secret, text="one or true", more=1)["args"]["text"] == "one or true"


def test_numbers_that_count_are_shown(record: MakeRecord) -> None:
    args = {"max_tokens": 500, "keys": 3, "token": None, "secret": False}
    assert entry_of(record(args), source=None)["args"] == args


def test_ordinary_arguments_are_shown_as_they_are(record: MakeRecord) -> None:
    args = {"path": "/tmp/größe.txt", "pattern": "token", "lines": [1, 2.5], "author": "Ann", "options": {"deep": True}}
    args |= {"argv": ["docker", "run", "-u", "1000:1000", "-p", "8080:80"], "words": ["token", "reset"], "e": [{}, []]}
    args |= {"command": "mkdir -p x && ssh -p 22 -u name host", "stop": "optional", "pairs": [["a", "b"], [1, 2]]}
    assert entry_of(record(args), source=None)["args"] == args


@pytest.mark.parametrize("before", [1_990, 9_000, 10_180, 10_190, 65_530])
def test_a_secret_at_the_edge_of_what_is_kept_is_not_shown_in_half(record: MakeRecord, before: int) -> None:
    text = "x" * before + " " + GITHUB + " " + "y" * 100_000
    assert GITHUB[4:10] not in str(entry_of(record({"text": text}), source=None))


@pytest.mark.parametrize("before", [1_990, 10_180, 65_530])
def test_a_known_secret_at_the_edge_of_what_is_kept_is_not_shown_in_half(home: Path, before: int) -> None:
    secret = "KnownSecretWithoutShape0123456789"
    entry = audited(home, secret, text="x" * before + " " + secret + " " + "y" * 100_000)
    assert secret[4:10] not in str(entry)


def test_half_a_secret_does_not_appear_where_hiding_others_made_room(record: MakeRecord) -> None:
    key = "-----BEGIN PRIVATE KEY-----\n" + "A" * 10_100 + "\n-----END PRIVATE KEY-----"
    text = f"{key} {GITHUB * 40} {'z' * 50_000}"
    assert GITHUB[4:20] not in str(entry_of(record({"text": text}), source=None)["args"])
