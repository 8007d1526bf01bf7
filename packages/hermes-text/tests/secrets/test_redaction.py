"""Credentials are hidden, and what only resembles one is not. Every credential here is put together at run time."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_text.secrets import commands as secret_options
from hermes_text.secrets import redact, redaction
from hermes_text.secrets.commands import redact_words
from hermes_text.secrets.keys import LOOSE

HEX = "0123456789abcdef"
MIXED = "aB3dE5gH7jK9mN1pQ"

KEYS = [
    ("sk-", MIXED * 3),
    ("sk-", "a" * 48),
    ("sk-proj-", MIXED * 3),
    ("sk-ant-", "api03-" + MIXED * 5),
    ("sk-or-", "v1-" + HEX * 4),
    ("AKIA", "ABCDEFGH23456789"),
    ("ASIA", "ABCDEFGH23456789"),
    ("ghp_", "a" * 36),
    ("gho_", "a" * 36),
    ("ghu_", "a" * 36),
    ("ghs_", "a" * 36),
    ("ghr_", "a" * 36),
    ("github_pat_", "a" * 22 + "_" + "b" * 59),
    ("glpat-", MIXED + "abc"),
    ("xoxa-", "1234567890-abcdef"),
    ("xoxb-", "1234567890-abcdef"),
    ("xoxp-", "1234567890-abcdef"),
    ("xoxr-", "1234567890-abcdef"),
    ("xoxs-", "1234567890-abcdef"),
    ("AIza", "a" * 35),
    ("sk_live_", "a" * 24),
    ("rk_live_", "a" * 24),
    ("hf_", "a" * 34),
    ("gsk_", "a" * 52),
    ("xai-", "a" * 80),
    ("pplx-", "a" * 48),
    ("r8_", "a" * 37),
    ("SG.", "a" * 22 + "." + "b" * 43),
    ("npm_", "a" * 36),
    ("pypi-", "A" * 60),
    ("tvly-", "dev-" + "a" * 32),
    ("fc-", HEX * 2),
    ("BSA", "a" * 28),
    ("dapi", HEX * 2),
    ("dop_v1_", HEX * 4),
    ("sq0atp-", MIXED + "abcde"),
    ("sq0csp-", MIXED * 2 + "abcdefghi"),
    ("SK", HEX * 2),
    ("key-", HEX * 2),
    ("eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + "c" * 43),
    ("hvs.", MIXED * 4),
    ("hvb.", MIXED * 4),
    ("figd_", MIXED * 2 + "abcd"),
    ("PMAK-", HEX + "01234567-" + HEX * 2 + "01"),
    ("NRAK-", "ABCDEFGHIJ0123456789ABCDEFG"),
    ("EAACEdEose0cBA", MIXED * 4),
    ("AQ.Ab8", "RN6" + MIXED * 3),
    ("tskey-", "auth-k1a2b3CNTRL-" + MIXED * 2),
    ("pat-na1-", "12345678-1234-1234-1234-123456789abc"),
    ("shpca_", HEX * 2),
    ("shppa_", HEX * 2),
    ("EZAK", HEX + MIXED * 3),
    ("EZTK", HEX + MIXED * 3),
    ("rnd_", MIXED + "abcdefghijkl"),
    ("pcsk_", MIXED * 4),
    ("lsv2_pt_", HEX * 2 + "_0123456789"),
    ("CFPAT-", MIXED * 2 + "abc"),
    ("LTAI", "5tAbCdEfGhIjKlMnOpQr12"),
    ("dp.pt.", MIXED * 2 + "abcdefgh"),
    ("xkeysib-", HEX * 4 + "-" + "AbCd1234EfGh5678"),
    ("apify_api_", MIXED * 2),
    ("sgp_", HEX * 2 + "01234567"),
    ("pul-", HEX * 2 + "01234567"),
    ("glc_", "eyJvIjoi" + MIXED * 3),
    ("tgp_v1_", MIXED * 2),
    ("fw_", MIXED + "abc123"),
    ("phx_", MIXED * 2),
    ("glptt-", HEX * 2 + "01234567"),
    ("ATCTT3", "xFfGN0" + MIXED * 3),
    ("ATBB", MIXED * 2 + "01234567"),
    ("sess-", MIXED * 2),
    ("ABSK", MIXED * 5),
    ("vcp_", MIXED * 3),
    ("sk.eyJ", "1IjoidXNlciIsImEiOiJ4In0." + MIXED),
    ("secret_", MIXED * 2 + "abcdefg"),
]


@pytest.mark.parametrize(("prefix", "tail"), KEYS, ids=[f"{prefix}{len(tail)}" for prefix, tail in KEYS])
@pytest.mark.parametrize(
    "around", ["{}", "the key {} was refused", '{{"x":"{}"}}', "({})", "k,{},k", "\n{}\n", "x={}."]
)
def test_a_known_key_is_hidden_and_its_prefix_stays(prefix: str, tail: str, around: str) -> None:
    shown = redact(around.format(prefix + tail))
    assert tail[:8] not in shown
    assert shown.rstrip(".") == around.format(prefix + "***").rstrip(".")


SECRET = "hunter" + "22"

HIDDEN = [
    (f"password={SECRET}", "password=***"),
    (f"password = {SECRET}", "password = ***"),
    (f'"password": "{SECRET}"', '"password": "***"'),
    (f"'passwd': '{SECRET}'", "'passwd': '***'"),
    (f'{{\\"password\\": \\"{SECRET}\\"}}', '{\\"password\\": \\"***\\"}'),
    (f'"password": "a\\"b{SECRET}"', '"password": "***"'),
    (f'"secret": "two words {SECRET}"', '"secret": "***"'),
    (f"API_KEY={SECRET}", "API_KEY=***"),
    (f"apikey: {SECRET}", "apikey: ***"),
    (f"x-api-key: {SECRET}", "x-api-key: ***"),
    (f"export GITHUB_TOKEN={SECRET}", "export GITHUB_TOKEN=***"),
    (f"DB_PASS={SECRET}", "DB_PASS=***"),
    (f"AWS_SECRET_ACCESS_KEY={SECRET}/x+y", "AWS_SECRET_ACCESS_KEY=***"),
    (f"client_secret={SECRET}&grant=x", "client_secret=***&grant=x"),
    (f"https://x.io/a?access_token={SECRET}&b=1", "https://x.io/a?access_token=***&b=1"),
    (f"https://x.io/a?key={SECRET}&b=1", "https://x.io/a?key=***&b=1"),
    (f"private_key: {SECRET}", "private_key: ***"),
    (f"accessToken: {SECRET}, next", "accessToken: ***, next"),
    (f"token={SECRET}.", "token=***."),
    ("password=correcthorse", "password=***"),
    ("password=ab(cd|ef", "password=***"),
    (f"curl --password {SECRET} --fast", "curl --password *** --fast"),
    (f"tool --api-key {SECRET}", "tool --api-key ***"),
    (f"Authorization: Bearer {SECRET}", "Authorization: Bearer ***"),
    (f"authorization: Basic {SECRET}==", "authorization: Basic ***"),
    (f'"Authorization": "token {SECRET}"', '"Authorization": "token ***"'),
    (f"Authorization: {SECRET}", "Authorization: ***"),
    (f"Authorization: abcdefg {SECRET}", f"Authorization: *** {SECRET}"),
    (f"sent Bearer {SECRET}abc", "sent Bearer ***"),
    (f"https://user:{SECRET}@host/path", "https://user:***@host/path"),
    ("https://user:pa@ss@host/path", "https://user:***@host/path"),
    ("redis://:pw@host:6379/0", "redis://:***@host:6379/0"),
    ("postgresql+psycopg://bob:x@db", "postgresql+psycopg://bob:***@db"),
    ("bot 123456789:" + "AA" + "b" * 33 + " failed", "bot 123456789:*** failed"),
    ("discord M" + "a" * 23 + ".abcdef." + "b" * 27, "discord ***"),
    (f"token: {SECRET}", "token: ***"),
    (f"the token: {SECRET} was refused", "the token: *** was refused"),
    (f"Token: '{SECRET}'", "Token: '***'"),
    (f"invalid access token: {SECRET}", "invalid access token: ***"),
    (f"invalid token: {SECRET}", "invalid token: ***"),
    (f"unexpected token={SECRET}", "unexpected token=***"),
    (f"unexpected token: {MIXED}{MIXED}", "unexpected token: ***"),
    (f"unexpected password: {SECRET}", "unexpected password: ***"),
    ("token: SuperSecretToken", "token: ***"),
    ("password=not_my_dog", "password=***"),
    (f'secret: "{SECRET}"', 'secret: "***"'),
    (f'password: "{SECRET}" not found', 'password: "***" not found'),
    (f"Cookie: sid={SECRET}", "Cookie: sid=***"),
    (f"Cookie: sid={SECRET}; theme=dark was refused", "Cookie: sid=***; theme=*** was refused"),
    (f"cookie: b={SECRET},x; c={SECRET}, next", "cookie: b=***; c=***, next"),
    (f'cookie: b="{SECRET}"; c=d', "cookie: b=***; c=***"),
    (f'cookie: b="{SECRET} cut off', "cookie: b=***"),
    (f'"cookie: b=\\"{SECRET}\\"; c=d"', '"cookie: b=***; c=***"'),
    (f'"Cookie": "sid={SECRET}; b=c"', '"Cookie": "sid=***; b=***"'),
    (f'{{\\"Cookie\\": \\"sid={SECRET}\\"}}', '{\\"Cookie\\": \\"sid=***\\"}'),
    (f"Set-Cookie: sid={SECRET}; Path=/; HttpOnly", "Set-Cookie: sid=***; Path=/; HttpOnly"),
    (
        f"set-cookie: sid={SECRET}; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Max-Age=5, b={SECRET}",
        "set-cookie: sid=***; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Max-Age=5, b=***",
    ),
    (f"https://discord.com/api/webhooks/{'1' * 18}/{MIXED * 4}", f"https://discord.com/api/webhooks/{'1' * 18}/***"),
    (
        f"https://discordapp.com/api/v10/webhooks/{'1' * 18}/{MIXED * 4}?wait=true",
        f"https://discordapp.com/api/v10/webhooks/{'1' * 18}/***?wait=true",
    ),
    (f"https://hooks.slack.com/services/T01AB/B01CD/{MIXED}", "https://hooks.slack.com/services/T01AB/B01CD/***"),
    (
        f"https://hooks.slack.com/workflows/T01AB/A01CD/123/{MIXED}",
        "https://hooks.slack.com/workflows/T01AB/A01CD/123/***",
    ),
    (f"https://x.io/a?pat={SECRET}&b=1", "https://x.io/a?pat=***&b=1"),
    (f"https://x.io/a?b=1&sig={SECRET}%3D", "https://x.io/a?b=1&sig=***"),
    (f"https://x.io/a?b=1&amp;sig={SECRET}", "https://x.io/a?b=1&amp;sig=***"),
    (f"https://x.io/a?signature={SECRET}", "https://x.io/a?signature=***"),
    (f"https://x.io/a?X-Amz-Date=1&X-Amz-Signature={HEX}", "https://x.io/a?X-Amz-Date=1&X-Amz-Signature=***"),
    (f"AccountName=x;AccountKey={SECRET}+/==;EndpointSuffix=y", "AccountName=x;AccountKey=***;EndpointSuffix=y"),
    (f"Endpoint=sb://x/;SharedAccessKey={SECRET}=", "Endpoint=sb://x/;SharedAccessKey=***"),
    (f"https://:{SECRET}@host/path", "https://:***@host/path"),
    (f"https://{HEX}{HEX}@host/path", "https://***@host/path"),
]


@pytest.mark.parametrize(("text", "shown"), HIDDEN)
def test_a_value_that_its_name_or_place_gives_away_is_hidden(text: str, shown: str) -> None:
    assert redact(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "invalid token",
        "invalid token: expected string, got number",
        "Token: authentication failed",
        "Unexpected token: }",
        "password: required",
        "password: None",
        "password=missing",
        '{"password": "This field is required."}',
        '{"token": "Invalid or expired"}',
        "auth: required",
        "Authorization: Bearer",
        "authorization: required",
        "basic authentication is disabled",
        "max_tokens=128000",
        "tokenizer=bert-base-uncased",
        "tokens: 1234567",
        "compass=northwest",
        "monkey=abcdefgh",
        "author: Somebody",
        "primary_key=customer_id",
        "password_file=/run/secrets/db",
        "secret: /run/secrets/db",
        "PWD=/home/user/project",
        "password=${DB_PASSWORD}",
        "token=$GITHUB_TOKEN",
        "api_key=settings.api_key)",
        "token = os.getenv('X')",
        "if token == expected:",
        "npm_config_user_agent=npm",
        "sk-some-long-name-that-is-words",
        "task-1234567890abcdef1234",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "f47ac10b-58cc-4372-a567-0e02b2c3d479",
        "https://example.com:8080/a@b",
        "git@github.com:owner/name.git",
        "C:\\Users\\secret\\token.txt",
        "/home/user/.config/token",
        "-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----",
        "12:30:45 info",
    ],
)
def test_text_that_holds_no_credential_stays(text: str) -> None:
    assert redact(text) == text


COMMANDS = [
    ("curl -u admin:pw https://x.io", "curl -u admin:*** https://x.io"),
    ("curl 'https://x.io/?a=1&b=2' -sSu 'admin:p w'", "curl 'https://x.io/?a=1&b=2' -sSu 'admin:***'"),
    ("/usr/bin/curl --user=admin:pw x; ls", "/usr/bin/curl --user=admin:*** x; ls"),
    ('bash -c "curl -uadmin:pw x"', 'bash -c "curl -uadmin:*** x"'),
    ("http -a admin:pw GET x", "http -a admin:*** GET x"),
    ("mysql -u root -ppw db", "mysql -u root -p*** db"),
    ("mysqldump --password=pw db", "mysqldump --password=*** db"),
    ("tool --password=pw", "tool --password=***"),
    ("sshpass -p pw ssh -p 22 host", "sshpass -p *** ssh -p 22 host"),
    ("sshpass -ppw ssh host", "sshpass -p*** ssh host"),
    ("PGPASSWORD=pw psql", "PGPASSWORD=*** psql"),
    ("redis-cli -a pw ping", "redis-cli -a *** ping"),
    ("docker login -u me -p pw", "docker login -u me -p ***"),
    ("unzip -P pw a.zip", "unzip -P *** a.zip"),
    ("echo pw | sudo -S ls", "echo *** | sudo -S ls"),
    ("echo 'p w' | sudo -u root -kS ls", "echo *** | sudo -u root -kS ls"),
    ("printf '%s\\n' pw | sudo -S ls", "printf '%s\\n' *** | sudo -S ls"),
    ("echo pw | docker login --password-stdin", "echo *** | docker login --password-stdin"),
    ("sudo -S ls <<< pw", "sudo -S ls <<< ***"),
]


@pytest.mark.parametrize(("command", "shown"), COMMANDS)
def test_a_password_that_a_command_is_given_is_hidden_however_short_it_is(command: str, shown: str) -> None:
    assert redact(command) == shown
    assert redact(f"first && {command}\nlast -p 80") == f"first && {shown}\nlast -p 80"


@pytest.mark.parametrize(
    "command",
    [
        "mkdir -p x",
        "ssh -p 8080 host",
        "curl -u name https://x.io:8080/",
        "curl -u $NAME:$PASSWORD x",
        "docker run -p 8080:80 -u 1000:1000 image",
        "mysql -u root -p db",
        "mysql -h host -P 3306",
        "date -u +%H:%M",
        "rsync -u host:folder .",
        "python -u script.py",
        "echo 127.0.0.1 | sudo tee -a /etc/hosts",
        "echo a line | sort -S 1M",
        "the option --password is new",
    ],
)
def test_options_that_are_no_passwords_stay(command: str) -> None:
    assert redact(command) == command
    assert redact_words(command.split()) == command.split()


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["curl", "-u", "a:pw", "x"], ["curl", "-u", "a:***", "x"]),
        (["-u", "a:pw"], ["-u", "a:***"]),
        (["sudo", "/usr/bin/mysql", "-ppw"], ["sudo", "/usr/bin/mysql", "-p***"]),
        (["sshpass", "-p", "pw", "ssh", "-p", "22"], ["sshpass", "-p", "***", "ssh", "-p", "22"]),
        (["docker", "login", "--password", "pw"], ["docker", "login", "--password", "***"]),
        (["wget", "--password=pw"], ["wget", "--password=***"]),
        ([], []),
    ],
)
def test_a_command_that_is_a_list_of_words_is_read_as_well(words: list[str], shown: list[str]) -> None:
    assert redact_words(words) == shown


PARSER_ERRORS = [
    *("unexpected token: identifier_123", "expected token: 'identifier123'", "found Token: SEMICOLON"),
    *("Invalid token: foo_bar_baz at line 3", "Invalid token: foo_bar_2 at line 3", 'bad token: "foo_12", line 3'),
    *(
        "Unexpected token: name (foo)",
        "SyntaxError: Unexpected token: operator (>)",
        "Unexpected token: keyword «const»",
    ),
    *("syntax error, unexpected token: T_VARIABLE_2", "unexpected token: CUSTOMER_ORDERS required: )"),
    *(
        "Unexpected token '<', \"<!doctype \"... is not valid JSON",
        "Unrecognized token 'abcdef': was expecting ('true')",
    ),
    *(
        "unexpected end token: foo_bar1",
        "offending token: IDENTIFIER_7",
        "got token: END_OBJECT",
        "illegal token: 'foo12x'",
    ),
    *("unexpected token: identifier_with_a_long_name_2", "expecting token: RIGHT_PAREN, found token: COMMA_TOKEN"),
    *("mapping values are not allowed here", "could not find expected ':' while scanning a simple key"),
    *(
        "found character '\\t' that cannot start any token\n  in \"secret.yaml\", line 3",
        "did not find expected key: here",
    ),
    *('secret "my-secret" not found', 'secret: "my-secret" not found', "secrets 'my-secret' is forbidden"),
    *("auth: required", "auth: permission denied", "auth: invalid_auth", "cannot fetch token: invalid_grant"),
    *("oauth2: token expired and refresh token is not set", 'oauth2: "invalid_grant" "Bad Request"'),
    *("token: Field required", "password: String should have at least 8 characters", "api_key: Extra inputs"),
    *("json: cannot unmarshal string into Go struct field Config.token of type int", "missing field `token` at line 1"),
    *("the trait bound `Secret: Serialize` is not satisfied", "Type '{ token: Promise<string>; }' is not assignable"),
    *("Property 'password' is missing in type '{ password: string; }'", "Cannot read 'token' of undefined"),
    *("Access denied for user 'root'@'localhost' (using password: YES)", "column password: varchar(255)"),
    *('null value in column "token" violates', "Key (token)=(x) already exists", "NOAUTH Authentication required."),
    *("cookie: required", "Cookie: missing or expired", "no cookie: log in first", "the cookie a=b", "cookies: 3"),
    *(
        "https://x.io/path=abcdefgh",
        "compat=abcdefgh",
        "sig=abcdefgh",
        "method signature=abcdefgh(int)",
        "?pattern=abcdef",
    ),
    *("https://hooks.slack.com/services", "https://discord.com/api/webhooks/123", "AccountName=abcdefgh"),
    *("https://my-organisation-name2@dev.azure.com/x", "ssh://git@host/x", '{"Cookie": "b=", "x": "c=d"}'),
]


@pytest.mark.parametrize("text", PARSER_ERRORS)
def test_an_error_that_only_speaks_of_tokens_and_secrets_stays(text: str) -> None:
    assert redact(text) == text


def pem(kind: str, body: str, end: str = "-----END {} KEY-----") -> str:
    return f"-----BEGIN {kind} KEY-----\n{body}\n" + end.format(kind)


@pytest.mark.parametrize("kind", ["PRIVATE", "RSA PRIVATE", "OPENSSH PRIVATE", "EC PRIVATE", "ENCRYPTED PRIVATE"])
def test_a_private_key_goes_with_its_whole_block(kind: str) -> None:
    assert redact(f"before\n{pem(kind, MIXED * 40)}\nafter") == "before\n[redacted private key]\nafter"


def test_a_private_key_without_an_end_goes_as_far_as_it_looks_like_one() -> None:
    shown = redact("x " + pem("PRIVATE", f"{MIXED}\n{MIXED}", end="(cut off here)"))
    assert shown == "x [redacted private key]\n(cut off here)"


def test_a_private_key_inside_json_goes_too() -> None:
    assert MIXED not in redact(pem("PRIVATE", MIXED).replace("\n", "\\n"))


FRAGMENTS = [
    *("password", "token", "api_key", "secret", "Authorization", "Bearer ", "Basic ", "=", ":", ": ", '"', "'", "\\"),
    *("://", "@", "***", "...", "sk-", "ghp_", "eyJ", "AKIA", "SG.", "-----BEGIN PRIVATE KEY-----", "-----END", "--"),
    *("a" * 40, "1" * 9, ":AA", "required", " ", "\n", ".", "?", "&", "key", "[", "/", "$", "A" * 16, HEX * 2),
    *("unexpected ", "found ", " at line 3", "Cookie: ", "Set-Cookie: ", "sid=", "; ", ", ", "pat=", "sig", "nature="),
    *("curl -u ", "mysql -p", "sshpass -p ", "echo ", " | sudo -S", "--password=", "PGPASSWORD=", " <<< ", "admin:pw"),
    *("hooks.slack.com/services/", "T01/", "/webhooks/", "_expired", "Serialize", "<", "`", " not found", "&amp;"),
]
noisy = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=8), max_size=40).map("".join)


@given(noisy)
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    assert redact(redact(text)) == redact(text)


# Every rule's own words, cut short, with the signs that a plain text may have between them.
_PIECES = [*FRAGMENTS, *(prefix for prefixes, _ in LOOSE for prefix in prefixes.split()), *secret_options._SEARCHED]
pieces = st.sampled_from(_PIECES) | st.text(alphabet="aZ09_-./+~%", min_size=1, max_size=16)
almost_plain = st.lists(pieces, max_size=12).flatmap(
    lambda found: st.sampled_from(["", " ", "/", ", ", "\n", "-", "("]).map(lambda joint: joint.join(found))
)
shapes = st.sampled_from([(prefix, tail) for prefixes, tail in LOOSE for prefix in prefixes.split()]).flatmap(
    lambda shape: st.from_regex(re.compile(re.escape(shape[0]) + shape[1], re.ASCII), fullmatch=True)
)


def redacted_by_every_rule(text: str) -> str:
    for _ in range(4):
        text = redaction._redact_once(text)
    return text


@given(st.one_of(almost_plain, noisy, st.text(max_size=60), st.text(alphabet="abcXYZ019 _-./,!%", max_size=80)))
@settings(max_examples=1_000, suppress_health_check=[HealthCheck.too_slow])
def test_a_text_that_is_called_plain_is_left_alone_by_every_rule(text: str) -> None:
    if redaction.is_plain(text):
        assert redacted_by_every_rule(text) == text


@given(shapes, st.text(alphabet=" \n,;()/", max_size=5), st.text(alphabet=" \n,;()/", max_size=5))
@settings(max_examples=1_000, suppress_health_check=[HealthCheck.too_slow])
def test_no_key_is_called_plain(key: str, before: str, after: str) -> None:
    assert not redaction.is_plain(before + key + after)


def test_prose_and_paths_are_plain() -> None:
    for text in ("Find the newest reports.", "src/hermes-core/x.py", "/tmp/a_b/c.txt", "x" * 16, "", "a (b), 'c'!"):
        assert redaction.is_plain(text)


def test_a_shape_that_hiding_brings_out_is_hidden_at_once() -> None:
    shown = redact("a://:?key=://required)@host")
    assert redact(shown) == shown


@given(st.text())
def test_any_text_can_be_redacted(text: str) -> None:
    assert isinstance(redact(text), str)


@given(st.sampled_from(KEYS), st.text(alphabet=" \n,;()", max_size=20), st.text(alphabet=" \n,;()", max_size=20))
def test_a_key_is_found_wherever_it_stands(key: tuple[str, str], before: str, after: str) -> None:
    assert key[1] not in redact(before + key[0] + key[1] + after)


FLOODS = [
    *("-", "-----BEGIN", "-----BEGIN PRIVATE KEY-----", "eyJ", "eyJaaaaaaaa.", "sk-", "://", "://a:b", "a:b@", "x."),
    *("password=", "password='", 'password="\\', "token: ", "--token", "Bearer ", "authorization: ", "M", "1", ":AA"),
    *(" ", "\n", "=", '"', "\\", "key ", "é", "SG.", "A", "a.b", "secret" + " " * 50),
    *("Cookie: ", "Cookie: a=b", "cookie:a=b;c", "cookie:a=,", "unexpected token: a", "unexpected token: foo_bar "),
    *("curl -u ", 'curl -u "', "mysql -p'\\\\", "echo a | sudo ", "echo ", "echo a|sudo -u -S", "sudo -S <<<"),
    *("sshpass -p '\"", "--password=", "PGPASSWORD='", "sudo -u a -u ", "docker login -p"),
    *("hooks.slack.com/workflows/a/", "/webhooks/123456789/", "://a1b2c3d4", "&sig=", "?pat=a_", "secret: 'a'"),
]


@pytest.mark.parametrize("seed", FLOODS)
def test_a_flood_takes_time_in_proportion_to_its_length(seed: str) -> None:
    def seconds(length: int) -> float:
        text = (seed * (length // len(seed) + 1))[:length]
        best = float("inf")
        for _ in range(2):
            start = time.process_time()
            redact(text)
            best = min(best, time.process_time() - start)
        return best

    # Quadratic work would grow sixteenfold, and take minutes at this length; the constant forgives a busy machine.
    assert seconds(400_000) < 8 * seconds(100_000) + 0.1


_PIECES = [
    *(prefix + tail for prefix, tail in KEYS[:12]),
    *("password", "=", ":", "hunter2hunter2", "token: ", "Authorization: Bearer ", MIXED, "basic ", "cookie: a=b1;"),
    *(
        "--api-key ",
        "curl -u me:",
        "echo x | sudo -S ",
        "https://me:",
        "@host",
        '"',
        "'",
        "key",
        "pass",
        "\n",
        ".",
        "-",
    ),
]


def test_every_program_that_takes_passwords_is_looked_for_by_a_part_of_its_name() -> None:
    assert all(any(part in name for part in secret_options._SEARCHED) for name in secret_options._BY_NAME)


def test_a_folder_is_no_password() -> None:
    assert redact("cwd = workdir, awd: something") == "cwd = workdir, awd: something"


@given(st.lists(st.sampled_from(_PIECES), max_size=30), st.sampled_from([" ", "\n", "", "é", "\udc80"]))
def test_what_is_hidden_in_a_text_is_hidden_wherever_it_stands(pieces: list[str], joint: str) -> None:
    text = joint.join(pieces)
    padded = "lorem ipsum dolor\n" * 40 + text + "\nlorem ipsum dolor" * 40
    assert redact(padded) == "lorem ipsum dolor\n" * 40 + redact(text) + "\nlorem ipsum dolor" * 40
