"""Masking of secrets: how many planted keys are masked, and how much ordinary text is masked by mistake.

The trees are the standard library and the installed packages; `MASKS_TREES` names more of them, with colons between.
`python -m bench.files.masks` lists every mask in them.
"""

from __future__ import annotations

import base64
import json
import os
import random
import re
import string
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.harness import Row, Score, fastest, once
from hermes_text.secrets import mask_secrets, redact

PLANTED = 200
PER_LINES = 100_000

_DIGITS, _HEX, _LOWER = string.digits, "0123456789abcdef", string.ascii_lowercase + string.digits
_UPPER, _ALL = string.ascii_uppercase + string.digits, string.ascii_letters + string.digits
_WORD, _BASE64 = _ALL + "_-", _ALL + "+/"
_TEXT = re.compile(
    r".*\.(bash|cc?|cfg|cpp|css|csv|go|h|html|ini|java|jsx?|json|kt|lock|md|mjs|php|pl|po|ps1|pyi?|pyx|rb|rs|rst|scss|sh|sql"
    r"|svelte|swift|tf|toml|tsx?|txt|vue|xml|ya?ml)"
)
_MAX_BYTES = 5_000_000


def _keys(dice: random.Random, made: list[str]) -> dict[str, Callable[[], str]]:
    """Return what makes a key of each kind, as vendors document them; its random parts are added to `made`."""

    def some(letters: str, count: int) -> str:
        made.append("".join(dice.choices(letters, k=count)))
        return made[-1]

    def encoded(value: object) -> str:
        text = json.dumps(value, separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(text).decode().rstrip("=")

    def jwt() -> str:
        claims = {"sub": some(_DIGITS, 10), "iat": 1_700_000_000 + dice.randrange(10**8), "role": "admin"}
        return f"{encoded({'alg': 'HS256', 'typ': 'JWT'})}.{encoded(claims)}.{some(_WORD, 43)}"

    def uuid() -> str:
        return "-".join(some(_HEX, count) for count in (8, 4, 4, 4, 12))

    def pem(name: str, size: int) -> str:
        body = some(_BASE64, size)
        lines = "\n".join(body[at : at + 64] for at in range(0, size, 64))
        return f"-----BEGIN {name}-----\n{lines}\n-----END {name}-----"

    return {
        "GitHub classic": lambda: "ghp_" + some(_ALL, 36),
        "GitHub OAuth": lambda: "gho_" + some(_ALL, 36),
        "GitHub server": lambda: "ghs_" + some(_ALL, 36),
        "GitHub refresh": lambda: "ghr_" + some(_ALL, 76),
        "GitHub fine-grained": lambda: f"github_pat_{some(_ALL, 22)}_{some(_ALL, 59)}",
        "GitLab": lambda: "glpat-" + some(_WORD, 20),
        "GitLab routable": lambda: f"glpat-{some(_WORD, 27)}.01.{some(_LOWER, 9)}",
        "GitLab runner": lambda: "glrt-" + some(_WORD, 20),
        "AWS access key": lambda: "AKIA" + some(string.ascii_uppercase + "234567", 16),
        "AWS temporary key": lambda: "ASIA" + some(string.ascii_uppercase + "234567", 16),
        "AWS secret key": lambda: "aws_secret_access_key = " + some(_BASE64, 40),
        "AWS secret, exported": lambda: f'export AWS_SECRET_ACCESS_KEY="{some(_BASE64, 40)}"',
        "AWS secret, JSON": lambda: f'"SecretAccessKey": "{some(_BASE64, 40)}"',
        "Slack bot": lambda: f"xoxb-{some(_DIGITS, 12)}-{some(_DIGITS, 13)}-{some(_ALL, 24)}",
        "Slack user": lambda: "xoxp-" + "-".join(some(_DIGITS, 12) for _ in range(3)) + "-" + some(_HEX, 32),
        "Slack app": lambda: f"xapp-1-A{some(_UPPER, 10)}-{some(_DIGITS, 13)}-{some(_HEX, 64)}",
        "Slack webhook": lambda: (
            f"https://hooks.slack.com/services/T{some(_UPPER, 10)}/B{some(_UPPER, 10)}/{some(_ALL, 24)}"
        ),
        "Stripe": lambda: "sk_live_" + some(_ALL, 24),
        "Stripe long": lambda: "sk_live_51" + some(_ALL, 97),
        "Stripe restricted": lambda: "rk_live_" + some(_ALL, 24),
        "Stripe webhook": lambda: "whsec_" + some(_ALL, 32),
        "OpenAI": lambda: f"sk-{some(_ALL, 20)}T3BlbkFJ{some(_ALL, 20)}",
        "OpenAI project": lambda: f"sk-proj-{some(_WORD, 74)}T3BlbkFJ{some(_WORD, 74)}",
        "OpenAI service": lambda: f"sk-svcacct-{some(_WORD, 74)}T3BlbkFJ{some(_WORD, 73)}",
        "Anthropic": lambda: f"sk-ant-api03-{some(_WORD, 93)}AA",
        "Anthropic admin": lambda: f"sk-ant-admin01-{some(_WORD, 93)}AA",
        "OpenRouter": lambda: "sk-or-v1-" + some(_HEX, 64),
        "DeepSeek": lambda: "sk-" + some(_HEX, 32),
        "Google API": lambda: "AIza" + some(_WORD, 35),
        "Google client secret": lambda: "GOCSPX-" + some(_WORD, 28),
        "Google access": lambda: "ya29.a0" + some(_WORD, 160),
        "Hugging Face": lambda: "hf_" + some(string.ascii_letters, 34),
        "Groq": lambda: "gsk_" + some(_ALL, 52),
        "xAI": lambda: "xai-" + some(_ALL, 80),
        "Perplexity": lambda: "pplx-" + some(_ALL, 48),
        "Replicate": lambda: "r8_" + some(_ALL, 37),
        "NVIDIA": lambda: "nvapi-" + some(_WORD, 64),
        "npm": lambda: "npm_" + some(_ALL, 36),
        "PyPI": lambda: "pypi-AgEIcHlwaS5vcmc" + some(_WORD, 150),
        "RubyGems": lambda: "rubygems_" + some(_HEX, 48),
        "Docker": lambda: "dckr_pat_" + some(_WORD, 27),
        "Databricks": lambda: "dapi" + some(_HEX, 32),
        "DigitalOcean": lambda: "dop_v1_" + some(_HEX, 64),
        "Twilio": lambda: "SK" + some(_HEX, 32),
        "Twilio auth token": lambda: "TWILIO_AUTH_TOKEN=" + some(_HEX, 32),
        "SendGrid": lambda: f"SG.{some(_WORD, 22)}.{some(_WORD, 43)}",
        "Mailgun": lambda: "key-" + some(_HEX, 32),
        "Mailchimp": lambda: some(_HEX, 32) + "-us21",
        "Shopify": lambda: "shpat_" + some(_HEX, 32),
        "Azure storage": lambda: (
            "DefaultEndpointsProtocol=https;AccountName=acme;"
            f"AccountKey={some(_BASE64, 86)}==;EndpointSuffix=core.windows.net"
        ),
        "Azure service bus": lambda: (
            f"Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={some(_BASE64, 43)}="
        ),
        "Azure client secret": lambda: f"{some(_ALL, 3)}8Q~{some(_ALL + '_~.', 33)}{some(_ALL, 1)}",
        "Telegram": lambda: f"{some('123456789', 10)}:AA{some(_WORD, 33)}",
        "Discord": lambda: (
            base64.b64encode(some("123456789", 18).encode()).decode() + f".{some(_ALL, 6)}.{some(_WORD, 38)}"
        ),
        "Linear": lambda: "lin_api_" + some(_ALL, 40),
        "Notion": lambda: "ntn_" + some(_DIGITS, 11) + some(_ALL, 35),
        "Figma": lambda: "figd_" + some(_WORD, 43),
        "Atlassian": lambda: "ATATT3xFfGF0" + some(_WORD, 180) + "=" + some(_UPPER, 8),
        "Postman": lambda: f"PMAK-{some(_HEX, 24)}-{some(_HEX, 34)}",
        "New Relic": lambda: "NRAK-" + some(_UPPER, 27),
        "Grafana": lambda: f"glsa_{some(_ALL, 32)}_{some(_HEX, 8)}",
        "Vault": lambda: "hvs." + some(_WORD, 90),
        "Tailscale": lambda: f"tskey-auth-k{some(_ALL, 11)}CNTRL-{some(_ALL, 32)}",
        "Supabase": lambda: "sbp_" + some(_HEX, 40),
        "HubSpot": lambda: "pat-na1-" + uuid(),
        "age": lambda: "AGE-SECRET-KEY-1" + some("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
        "JWT": jwt,
        "RSA key": lambda: pem("RSA PRIVATE KEY", 1588),
        "EC key": lambda: pem("PRIVATE KEY", 184),
        "Ed25519 key": lambda: pem("PRIVATE KEY", 64),
        "OpenSSH key": lambda: pem("OPENSSH PRIVATE KEY", 364),
        "database URL": lambda: f"postgres://app:{some(_ALL, 16)}@db.internal.acme.io:5432/app",
        "Redis URL": lambda: f"redis://:{some(_HEX, 24)}@cache-1.acme.io:6379/0",
    }


_PLACES = (
    "{}",
    'API_KEY = "{}"',
    "    client = Client(token='{}')",
    "const key = `{}`;",
    'let auth: &str = "{}".trim();',
    "SERVICE_KEY={}",
    "export SERVICE_KEY={}",
    "service:\n  key: {}\n  region: eu-1",
    '{{"service": {{"key": "{}", "retries": 3}}}}',
    "$ env | sort\nSERVICE_KEY={}\nSHELL=/bin/bash",
    "2026-03-01 12:00:01 WARN refused {} for user 17",
    'curl -H "Authorization: Bearer {}" https://api.acme.io/v1',
    "-old = 1\n+key = '{}'\n context",
    "12|key = {}\n13|",
    "<setting name='key'>{}</setting>",
    "https://api.acme.io/v1?key={}&page=2",
)


def planted(count: int = PLANTED, seed: int = 20) -> Iterator[tuple[str, str, str]]:
    """Yield texts with a key in each: what kind of key, the secret part of it, and the text."""
    dice = random.Random(seed)
    made: list[str] = []
    makers = list(_keys(dice, made).items())
    for number in range(count):
        kind, make = makers[number % len(makers)]
        made.clear()
        key = make()
        place = (
            _PLACES[dice.randrange(len(_PLACES))] if "\n" not in key and "=" not in key and " " not in key else "{}\n"
        )
        yield kind, max(made, key=len), place.format(key)


def is_masked(secret: str, text: str) -> bool:
    """True when neither the beginning nor the middle nor the end of a secret is left."""
    masked, middle = mask_secrets(text), len(secret) // 2
    return all(part not in masked for part in (secret[:8], secret[middle - 4 : middle + 4], secret[-8:]))


def trees() -> list[Path]:
    """Return the directories that are searched for false masks."""
    more = os.environ.get("MASKS_TREES", "")
    paths = sysconfig.get_paths()
    return [Path(each) for each in (paths["stdlib"], paths["purelib"], *filter(None, more.split(":")))]


def masks_in(folder: Path) -> Iterator[tuple[Path, int, list[str]]]:
    """Yield each text file of a tree, its number of lines, and the lines that have masks."""
    for path in sorted(folder.rglob("*")):
        if not _TEXT.fullmatch(path.name) or not path.is_file() or path.stat().st_size > _MAX_BYTES:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        masked = mask_secrets(text)
        changed = [] if masked == text else [line for line in masked.splitlines() if "[secret:" in line]
        yield path, text.count("\n") + 1, [line for line in changed if line not in text]


def rows() -> Iterator[Row | Score]:
    """Yield the planted keys, one row for each tree, and the time for 1 MB of code."""
    texts = list(planted())
    masked = sum(is_masked(secret, text) for _, secret, text in texts)
    yield Score(what="planted keys masked", count=masked, of=len(texts), at_least=1.0)
    for folder in trees():
        found = [(lines, len(masks)) for _, lines, masks in masks_in(folder)]
        lines, masks = sum(each for each, _ in found), sum(each for _, each in found)
        yield Score(what=f"masks in {folder.name}, lines", count=masks, of=lines, at_most=1 / PER_LINES)
    yield _speed()


def _speed() -> Row:
    library = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    text = "".join(path.read_text(encoding="utf-8") for path in library)[:1_000_000]
    best = fastest({"ours": lambda: once(lambda: mask_secrets(text)), "bare": lambda: once(lambda: redact(text))}, 5)
    return Row(what="mask_secrets, 1 MB of code", against="redact", ours=best["ours"], baseline=best["bare"], limit=1)


if __name__ == "__main__":
    for tree in trees():
        for path, _, masks in masks_in(tree):
            for line in masks:
                print(f"{path}: {line.strip()[:200]}")
