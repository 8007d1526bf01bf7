"""Redacts logs, audit entries and error messages: hides everything that may be a credential, also by its name.

For text that a model may write back use `mask_secrets`, which hides only certain credentials.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from hermes_text.secrets.commands import redact_commands
from hermes_text.secrets.keys import LOOSE
from hermes_text.secrets.prefilter import flat, lines_with, long_words

__all__ = ["redact"]

_MASK = "***"
_PEM_MASK = "[redacted private key]"

_ROUNDS = 4

# The maximum length of a private key; a more distant END line belongs to something else.
_PEM_REACH = 16_384

_DISCORD = r"[MNO](?<![\w.-].)[A-Za-z0-9_-]{23,27}+\.[\w-]{6}\.[\w-]{27,40}+"
_TELEGRAM = r":(?<=[0-9]{8}:)AA[\w-]{30,40}+(?![\w-])"

# The parts before the last one identify the webhook.
_SLACK_HOOK = (
    r"(?P<head>hooks\.slack\.com/(?:services/(?:\w{1,24}/){2}|(?:workflows|triggers)/(?:\w{1,24}/){1,3}))[\w-]{8,}+"
)
_DISCORD_HOOK = r"(?P<head>/webhooks/[0-9]{8,24}/)[\w-]{20,}+"

# The class of a password excludes "/", so two searches that start at different "://" never read the same text.
_USERINFO = r"://(?P<user>[^\s/?#:@\"'<>]*+):(?:[^\s/@\"'<>]++@|@)+"
# A user name without a password is a token when it has four digits.
_LONE_USERINFO = r"://(?=(?:[a-z_-]*+[0-9]){4})[\w-]{20,}+@"

_PEM_BEGIN = r"-----BEGIN [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----"
_PEM_END = r"-----END[A-Z0-9 ]{0,60}+(?:-----)?"
_PEM_BODY = r"(?:(?:\s++|\\[nr])*[A-Za-z0-9+/=]{8,}+)*"

_SCHEME = r"(?P<head>\b(?:bearer|basic)[ \t]{1,4})(?P<value>[\w.~+/=-]{8,}+)"
_SCHEME_NAME = r"(?:bearer|basic|token|digest|negotiate|ntlm|api-?key|key)[ \t]"
_HEADER = (
    r"(?P<head>\bauthorization\\?[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\?[\"']?"
    rf"(?:{_SCHEME_NAME}{{1,4}}+|(?!{_SCHEME_NAME})))"
    r"(?P<value>[^\s\"'\\,;<>]{6,}+)"
)

# Only pairs make it a header: "cookie: required" is a sentence.
_COOKIE_NAME = r"[\w.!#$%&*+^|~-]{1,128}+"
_COOKIE_VALUE = r"(?:\\?\"[^\s\",;\\})\]][^\"\\\n]*+(?:\\?\")?|(?:[^\s;,\"'\\<>]++|,(?!\s))*)"
_COOKIE_DATE = r"expires=[a-z]{3,9},[ ][\w :-]{8,28}+"
_COOKIE = rf"(?P<head>(?<![\w.!#$%&*+^|~-])(?P<name>{_COOKIE_NAME})=)(?P<value>{_COOKIE_VALUE})"
_COOKIE_HEADER = (
    r"(?P<head>cookie[s2]?\\?[\"']?[ \t]{0,4}:[ \t]{0,4}\\?[\"']?)"
    rf"(?P<pairs>{_COOKIE_NAME}={_COOKIE_VALUE}"
    rf"(?:[;,][ \t]{{0,4}}(?:{_COOKIE_DATE}|{_COOKIE_NAME}(?:={_COOKIE_VALUE})?))*)"
)
_COOKIE_ATTRIBUTES = frozenset({"domain", "expires", "max-age", "path", "priority", "samesite", "version"})

# The first letter is separate from the part that ignores case, because searching for one of a few characters is many
# times faster than searching for one of several words. Nonsense such as "tassword" matches, too.
_NAME_OF_VALUE = (
    r"[aAcCeEkKmMpPsStT](?i:ass(?:word|wd|phrase|code|(?<=_pass))|wd|ecret|oken|redentials?|uth(?<![a-z]auth)"
    r"|(?:pi|ccess|rivate|ecret|igning|ncryption|ccount|uth|aster)[_ -]?key"
    r"|(?:ey|ig|at)(?:(?<=[?&](?:key|sig|pat))|(?<=&amp;(?:key|sig|pat)))"
    r"|ignature(?:(?<=[?&-]signature)|(?<=&amp;signature)))"
)
_BARE_VALUE = r"(?![(\[{])[^\s\"'`,;&<>)\]}\\]{6,}+"
_ASSIGNMENT = (
    rf"(?P<head>{_NAME_OF_VALUE}[0-9]{{0,2}}\\?[\"']?[ \t]{{0,4}}(?P<sign>=>|:=|[:=](?!=))[ \t]{{0,4}})"
    r"(?:"
    r"(?P<escaped>\\\"[^\"\\\n]{6,}+)"
    r"|(?P<double>\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*)"
    r"|(?P<single>'[^'\\\n]*+(?:\\.[^'\\\n]*+)*)"
    rf"|(?P<bare>{_BARE_VALUE})"
    r")"
)
_OPTION = rf"(?P<head>--(?<![\w-]--)[\w-]{{0,40}}?{_NAME_OF_VALUE}[ \t]{{1,4}})(?P<value>(?!-){_BARE_VALUE})"

_NAME_PARTS = (b"pass", b"pwd", b"secret", b"token", b"credential", b"auth", b"key", b"sig", b"pat=")
# After a part there can be the rest of the name, a number, a quote and blanks.
_SIGN_REACH = 24
_SCHEME_LINES = ((b"bearer", b"", 0), (b"basic", b"", 0))
_COOKIE_LINES = ((b"cookie", b":", 12),)
_ASSIGNED_LINES = tuple((part, b"" if part.endswith(b"=") else b"= :", _SIGN_REACH) for part in _NAME_PARTS)
_OPTION_LINES = ((b"--", b"", 0),)

# Words after "token:" in messages about tokens.
_ERROR_WORDS = frozenset(
    """
    required missing invalid undefined unknown optional expired revoked expected unexpected incorrect disabled
    enabled default denied failed failure wrong cannot should string number boolean integer object identifier
    bearer basic digest negotiate header configured provided redacted hidden masked changed updated unauthorized
    forbidden authentication authorization password secret token field empty blank short must not malformed
    unsupported unavailable unverified rejected accepted exceeded mismatch timeout nullable varchar
    """.split()  # noqa: SIM905 - a list of fifty lines would bury the code around it
)

# A word with one of these parts, such as invalid_grant or token_expired, is an error code.
_STATUS_WORDS = frozenset(
    {"denied", "disabled", "error", "expired", "failed", "forbidden", "invalid", "missing", "required", "revoked"}
    | {"unauthorized", "unknown", "unsupported"}
)
_STATUS = r"[a-z]++(?:_[a-z]++){1,8}"

# Parsers call the pieces of their input tokens, and quote the unexpected one. Words that servers use, too, need more
# evidence, see `_is_piece_of_syntax`.
_PARSER_WORDS = (
    r"\b(?:(?P<certain>(?:un)?expected|expecting|near|offending|mismatched|extraneous|unterminated|illegal|stray"
    r"|unrecogni[sz]ed)|invalid|bad|unknown|undefined|missing|wrong|found|got|at|after|before|next|previous|last)"
    r"(?:[ \t]{1,4}(?:json|xml|yaml|sql|syntax|string|start|end|opening|closing|input|reserved|keyword))?[ \t]{1,4}\Z"
)
_PARSER_WORDS_REACH = 32
_LOCATION = (
    r"[\"']?,?[ \t]{1,4}\(?(?:(?:at|on|near|in) )?(?:line|column|col|position|pos|offset|index|char|character)\b"
)

# The types of a signature: `Secret: Serialize`, token: Promise<string>.
_TYPE_NAME = r"(?:[A-Z][a-z]{2,}+){1,5}"
_NAMED_THING = r"[a-z][a-z0-9.-]*+"
_NOT_THERE = r"\\?[\"'] (?:not found|does not exist|doesn't exist|already exists|could not be found|is not)\b"

# The inside of a mask of `mask_secrets`.
_MASKED = r"[\w.-]{1,80}#[0-9a-f]{8}"

# See `is_plain`.
_LONGEST_RUN = 16
_LONGEST_PLAIN = 1_000
"""In longer texts, the search for each sign is as fast as one look at every character."""
_BETWEEN = r"[ /,?!'\"()\[\]{}\n;&*#@$^>\\`]"
_PLAIN = rf"{_BETWEEN}*+(?:[\w.+~%-]{{1,{_LONGEST_RUN}}}+(?:{_BETWEEN}++|\Z))*"
_WITH_SLASHES = ("whsec_", "sntrys_", "glc_", "ABSK", "slack.com/", "/webhooks/")

_PROSE_WORD = r"[A-Za-z']+"
_PATH = r"(?:/|\./|\.\./|~/|[A-Za-z]:[\\/])"
_PLACEHOLDER = r"(?:\$[A-Za-z_{(]|%[({A-Z]|\{\{|\*{3})"
_SOURCE = r"[a-z_]++(?:\.[a-z_]++)+(?:\([a-z_.]*+)?|[a-z]*+_[a-z_]*+\([a-z_.]*+|[a-z]++\([0-9]{0,4}"


def redact(text: str) -> str:
    """Replace credentials in a text, but keep what identifies them."""
    if len(text) <= _LONGEST_PLAIN and is_plain(text):
        return text
    # Hiding one value can reveal the format of another. Every round shortens the text; ordinary text needs one.
    for _ in range(_ROUNDS):
        before, text = text, _redact_once(text)
        if text == before:
            break
    return text


def is_plain(text: str) -> bool:
    """Return True for a text that `redact` certainly does not change, such as ordinary prose and most paths.

    Each rule needs one of these: a sign that `_PLAIN` lacks, an option, the name of a scheme, a run of more than 16
    characters, the prefix of a shorter key, or the start of a key or address with slashes.
    """
    if not text.isascii():
        return False
    if len(text) <= _LONGEST_RUN and text.isalnum():
        return True
    if "--" in text or " -" in text or "xox" in text or _compiled(_PLAIN).fullmatch(text) is None:
        return False
    lowered = text.lower()
    if "bearer" in lowered or "basic" in lowered:
        return False
    return "/" not in text or not any(beginning in text for beginning in _WITH_SLASHES)


def _redact_once(text: str) -> str:
    text = _redact_private_keys(text)
    words = long_words(flat(text))
    if words:
        text = _redact_shapes(text, words)
    if ":" in text:  # searching for one sign is much faster than for a word
        if ":AA" in text:
            text = _compiled(_TELEGRAM).sub(f":{_MASK}", text)
        if "://" in text:
            text = _compiled(_USERINFO).sub(rf"://\g<user>:{_MASK}@", text)
            text = _compiled(_LONE_USERINFO).sub(f"://{_MASK}@", text)
    if "/" in text:
        if "hooks.slack.com/" in text:
            text = _compiled(_SLACK_HOOK).sub(rf"\g<head>{_MASK}", text)
        if "/webhooks/" in text:
            text = _compiled(_DISCORD_HOOK).sub(rf"\g<head>{_MASK}", text)
    return redact_commands(_redact_named(text))


def _redact_shapes(text: str, words: bytes) -> str:
    """Hide keys by their format; they are in the long words of a text."""
    for prefix, needle, tail in _shapes_with(b"-" in words, b"_" in words):
        if needle in words:
            text = _shape(prefix, tail).sub(prefix + _MASK, text)
    if b"." in words and _flat_discord().search(words):
        text = _compiled(_DISCORD).sub(_MASK, text)
    return text


def _redact_named(text: str) -> str:
    """Hide values by the name before them, which is on the same line."""
    lowered = flat(text).lower()
    if (b":" in lowered or b"=" in lowered) and b"authorization" in lowered:
        text = _compiled(_HEADER).sub(_mask_value, text)
        lowered = flat(text).lower()
    text, lowered = _in_lines(text, lowered, _SCHEME_LINES, _SCHEME, _mask_mixed_value)
    if b":" in lowered:
        text, lowered = _in_lines(text, lowered, _COOKIE_LINES, _COOKIE_HEADER, _mask_cookies)
    if b":" in lowered or b"=" in lowered:
        text, lowered = _in_lines(text, lowered, _ASSIGNED_LINES, _ASSIGNMENT, _mask_assigned)
    if b"-" in lowered and b"--" in lowered and any(part in lowered for part in _NAME_PARTS):
        text, _ = _in_lines(text, lowered, _OPTION_LINES, _OPTION, _mask_value)
    return text


def _in_lines(
    text: str,
    lowered: bytes,
    words: tuple[tuple[bytes, bytes, int], ...],
    pattern: str,
    mask: Callable[[re.Match[str]], str],
) -> tuple[str, bytes]:
    """Hide the matches of a pattern in the lines where it can match; return the text, and its flat lower-case form."""
    lines = lines_with(lowered, words)
    if not lines:
        return text, lowered
    kept: list[str] = []
    position = 0
    compiled = _compiled(pattern)
    for start, end in lines:
        kept += (text[position:start], compiled.sub(mask, text[start:end]))
        position = end
    kept.append(text[position:])
    changed = "".join(kept)
    return (text, lowered) if changed == text else (changed, flat(changed).lower())


def _redact_private_keys(text: str) -> str:
    if "-" not in text or "-----BEGIN" not in text:
        return text
    kept: list[str] = []
    position = 0
    # The next END line is cached, so that many BEGIN lines do not search the rest each time.
    end = 0
    for begin in _compiled(_PEM_BEGIN).finditer(text):
        if begin.start() < position:
            continue
        if 0 <= end < begin.end():
            end = text.find("-----END", begin.end())
        closed = 0 <= end - begin.end() <= _PEM_REACH
        tail = _compiled(_PEM_END).match(text, end) if closed else _compiled(_PEM_BODY).match(text, begin.end())
        kept += (text[position : begin.start()], _PEM_MASK)
        position = tail.end() if tail else begin.end()
    kept.append(text[position:])
    return "".join(kept)


def _mask_value(match: re.Match[str]) -> str:
    value = match["value"]
    return match["head"] + (value if _is_harmless(value) else _MASK)


def _mask_mixed_value(match: re.Match[str]) -> str:
    """Hide the value of a scheme without its header unless it is a word: "basic authentication" is prose."""
    value = match["value"]
    letters = value.replace("-", "").rstrip(".")
    prose = letters.isalpha() and (letters.islower() or letters.istitle() or letters.isupper())
    return match[0] if prose or _is_harmless(value) else match["head"] + _MASK


def _mask_cookies(header: re.Match[str]) -> str:
    def mask(cookie: re.Match[str]) -> str:
        kept = not cookie["value"] or cookie["name"].lower() in _COOKIE_ATTRIBUTES
        return cookie[0] if kept else cookie["head"] + _MASK

    return header["head"] + _compiled(_COOKIE).sub(mask, header["pairs"])


def _mask_assigned(match: re.Match[str]) -> str:
    head = match["head"]
    if (value := match["bare"]) is not None:
        if head == "secret:" and match.string[max(0, match.start() - 1)] == "[" and _compiled(_MASKED).fullmatch(value):
            return match[0]
        core = value.rstrip(".:!?")
        if len(core) < 6 or _is_harmless(core) or _reads_as_prose(match, core) or _is_piece_of_syntax(match, core):
            return match[0]
        return head + _MASK + value[len(core) :]
    quoted = match["escaped"] or match["double"] or match["single"]
    opening = quoted[:2] if quoted[0] == "\\" else quoted[0]
    value = quoted[len(opening) :]
    if len(value) < 6 or _is_harmless(value) or _is_piece_of_syntax(match, value) or _names_a_thing(match, value):
        return match[0]
    return head + opening + _MASK


def _is_harmless(value: str) -> bool:
    words = _compiled(_PROSE_WORD).findall(value[:200].lower())
    if len(words) == 1 and words[0] in _ERROR_WORDS and len(words[0]) == len(value):
        return True
    if " " in value and not any(c.isdigit() for c in value) and not _ERROR_WORDS.isdisjoint(words):
        return True
    if _compiled(_PATH).match(value) or _compiled(_PLACEHOLDER).match(value):
        return True
    if not value.islower():
        return False
    if not _STATUS_WORDS.isdisjoint(value.split("_")) and _compiled(_STATUS).fullmatch(value):
        return True
    # A variable or a call in source code; a key has more than lower case.
    return _compiled(_SOURCE).fullmatch(value) is not None


def _reads_as_prose(match: re.Match[str], value: str) -> bool:
    """Return True for a plain word after "name: " that is followed by another word."""
    if match["sign"] != ":" or not match["head"].endswith(" "):
        return False
    if _is_type(match, value):
        return True
    following = match.string[match.end() : match.end() + 2]
    return value.isalpha() and (value.islower() or value.istitle()) and following[:1] == " " and following[1:].isalpha()


def _is_type(match: re.Match[str], value: str) -> bool:
    return match.string.startswith(("<", "`"), match.end()) and _compiled(_TYPE_NAME).fullmatch(value) is not None


def _is_piece_of_syntax(match: re.Match[str], value: str) -> bool:
    """Return True for the value after "unexpected token: "."""
    if match["sign"] != ":" or match["head"][:5].lower() != "token":
        return False
    start = match.start()
    found = _compiled(_PARSER_WORDS).search(match.string, max(0, start - _PARSER_WORDS_REACH), start)
    digits = sum(map(str.isdigit, value[:64]))
    if found is None or (len(value) >= 20 and digits >= 4):  # longer and more random than a name
        return False
    return bool(found["certain"]) or not digits or _compiled(_LOCATION).match(match.string, match.end()) is not None


def _names_a_thing(match: re.Match[str], value: str) -> bool:
    """Return True for the name of a secret in a message that it does not exist."""
    named = match["head"][:6].lower() == "secret" and _compiled(_NAMED_THING).fullmatch(value)
    return bool(named) and _compiled(_NOT_THERE).match(match.string, match.end()) is not None


@cache
def _prefixes() -> tuple[tuple[str, str], ...]:
    """Return every prefix and its tail, the longest first: `sk-ant-` before `sk-`."""
    found = ((prefix, tail) for prefixes, tail in LOOSE for prefix in prefixes.split())
    return tuple(sorted(found, key=lambda pair: -len(pair[0])))


@cache
def _shapes_with(hyphens: bool, underscores: bool) -> tuple[tuple[str, bytes, str], ...]:
    """Return the formats that can occur in a text with or without these signs."""
    return tuple(
        (prefix, prefix.encode(), tail)
        for prefix, tail in _prefixes()
        if (hyphens or "-" not in prefix) and (underscores or "_" not in prefix)
    )


@cache
def _flat_discord() -> re.Pattern[bytes]:
    return re.compile(_DISCORD.encode(), re.ASCII)


@cache
def _shape(prefix: str, tail: str) -> re.Pattern[str]:
    # The word boundary is checked after the prefix, because searching for plain text first is much faster.
    literal = re.escape(prefix)
    return re.compile(rf"{literal}(?<![A-Za-z0-9_]{literal}){tail}", re.ASCII)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # Compiled when first needed: most formats never occur.
    return re.compile(pattern, re.ASCII if pattern in _CASE_MATTERS else re.ASCII | re.IGNORECASE)


_CASE_MATTERS = frozenset(
    {_DISCORD, _TELEGRAM, _PEM_BEGIN, _PEM_END, _PEM_BODY, _USERINFO, _ASSIGNMENT, _OPTION, _TYPE_NAME}
)
