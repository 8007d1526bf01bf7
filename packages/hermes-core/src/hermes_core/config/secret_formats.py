"""Finds keys and passwords that their format gives away, and nothing that ordinary code or prose could be."""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode
from binascii import Error as NotBase64
from collections.abc import Iterable, Iterator
from functools import cache
from typing import AnyStr, NamedTuple
from urllib.parse import unquote

from hermes_core.config.secret_marks import flat, long_words

__all__ = ["Span", "find_formats", "is_guessable", "looks_random"]


class Span(NamedTuple):
    """Where a secret is in a text, and what it is."""

    start: int
    end: int
    kind: str


_SHORTEST = 20
"""Characters of the shortest key: the id of an AWS access key."""

_HEX32, _HEX40, _HEX64 = r"[0-9a-f]{32}(?!\w)", r"[0-9a-f]{40}(?!\w)", r"[0-9a-f]{64}(?!\w)"
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![\w-])"


def _letters(least: int, most: int | None = None) -> str:
    """A run of letters and digits that nothing continues."""
    return rf"[A-Za-z0-9]{{{least},{most or 255}}}+(?![\w-])"


def _word(least: int, most: int | None = None) -> str:
    """A run of letters, digits, underscores and hyphens that nothing continues."""
    return rf"[\w-]{{{least},{most or 400}}}+(?![\w-])"


