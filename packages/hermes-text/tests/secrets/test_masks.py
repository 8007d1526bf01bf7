"""Secrets are masked in what a model reads; code, prose and placeholders are not, and a mask is known again."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from hermes_text import sanitize_error
from hermes_text.secrets import find_masks, mask_secrets, new_masks, redact

TOKEN = "ghp_" + "k3Jd9sLq" * 4 + "Zt7W"
BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"

ORDINARY = [
    "token = self[0]",
    "let auth = storage",
    "cancellation_token: CancellationToken",
    "password: required",
    'secret = os.environ["X"]',
    "self.token = token.strip().lower()",
    "const apiKey = process.env.API_KEY;",
    "Authorization: Bearer ${TOKEN}",
    "Authorization: Bearer <your-token>",
    'password = getpass.getpass("Password: ")',
    'if b"-----BEGIN PRIVATE KEY-----" in data:',
    '"""\n-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n"""',
    "sk-xxxx",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "ghp_your_token_here",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "sk_test_key_from_the_settings",
    "postgres://user:password@localhost:5432/db",
    "https://user:pass@example.com/",
    'f"https://{user}:{password}@{host}/"',
    "http://$USER:$PASS@proxy:3128",
    "HTTPS://jo%40email.com:a%20secret@somewhere.de:1234/",
    "hvs.some_long_attribute_name_of_a_module",
    "from npm_registry_client_for_internal_packages import x",
    "task-management-with-a-very-long-name-for-a-branch-2024",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad",
    "id: 123e4567-e89b-12d3-a456-426614174000",
    "eyJ is how base64 of JSON begins, as in eyJhbGci.eyJzdWIi.c2ln",
    "NotificationSubscriptions.create.with_a_very_long_method_name",
    "key-value-pairs: key-0123456789",
    "mysql -uroot -psecret; curl -u name:word host",
    "DB_PASSWORD=postgres",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_code_prose_and_placeholders_stay_as_they_are(text: str) -> None:
    assert mask_secrets(text) == text


SECRET = [
    ("github-token", f"token = '{TOKEN}'", TOKEN),
    ("aws-access-key-id", "id AKIAQ3EGWFHJ7KZ2MXPL.", "AKIAQ3EGWFHJ7KZ2MXPL"),
    ("url-password", "postgres://app:kD8sK2mQ@db.acme.io/x", "kD8sK2mQ"),
    ("bearer-token", "authorization: Bearer k3Jd9sLqZt7Wk3Jd9sLqZt7W", "k3Jd9sLqZt7Wk3Jd9sLqZt7W"),
    ("private-key", f"-----BEGIN PRIVATE KEY-----\n{BODY}\nabcd==\n-----END PRIVATE KEY-----", f"{BODY}\nabcd=="),
]


@pytest.mark.parametrize(("kind", "text", "secret"), SECRET, ids=[each[0] for each in SECRET])
def test_only_the_secret_gives_way_to_its_mask(kind: str, text: str, secret: str) -> None:
    before, _, behind = text.partition(secret)
    masked = mask_secrets(text)
    [mask] = find_masks(masked)
    assert masked == before + masked[mask.start : mask.end] + behind
    assert masked[mask.start : mask.end].startswith(f"[secret:{kind}#")
    assert mask_secrets(masked) == masked


def test_a_private_key_is_masked_with_numbers_escapes_and_quotes_around_its_lines() -> None:
    lines = ["-----BEGIN RSA PRIVATE KEY-----", *[BODY] * 3, "Zt7W==", "-----END RSA PRIVATE KEY-----"]
    for text in (
        "\n".join(f"{number}|{line}" for number, line in enumerate(lines, 1204)),
        "\\n".join(lines),
        "\n".join(f'    "{line}\\n"' for line in lines),
        "\n".join(f"+ {line}" for line in lines),
    ):
        masked = mask_secrets(text)
        assert "MIIEv" not in masked
        assert "Zt7W" not in masked
        assert masked.endswith(text[text.index("-----END") :])


def test_the_rest_of_a_private_key_is_masked_where_a_part_is_cut_off() -> None:
    assert "MIIEv" not in mask_secrets(f"-----BEGIN PRIVATE KEY-----\n{BODY}\n{BODY}\n")
    masked = mask_secrets(f"def f():\n    return 1\n{BODY}\n{BODY}\nZt7W==\n-----END PRIVATE KEY-----\nafter")
    assert "MIIEv" not in masked
    assert masked.startswith("def f():\n    return 1\n")
    assert masked.endswith("-----END PRIVATE KEY-----\nafter")


def test_a_mask_is_found_by_another_process_and_a_lookalike_is_not() -> None:
    code = f"from hermes_text.secrets import mask_secrets; print(mask_secrets('one\\ntwo {TOKEN}'))"
    other = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    [mask] = find_masks(other)
    assert mask.line == 2
    assert find_masks(other.replace("[", "").replace("]", ""))
    wrong = f"{(int(mask.text[-9:-1], 16) + 1) % 2**32:08x}"
    assert not find_masks(other.replace(mask.text[-9:-1], wrong))
    assert not find_masks("[secret:github-token#a1b2c3] [secret:x#deadbeef] secret:a#00000000")


def test_masks_that_are_there_already_are_not_new() -> None:
    masked = mask_secrets(f"a\nb {TOKEN}\n")
    assert new_masks(masked, masked) == []
    assert [mask.line for mask in new_masks(masked + masked, masked)] == [4]
    assert [mask.line for mask in new_masks(masked.upper(), "")] == [2]


def test_redaction_and_error_messages_leave_a_mask_as_it_is() -> None:
    masked = mask_secrets(f"line 1 holds {TOKEN}, which")
    assert redact(masked) == masked
    assert sanitize_error(masked) == masked


HOSTILE = [
    "-eyJ", "eyJaaaaaaaa.", "://", "://a:", "://:b@", "sk-", "xoxb-", "-----BEGIN PRIVATE KEY-----", "AAAA+",
    "-----END PRIVATE KEY-----", f"{BODY}\n", ":AA", "Bearer ", "M" + "a" * 23 + ".", "secret:a#0123abcd", "hvs.-",
    "secret_access_key = ", "glpat-", "&sig=%3", "[secret:",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_masking_takes_time_in_proportion_to_the_text(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        best = 9.0
        for _ in range(3):
            began = time.process_time()
            find_masks(mask_secrets(text))
            best = min(best, time.process_time() - began)
        return best

    assert seconds(400_000) < 12 * max(seconds(50_000), 0.002)
