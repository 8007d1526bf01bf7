"""The user's own secrets are masked in what a session shows a model, whatever they look like."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_core import Hermes, tool
from hermes_text.secrets import find_masks


def own(home: Path, text: str) -> str:
    with Hermes(home=home) as hermes, hermes.session() as session:
        return session.mask_secrets(text)


def test_the_users_own_secrets_are_masked_whatever_they_look_like(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text(
        "ACME_TOKEN=plum-otter-49\nOTHER=k3Jd9sLqZt7WmN42\nMODEL=claude-sonnet-4-20250514\nDB_PASSWORD=postgres\n"
        "DB_URL=mysql://root:9dkK2lsQ@db/x\nPIN_PASSWORD='p$8:x,(y)'\nSECRET_FILE=/run/secrets/one\nUSE_TOKEN=true\nLEVEL=info\n"
    )
    monkeypatch.setenv("CI_SECRET", "walrus77blue")
    masked = own(
        tmp_path,
        "plum-otter-49 k3Jd9sLqZt7WmN42 claude-sonnet-4-20250514 postgres 9dkK2lsQ /run/secrets/one true info "
        "walrus77blue xwalrus77bluex p$8:x,(y)",
    )
    names = [mask.text.partition("#")[0] for mask in find_masks(masked)]
    assert names == [
        "[secret:acme_token",
        "[secret:other",
        "[secret:db_url",
        "[secret:ci_secret",
        "[secret:pin_password",
    ]
    for kept in ("claude-sonnet-4-20250514", "postgres", "/run/secrets/one", "true", "info", "xwalrus77bluex"):
        assert kept in masked.split()


def test_a_secret_that_the_user_adds_counts_at_once_and_a_broken_file_loses_none(tmp_path: Path) -> None:
    with Hermes(home=tmp_path) as hermes, hermes.session() as session:
        assert session.mask_secrets("plum-otter-49") == "plum-otter-49"
        (tmp_path / ".env").write_text("A_KEY=plum-otter-49\n")
        assert "otter" not in session.mask_secrets("plum-otter-49")
        (tmp_path / ".env").write_text("A_KEY='plum-otter-49\nwhat?\n")
        assert "otter" not in session.mask_secrets("plum-otter-49")


def test_what_a_tool_requires_is_a_secret(tmp_path: Path) -> None:
    @tool(toolset="x", requires_env=["ACME_LOGIN"])
    def ask() -> str:
        """Ask."""
        return ""

    environ = {"ACME_LOGIN": "plum-otter-49"}
    with Hermes(home=tmp_path, tools=[ask], environ=environ) as hermes, hermes.session() as session:
        assert "otter" not in session.mask_secrets("plum-otter-49")