_PREFIXED = (
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", _letters(36)),
    ("github-token", "github_pat_", r"[A-Za-z0-9]{22}_[A-Za-z0-9]{59}(?!\w)"),
    (
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- glffct-",
        r"[\w.-]{20,300}",
    ),
    ("aws-access-key-id", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}(?![\w/+=])"),
    ("aws-bedrock-key", "ABSK", r"[A-Za-z0-9+/=]{80,400}"),
    ("slack-token", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxe.xoxb- xoxe.xoxp- xoxo- xoxp- xoxr- xoxs-", r"[\w%-]{20,400}"),
    ("slack-token", "xapp-", r"[0-9]-[A-Z0-9]{8,16}-[0-9]{8,16}-[0-9a-f]{32,80}(?!\w)"),
    ("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[A-Za-z0-9]{20,255}(?!\w)"),
    ("stripe-webhook-secret", "whsec_", r"[A-Za-z0-9+/]{32,80}={0,2}(?!\w)"),
    ("anthropic-key", "sk-ant-", r"(?:[a-z]{2,8}[0-9]{2}-)?[\w-]{24,255}"),
    ("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", _word(32)),
    ("openai-session", "sess-", _letters(40)),
    ("openrouter-key", "sk-or-v1-", _HEX64),
    ("api-key", "sk-", _letters(32, 128)),
    ("elevenlabs-key", "sk_", r"[0-9a-f]{48}(?!\w)"),
    ("google-api-key", "AIza", r"[\w-]{35}(?![\w-])"),
    ("google-api-key", "AQ.Ab8", _word(36)),
    ("google-access-token", "ya29.", r"[\w.-]{30,1000}"),
    ("google-client-secret", "GOCSPX-", _word(28, 40)),
    ("google-refresh-token", "1//0", _word(40, 160)),
    ("huggingface-token", "hf_ api_org_", _letters(34, 40)),
    ("groq-key", "gsk_", _letters(48, 64)),
    ("cerebras-key", "csk-", r"[a-z0-9]{40,64}(?![\w-])"),
    ("xai-key", "xai-", _letters(64, 128)),
    ("perplexity-key", "pplx-", _letters(40, 64)),
    ("replicate-token", "r8_", _letters(37)),
    ("nvidia-key", "nvapi-", _word(60, 80)),
    ("fireworks-key", "fw_", _letters(22, 28)),
    ("together-key", "tgp_v1_", _word(40, 64)),
    ("pinecone-key", "pcsk_", r"\w{5,8}_[A-Za-z0-9]{50,80}(?!\w)"),
    ("langsmith-key", "lsv2_pt_ lsv2_sk_", r"[0-9a-f]{32}_[0-9a-f]{10}(?!\w)"),
    ("runpod-key", "rpa_", _letters(40, 60)),
    ("e2b-key", "e2b_", _HEX40),
    ("tavily-key", "tvly- tvly-dev- tvly-prod-", r"[A-Za-z0-9-]{28,64}(?![\w-])"),
    ("firecrawl-key", "fc-", r"[0-9a-f]{32}(?![\w-])"),
    ("jina-key", "jina_", _word(50, 80)),
    ("brave-key", "BSA", r"[\w-]{27,28}(?![\w-])"),
    ("npm-token", "npm_", _letters(36)),
    ("pypi-token", "pypi-", _word(60)),
    ("rubygems-key", "rubygems_", r"[0-9a-f]{48}(?!\w)"),
    ("crates-token", "cio", r"[A-Za-z0-9]{32}(?![\w-])"),
    ("nuget-key", "oy2", r"[a-z0-9]{43}(?![\w-])"),
    ("clojars-token", "CLOJARS_", r"[0-9a-z]{60}(?!\w)"),
    ("docker-token", "dckr_pat_ dckr_oat_", _word(24, 60)),
    ("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", _word(32, 64)),
    ("docker-swarm-token", "SWMTKN-1-", r"[0-9a-z]{40,64}-[0-9a-z]{25}(?!\w)"),
    ("databricks-token", "dapi", r"[0-9a-f]{32}(?:-[0-9])?(?![\w-])"),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", _HEX64),
    ("twilio-api-key", "SK", _HEX32),
    ("sendgrid-key", "SG.", r"[\w-]{22}\.[\w-]{43}(?![\w-])"),
    ("mailgun-key", "key-", r"[0-9a-f]{32}(?![\w-])"),
    ("brevo-key", "xkeysib- xsmtpsib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}(?!\w)"),
    ("shopify-token", "shpat_ shpss_ shpca_ shppa_ shptka_", r"[0-9a-fA-F]{32}(?!\w)"),
    ("square-token", "sq0atp- sq0csp-", _word(22, 43)),
    ("square-token", "EAAA", r"[\w-]{60}(?![\w-])"),
    ("easypost-key", "EZAK EZTK", r"[A-Za-z0-9]{54}(?!\w)"),
    ("linear-key", "lin_api_ lin_oauth_", _letters(40, 64)),
    ("notion-token", "secret_", r"[A-Za-z0-9]{43}(?!\w)"),
    ("notion-token", "ntn_", _letters(40, 50)),
    ("airtable-token", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}(?!\w)"),
    ("figma-token", "figd_", _word(40, 64)),
    ("atlassian-token", "ATATT3 ATCTT3", r"[\w=-]{60,300}"),
    ("bitbucket-token", "ATBB", r"[A-Za-z0-9]{32}(?![\w-])"),
    ("postman-key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}(?!\w)"),
    ("newrelic-key", "NRAK-", r"[A-Z0-9]{27}(?!\w)"),
    ("grafana-token", "glsa_", r"[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}(?!\w)"),
    ("grafana-token", "glc_", r"[A-Za-z0-9+/]{32,400}={0,2}"),
    ("sentry-token", "sntrys_", r"[\w+/=]{60,500}"),
    ("sentry-token", "sntryu_", _HEX64),
    ("dynatrace-token", "dt0c01.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}(?!\w)"),
    ("posthog-key", "phx_", _letters(40, 60)),
    ("hubspot-token", "pat-na1- pat-eu1-", _UUID),
    ("supabase-token", "sbp_", _HEX40),
    ("vercel-token", "vcp_ vci_ vca_ vcr_", _letters(24, 80)),
    ("render-key", "rnd_", _letters(28, 40)),
    ("heroku-key", "HRKU-", r"[\w-]{36,64}(?![\w-])"),
    ("fly-token", "fo1_", r"[\w-]{43}(?![\w-])"),
    ("fly-token", "fm2_", r"[\w+/=]{80,1000}"),
    ("pulumi-token", "pul-", _HEX40),
    ("terraform-token", ".atlasv1.", r"(?<=[A-Za-z0-9]{14}\.atlasv1\.)[\w-]{60,70}(?![\w-])"),
    ("vault-token", "hvs. hvb. hvr.", _word(24, 300)),
    ("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}(?!\w)"),
    ("1password-token", "ops_eyJ", _word(200, 2000)),
    ("age-key", "AGE-SECRET-KEY-1", r"[0-9A-Z]{58}(?!\w)"),
    ("tailscale-key", "tskey-auth- tskey-api- tskey-client- tskey-webhook-", r"\w{10,20}-\w{20,50}(?!\w)"),
    ("alibaba-key-id", "LTAI", r"[A-Za-z0-9]{16,20}(?![\w-])"),
    ("contentful-token", "CFPAT-", _word(43, 43)),
    ("mapbox-token", "sk.eyJ", r"[\w-]{20,400}\.[\w-]{20,60}(?![\w-])"),
    ("sourcegraph-token", "sgp_", r"(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}(?!\w)"),
    ("apify-token", "apify_api_", _letters(36, 40)),
    ("prefect-token", "pnu_", _letters(36)),
    ("readme-token", "rdme_", r"[a-z0-9]{70}(?!\w)"),
    ("typeform-token", "tfp_", _word(40, 64)),
    ("openshift-token", "sha256~", r"[\w-]{43}(?![\w-])"),
    ("artifactory-key", "AKCp", r"[A-Za-z0-9]{60,80}(?!\w)"),
    ("facebook-token", "EAACEdEose0cBA EAAC EAAM", r"[A-Za-z0-9]{90,300}(?!\w)"),
    ("dropbox-token", "sl.u. sl.", r"[\w-]{120,2000}"),
)
"""What it is, how it begins, and what follows: real lengths, or less where the beginning alone is unmistakable."""

_VALUE = r"[\"']?(?:\s{0,8}(?:=>|:=|[:=>])\s{0,8}|\s{1,4})[\"']?"

_NAMED = (
    (
        "aws-secret-key",
        "ecret_access_key ECRET_ACCESS_KEY ecretAccessKey ecret-access-key AWS_SECRET_KEY aws_secret_key",
        _VALUE + r"([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    ("aws-session-token", "ession_token ESSION_TOKEN essionToken", _VALUE + r"([A-Za-z0-9/+]{150,2000}={0,2})"),
    ("azure-storage-key", "AccountKey=", r"([A-Za-z0-9+/]{86}==)"),
    ("azure-access-key", "SharedAccessKey=", r"([A-Za-z0-9+/]{43}=)"),
    ("azure-signature", "?sig= &sig= ;sig=", r"((?:[A-Za-z0-9+/]|%[0-9A-Fa-f]{2}){43,60}(?:=|%3[Dd])?)(?![\w%])"),
    ("azure-client-secret", "Q~", r"(?<=[A-Za-z0-9_~.][A-Za-z0-9_~.][A-Za-z0-9_~.][0-9]Q~)([\w~.-]{31,34})(?![\w~.-])"),
    ("twilio-auth-token", "TWILIO_AUTH_TOKEN twilio_auth_token twilioAuthToken", _VALUE + rf"({_HEX32})"),
    ("datadog-key", "DD_API_KEY DATADOG_API_KEY datadog_api_key DD_APP_KEY", _VALUE + r"([0-9a-f]{32,40})(?!\w)"),
    ("cloudflare-token", "CLOUDFLARE_API_TOKEN CF_API_TOKEN cloudflare_api_token", _VALUE + r"([\w-]{40})(?![\w-])"),
    ("heroku-key", "HEROKU_API_KEY heroku_api_key", _VALUE + rf"({_UUID})"),
    ("npm-token", "_authToken=", rf"({_UUID})"),
    ("mailchimp-key", "-us", r"(?<=[0-9a-f]{32}-us)([0-9]{1,2})(?![\w-])"),
    ("telegram-token", ":AA", r"(?<=[0-9]{8}:AA)([\w-]{33})(?![\w-])"),
    ("fcm-key", ":APA91b", r"(?<=[\w-]{11}:APA91b)([\w-]{120,160})"),
    ("slack-webhook", "hooks.slack.com/services/", r"(T[A-Z0-9]{7,12}/B[A-Z0-9]{7,12}/[A-Za-z0-9]{20,30})(?!\w)"),
    ("slack-webhook", "hooks.slack.com/workflows/ hooks.slack.com/triggers/", r"([A-Z0-9]{8,14}/[\w/-]{24,120})"),
    ("discord-webhook", "/api/webhooks/", r"[0-9]{15,22}/([\w-]{60,80})(?![\w-])"),
    ("teams-webhook", "/IncomingWebhook/", r"([0-9a-f]{32}/[0-9a-f-]{36}(?:/[\w-]{20,60})?)(?![\w-])"),
    ("bearer-token", "Bearer bearer BEARER", r"[ ]([\w~+/-][\w.~+/-]{23,4000}={0,2})"),
)
"""What it is, the text before it, and a pattern whose group is the secret."""

_WHOLE = {"mailchimp-key": 35, "azure-client-secret": 6, "fcm-key": 18, "telegram-token": 2}
"""How much of a secret stands before the group."""


def _by_needle(rows: Iterable[tuple[str, str, str]]) -> tuple[tuple[str, bytes, bytes], ...]:
    return tuple((kind, each.encode(), tail.encode()) for kind, needles, tail in rows for each in needles.split(" "))


_PREFIXES, _NAMES = _by_needle(_PREFIXED), _by_needle(_NAMED)

_DISCORD = rb"(?<![\w.-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])"
_JWT = rb"eyJ[\w-]{8,1000}+\.[\w-]{8,8000}+\.[\w-]{16,1500}+(?:\.[\w-]{16,4000}){0,2}"
_PASSWORD = rb"://[^\s/?#:@\"'<>`]{0,100}+:([^\s/@\"'<>`]{6,200}+)@([\w.-]{0,255}+)"
_NO_HOST = rb"(?i)(?:.*\.)?(?:example|test|invalid)(?:\.\w+)?\.?"

_SHORTEST_PASSWORD = 6
_LONGEST_WORD = 20
_LONG_RUN = r"[A-Za-z0-9]{12,}"
_EXAMPLE = r"(?i)example|placeholder|your|x{4,}|dummy|redact|[*.]{3}|^[$<%{]"
_IN_TEMPLATES = r"[${}<>\[\]():,]|%[(s]"
_WEAK = (
    r"(?i)(?:my|the|some|super|very|db|user|name|pass|word|wd|phrase|pwd|secret|admin|root|changeme|test|foo|bar|baz|token|key"
    r"|guest|default|postgres|mysql|redis|mongo|rabbit|qwerty|abc|[_-])+[0-9!]{0,6}"
)


def _in_any_case(words: str) -> str:
    return "|".join(f"{word}|{word.upper()}|{word.title()}" for word in words.split())


_PLACEHOLDER = (
    _in_any_case("example sample placeholder dummy redact insert changeme replace token secret foobar")
    + r"|[xX]{6,}|[*.]{3}|[${}<>\[\]]|%[({s]|01234567|12345678|abcdefgh|ABCDEFGH|98765432|87654321|(.)\1{5}"
)
# Short enough to be in one of some thousand keys by chance.
_SHORT_PLACEHOLDER = _in_any_case("your here test fake xxxx")
_TURNS = r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])"
_IRREGULAR = r"[A-Z](?=[A-Z]|[a-z][A-Z])"
_HUMPS = r"[a-z](?=[A-Z])"
_SEPARATORS = str.maketrans("", "", "-_.~/+=% ")
_DISTINCT = 4
_CHECKED = 64
"""Characters of a value that are looked at: in more of them, words would appear by chance."""


