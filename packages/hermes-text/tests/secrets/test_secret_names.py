"""Secrets that no schema marks are known by their names and shapes."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_text.secrets.secret_names import looks_secret, masked


@pytest.mark.parametrize(
    "name",
    ["api_key", "apiKey", "API-KEY", "token", "GITHUB_TOKEN", "accessToken", "client_secret", "password", "db.password",
     "Authorization", "credentials", "apikey", "bottoken", "passphrase", "SLACK_BOT_TOKEN", "cookie"],
)  # fmt: skip
def test_names_that_tell(name: str) -> None:
    assert looks_secret(name)


@pytest.mark.parametrize("name", ["backend", "monkey", "keyboard", "tokenizer", "max_chars", "author", "passes", "url"])
def test_names_that_do_not(name: str) -> None:
    assert not looks_secret(name)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"api_key": "abc"}, {"api_key": "***"}),
        ({"api_key": ""}, {"api_key": ""}),
        ({"max_tokens": 500}, {"max_tokens": 500}),
        ({"tokens": ["a", "b"]}, {"tokens": ["***", "***"]}),
        ({"headers": {"Authorization": "Bearer x"}}, {"headers": {"Authorization": "***"}}),
        ({"credentials": {"user": "u"}}, {"credentials": {"user": "***"}}),
        ({"args": ["--api-key", "abc", "x"]}, {"args": ["--api-key", "***", "x"]}),
        ({"url": "https://u:secret@host/"}, {"url": "https://u:***@host/"}),
        ({"note": "sk-ant-abcdefghijklmnop"}, {"note": "sk-ant-***"}),
    ],
)
def test_what_is_shown(value: Any, shown: Any) -> None:
    assert masked(value) == shown
