"""Every spelling of a secret is hidden in JSON text, in linear time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_text.secrets.declared_values import is_trivial
from hermes_text.secrets.encoded_secrets import encodings, hide, hide_in_json, spellings


def test_the_time_to_hide_secrets_grows_in_proportion_to_the_text() -> None:
    known = spellings(frozenset((f"secret-number-{n}-abcdef", "NAME") for n in range(20)))

    def seconds(size: int) -> float:
        text = json.dumps("secret-number-1-abcde " * (size // 22))
        best = float("inf")
        for _ in range(3):
            started = time.process_time()
            hide_in_json(text, known)
            best = min(best, time.process_time() - started)
        return best

    assert seconds(2_000_000) < 8 * seconds(500_000) + 0.05


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.text(min_size=8, max_size=40), st.text(max_size=20), st.text(max_size=20))
def test_no_spelling_of_any_secret_survives(secret: str, before: str, after: str) -> None:
    secret = secret.strip()
    if len(secret) < 8 or is_trivial(secret) or not secret.isascii() or secret.isalnum():
        return
    known = spellings(frozenset({(secret, "NAME")}))
    for form in encodings(secret):
        hidden = hide_in_json(json.dumps(f"{before}{form}{after}"), known)
        assert form not in json.loads(hidden)
        assert secret not in json.loads(hidden)


@pytest.mark.parametrize("write", [repr, ascii, lambda secret: repr(secret.encode())])
def test_a_secret_with_other_letters_is_hidden_in_python_literals(write: Callable[[str], str]) -> None:
    secret = "pässwörd-€-0123456789"
    spelled = spellings(frozenset({(secret, "KEY")}))
    literal = write(secret)
    assert literal.strip("b'") not in hide(f"Invalid header value {literal}", spelled)
    assert literal.strip("b'") not in json.loads(hide(json.dumps(literal), spelled))