def looks_random(value: str) -> bool:
    """True when a value looks generated: no word, no placeholder, no counting."""
    if _compiled(_PLACEHOLDER).search(value, 0, _CHECKED):
        return False
    core = value.translate(_SEPARATORS)
    turns, irregular, humps = (len(_compiled(each).findall(core)) for each in (_TURNS, _IRREGULAR, _HUMPS))
    if 4 * (turns + irregular) < len(core) and _compiled(_SHORT_PLACEHOLDER).search(value, 0, _CHECKED):
        return False
    is_mixed = turns >= 3 or irregular >= 2 or (turns + irregular >= 1 and turns + irregular + humps >= 4)
    return is_mixed and len(set(core)) >= _DISTINCT


def find_formats(text: str) -> Iterator[Span]:
    """Find every secret that its format gives away, in no particular order; spans may overlap."""
    data = flat(text)
    words = long_words(data, _SHORTEST)
    if words:
        yield from _find_prefixed(data, words)
        if b"eyJ" in words:
            yield from _find_jwts(data)
        if b"." in words and _compiled(_DISCORD).search(words):
            yield from _find_discord(data)
        yield from _find_named(data)
    if b"://" in data:
        yield from _find_passwords(text, data)
    if b"PRIVATE KEY" in data:
        yield from _find_private_keys(data)


