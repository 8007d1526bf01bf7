"""Which parts of a configured value are secrets: enough of them, and no word that is in every text."""

from __future__ import annotations

import pytest

from hermes_text.secrets.declared_values import certain_secrets, names_secret, secrets_in, secrets_in_variable

GENERATED = "q8Zr4Lw7Yt2Xn9Vb5Kd1"


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("API_KEY", " s3cret-word ", {"s3cret-word"}),
        ("API_KEY", "production", set()),
        ("API_KEY", "short", set()),
        ("API_KEY", "aaaaaaaa", set()),
        ("API_KEY", "/etc/keys/one.pem", set()),
        ("SERVICE_URL", "https://example.com/path", set()),
        (
            "SERVICE_URL",
            "https://me:p%40ssw0rd@example.com",
            {"https://me:p%40ssw0rd@example.com", "p%40ssw0rd", "p@ssw0rd"},
        ),
        ("SERVICE_HOST", "db.internal", set()),
        ("SERVICE_HOST", f"db-{GENERATED}.internal", {f"db-{GENERATED}.internal"}),
        ("PEM", "first-line\nsecond-line", {"first-line", "second-line", "first-line\nsecond-line"}),
    ],
)
def test_a_required_variable_need_not_be_a_secret(name: str, value: str, found: set[str]) -> None:
    assert {secret for secret, _ in secrets_in_variable(name, value)} == found


def test_a_name_is_made_fit_for_a_mask() -> None:
    assert dict(secrets_in('servers."a b".kéy', "s3cret-word")) == {"s3cret-word": "servers._a_b_.k_y"}


@pytest.mark.parametrize(
    ("value", "named", "found"),
    [
        (GENERATED, False, {GENERATED}),
        ("correct-h0rse-battery", True, {"correct-h0rse-battery"}),
        ("correct-h0rse-battery", False, set()),
        ("password", True, set()),
        ("/etc/keys/one.pem", True, set()),
        ("postgres://me:pZr4Lw7Yt2Xn@db/x", False, {"pZr4Lw7Yt2Xn"}),
        ("postgres://[broken", True, set()),
    ],
)
def test_only_what_is_certain_is_masked_in_what_a_model_may_write_back(
    value: str, named: bool, found: set[str]
) -> None:
    assert {secret for secret, _ in certain_secrets("NAME", value, named=named)} == found


def test_names_of_variables_that_say_so() -> None:
    assert names_secret("DB_PASSWORD_FILE")
    assert names_secret("github_token")
    assert not names_secret("EDITOR")