def _find_prefixed(data: bytes, words: bytes) -> Iterator[Span]:
    for kind, needle, tail in _PREFIXES:
        if needle not in words:
            continue
        at = data.find(needle)
        while at >= 0:
            end = at + len(needle)
            found = None if _in_word(data, at) else _compiled(tail).match(data, end)
            if found is not None:
                end = found.end()
                if looks_random(found[0].decode()):
                    yield Span(at, end, kind)
            at = data.find(needle, end)


def _find_named(data: bytes) -> Iterator[Span]:
    for kind, needle, tail in _NAMES:
        at = data.find(needle)
        while at >= 0:
            found = _compiled(tail).match(data, at + len(needle))
            if found is not None:
                start = found.start(1) - _WHOLE.get(kind, 0)
                if looks_random(data[start : found.end(1)].decode()):
                    yield Span(start, found.end(1), kind)
            at = data.find(needle, at + len(needle))


def _find_jwts(data: bytes) -> Iterator[Span]:
    at = data.find(b"eyJ")
    while at >= 0:
        found = None if _in_word(data, at) else _compiled(_JWT).match(data, at)
        if found is not None and _is_jwt_header(found[0].partition(b".")[0]):
            yield Span(at, found.end(), "jwt")
        at = data.find(b"eyJ", found.end() if found else at + 3)


def _is_jwt_header(part: bytes) -> bool:
    try:
        header = json.loads(urlsafe_b64decode(part + b"=" * (-len(part) % 4)))
    except (NotBase64, ValueError, RecursionError):
        return False
    return isinstance(header, dict) and "alg" in header


def _find_discord(data: bytes) -> Iterator[Span]:
    for found in _compiled(_DISCORD).finditer(data):
        user, _, rest = found[0].partition(b".")
        if looks_random(rest.decode()) and (looks_random(user.decode()) or _is_number(user)):
            yield Span(found.start(), found.end(), "discord-token")


def _is_number(part: bytes) -> bool:
    try:
        return urlsafe_b64decode(part + b"=" * (-len(part) % 4)).isdigit()
    except NotBase64:
        return False


def _find_passwords(text: str, data: bytes) -> Iterator[Span]:
    at = data.find(b"://")
    while at >= 0:
        found = _compiled(_PASSWORD).match(data, at)
        if found is not None and not _compiled(_NO_HOST).fullmatch(found[2]):
            start, end = found.span(1)
            password = unquote(text[start:end])
            if not _compiled(_IN_TEMPLATES).search(password) and not is_guessable(password):
                yield Span(start, end, "url-password")
        at = data.find(b"://", at + 3)


def has_generated_run(value: str) -> bool:
    """True when a part of a value looks generated."""
    return any(looks_random(run) for run in _compiled(_LONG_RUN).findall(value))


def is_guessable(password: str) -> bool:
    """True when a password is one that examples use: short, a word, a number, a placeholder."""
    core = password.translate(_SEPARATORS)
    if len(password) < _SHORTEST_PASSWORD or core.isdigit() or _compiled(_EXAMPLE).search(password):
        return True
    if core.isalpha() and (core.islower() or core.isupper() or core.istitle()):
        return len(core) < _LONGEST_WORD
    return _compiled(_WEAK).fullmatch(password.replace("@", "a")) is not None


# -- private keys ----------------------------------------------------------------------------------------------------

_PEM_LINE = rb"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
# Not the "n" of an escaped line break, and not the line number that `read_file` puts before a line.
_PEM_RUN = rb"(?<!\\)[A-Za-z0-9+/=]{4,}+(?!\|)"
_PEM_PROOF = rb"(?=[a-z+/0-9=]*[A-Z])(?=[A-Z+/0-9=]*[a-z])(?=[A-Za-z+/=]*[0-9])[A-Za-z0-9+/=]{40}"
_PEM_REACH = 16_384
"""Longer than any private key in use; an END line further away belongs to something else."""
_PEM_LINE_LEAST = 16
_PEM_GAP = 24
"""Characters between two lines of a key: an indentation, quotes, the number of the line."""


def _find_private_keys(data: bytes) -> Iterator[Span]:
    """Find what stands between BEGIN and END, or beside the one of them that is there."""
    lines = list(_compiled(_PEM_LINE).finditer(data))
    is_closed = False
    for number, line in enumerate(lines):
        if line[1] == b"BEGIN":
            after = lines[number + 1] if number + 1 < len(lines) else None
            low = line.end()
            high = min(after.start() if after else len(data), low + _PEM_REACH)
            is_closed = after is not None and after[1] == b"END" and after.start() == high
            runs = [found.span() for found in _compiled(_PEM_RUN).finditer(data, low, high)]
            if not is_closed:
                runs = _adjacent(runs, low)
        elif is_closed:
            is_closed = False
            continue
        else:
            low = max(lines[number - 1].end() if number else 0, line.start() - _PEM_REACH)
            runs = [found.span() for found in _compiled(_PEM_RUN).finditer(data, low, line.start())]
            runs = [(-end, -start) for start, end in _adjacent([(-b, -a) for a, b in reversed(runs)], -line.start())]
            runs.reverse()
        if runs and _compiled(_PEM_PROOF).search(data, runs[0][0], runs[-1][1]):
            yield Span(runs[0][0], runs[-1][1], "private-key")


def _adjacent(runs: list[tuple[int, int]], edge: int) -> list[tuple[int, int]]:
    """Take the lines of a key that follow one another from an edge; only the first may be short."""
    found: list[tuple[int, int]] = []
    for start, end in runs:
        if start - edge > _PEM_GAP or (found and end - start < _PEM_LINE_LEAST):
            break
        found.append((start, end))
        edge = end
    return found


# -- parts -----------------------------------------------------------------------------------------------------------


def _in_word(data: bytes, at: int) -> bool:
    return at > 0 and (data[at - 1 : at].isalnum() or data[at - 1] == 95)


@cache
def _compiled(pattern: AnyStr) -> re.Pattern[AnyStr]:
    # Compiled when first needed: most processes never meet most formats.
    return re.compile(pattern, re.ASCII)
