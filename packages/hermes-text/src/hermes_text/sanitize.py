"""Cleans the error text of tools, so that no part of it looks like part of the conversation."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from hermes_text import text_of

__all__ = ["fold_lookalikes", "sanitize_error", "sanitize_text", "strip_controls"]

_MAX_CHARS = 2_000
_ELLIPSIS = "..."

# Only the beginning of a long text is read, because at most 2,000 characters are kept: more of it for the cheap removal
# of control characters, less for the rest. Both limit the time of a call.
_RAW_WINDOW = 131_072
_CLEAN_WINDOW = 16_384

# A window that ends inside a word could show half a credential, which no longer looks like one.
_WORD_REACH = 1_024

# Removing one tag can complete another. Ordinary text needs one round; after this many, the text is nested on purpose,
# and the characters of markup are replaced.
_ROUNDS = 5

# ── terminal noise and invisible characters ──────────────────────────────────────────────────────────────────────

# No alternative backtracks; a string sequence ends before the next opener.
_ANSI = (
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]?"
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x90\x98\x9c-\x9f\n]*+(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x90\x98\x9c-\x9f]*+(?:\x1b\\|\x9c)"
    r"|\x1b[ -/]*+[0-~]?"
)
_ANSI_START = r"[\x1b\x90\x98\x9b\x9d-\x9f]"
_CONTROL = r"[\x00-\x08\x0b-\x1f\x7f-\x9f]+"
_LINE_BREAK = r"[\x85\u2028\u2029]"
_SURROGATE = r"[\ud800-\udfff]+"
_INVISIBLE = (
    r"[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)

_EMOJI = (
    r"\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    r"\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
# Arabic and Indic scripts and emoji need joiners; elsewhere they only hide text.
_SCRIPT = r"\u0620-\u06d3\u06d5\u06ee-\u06ff\u0750-\u077f\u08a0-\u08ff\u0900-\u0dff\u1780-\u17b3"
_JOINER = r"[\u200c\u200d\ufe0f]"
_STRAY_JOINER = (
    rf"\ufe0f(?<![{_EMOJI}]\ufe0f)(?<![0-9#*]\ufe0f(?=\u20e3))"
    rf"|\u200d(?:(?<![{_EMOJI}{_SCRIPT}]\u200d)(?<![{_EMOJI}]\ufe0f\u200d)|(?![{_EMOJI}{_SCRIPT}]))"
    rf"|\u200c(?:(?<![{_SCRIPT}]\u200c)|(?![{_SCRIPT}]))"
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # Compiled when first needed, so that importing this module costs almost nothing.
    return re.compile(pattern)


def strip_controls(text: str) -> str:
    """Remove escape sequences, control characters and invisible characters; line breaks become newlines."""
    plain = text.isascii()
    if plain and text.isprintable():
        return text
    # A search for one of a few characters is much faster than a search for a sequence, so it goes first.
    if _compiled(_ANSI_START).search(text):
        text = _compiled(_ANSI).sub("", text)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if plain:
        return _compiled(_CONTROL).sub("", text)
    text = _compiled(_CONTROL).sub("", _compiled(_LINE_BREAK).sub("\n", text))
    text = _compiled(_SURROGATE).sub(lambda run: "\ufffd" * len(run[0]), text)
    text = _compiled(_INVISIBLE).sub("", text)
    if _compiled(_JOINER).search(text):
        text = _compiled(_STRAY_JOINER).sub("", text)
    return text


# ── markup ───────────────────────────────────────────────────────────────────────────────────────────────────────

_BRACKETS = r"[<>\[\]＜﹤＞﹥［］]"
_FOLD = {"<": "<", ">": ">", "[": "[", "]": "]", "＜": "<", "﹤": "<", "＞": ">", "﹥": ">", "［": "[", "］": "]"}

# Letters of other scripts that look like Latin ones, folded for comparing only: Cyrillic, Greek, Armenian, and the
# rarer letters of Latin itself.
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d\u043a\u043c\u0442\u043d\u0475"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0405\u0406\u0408\u04c0\u04cf\u04ae\u04af"
    "\u03b1\u03bf\u03c1\u03c5\u03bd\u03b9\u03ba\u03c4\u03b5\u03c7"
    "\u0391\u0392\u0395\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u0585\u057d\u0578\u0570\u0581\u0131\u0251\u0261\u026a\u0274\u028f\u1d04\u1d07\u1d0f\u1d1b\u1d1c\ua731",
    "aeopcyxsijhdqwkmthvABEKMHOPCTYXSIJllYyaopuviktexABEHIKMNOPTYXounhgiaginyceotus",
)

_HEAD = 128
"""How many characters of a tag are read: enough for its name and first attribute."""

# Words that are unlikely as a placeholder, generic type or HTML element in an error message; <system_error> is a header
# of C++.
_MARKUP_NAME = (
    r"(?:tools|tool[_▁-][\w▁-]{1,40}+|tool(?:call|result|response|use|output)s?"
    r"|function[_-]?(?:call|result|response)s?(?:[_-][\w-]{1,40}+)?|invoke|arg_(?:key|value)"
    r"|system(?:[_-](?!error\s*+>)[\w-]{1,40}+)?|assistant|human|developer|think(?:ing)?)"
)
# Words that are likely: before other text they count only if that is an attribute.
_COMMON_NAME = r"(?:result|response|output|input|user)"
_NAMESPACE = r"(?:[\w.-]{1,40}:)"
_ATTRIBUTE = r"\s++[\w:.-]++\s*+="
_ANGLE_MARK = (
    r"(?i)<\s*+(?P<slash>/\s*+)?(?:"
    rf"(?P<weak>{_COMMON_NAME}|s|mask)[ \t]*+>"
    rf"|{_NAMESPACE}?{_MARKUP_NAME}(?=[\s/>])"
    rf"|{_NAMESPACE}?{_COMMON_NAME}(?:\s*+/?\s*+>|{_ATTRIBUTE})"
    rf"|{_NAMESPACE}(?:parameter|function)(?=[\s/>])"
    r"|(?P<named>(?:parameter|function)(?=\s*+=|\s++name\s*+=)|message(?=\s(?:[^<>]*?\s)?role\s*+=))"
    r"|(?P<bare>parameter|function|message)\s*+>"
    r"|(?P<sys>sys)\s*+>"
    r"|(?:s|mask|bos|eos|sop|eop|pad|unk|unused[0-9]{1,6}|fim[_-]\w{1,20}+|(?P<turn>start_of_turn)"
    r"|(?:start|end)_(?:of_turn|of_image|turn|function_\w{1,40}+))\s*+/?\s*+>"
    r")"
    # ChatML and its relatives; one bar may be missing, as in the newest templates.
    r"|<\|(?:(?P<start>im_start|start_header_id|start|turn)|/?[\w▁.-]{1,64}+)(?:\|\s{0,8})?>"
    # Apart from its bars a word may also be an operand between two pipe operators.
    r"|<\s{0,8}\|\s{0,8}(?:(?P<spaced>im_start|start_header_id)|[a-z]{1,32}_\w{1,32}+"
    r"|system|user|assistant|end|endoftext|message|channel)\s{0,8}\|\s{0,8}>"
    r"|<[\w▁.-]{1,64}+\|>"
    # A marker between bars and the name of a tag behind it.
    r"|</?\|[\w▁.-]{1,64}+\|\w|<\s*+(?:/\s*+)?\|\s{0,8}DSML\s{0,8}\|"
)
# An opening tag with an attribute that contains brackets.
_TAG_AROUND = (
    rf"(?i)<\s*+(?:{_NAMESPACE}?(?:(?:{_MARKUP_NAME}|parameter|function)(?:{_ATTRIBUTE}|\s*+=)"
    rf"|{_COMMON_NAME}{_ATTRIBUTE})|message\s(?:[^<>]*?\s)?role\s*+=|\|[\w▁.-]{{1,64}}+\|\w)"
)
_SQUARE_MARK = (
    r"\[\s*+(?:/\s*+)?(?:(?i:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|TOOL_CONTENT|TOOL_ARGS|SYSTEM_PROMPT"
    r"|CALL_ID|[gs]?MASK)"
    # In lower case these are words of usage messages and of other markup.
    r"|(?P<usage>ARGS)|THINK|IMG(?:_BREAK|_END)?)\s*+\]"
    r"|\[\|/?[A-Za-z]\w{0,63}+\|\]"
    r"|(?i:\[\s*+\|\s*+(?:system|user|assistant|tool|endofturn)\s*+\|\s*+\])"
)
_CLOSING_NAME = r"[<＜﹤]\s*+/\s*+(?:[\w.-]{1,40}:)?(\w{1,16}+)"
_ROLE_LINE = r"(?i)\s*+(?:system|user|assistant|model|tool|developer|ipython)[ \t]*+(?:\n|\Z)"


class _MarkupRemoval:
    """Removes markup in one pass over a text, with a stack of open brackets.

    Text that a removal brings together is checked when the next bracket closes, so a removal never creates a token, and
    the time per bracket does not depend on the nesting.
    """

    __slots__ = ("after_start", "ended", "names_open", "opened", "out", "position", "section_end", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.out: list[str] = []
        self.opened: list[int] = []  # the positions of unclosed brackets in `out`
        self.after_start = False  # a token before a role was just removed
        self.names_open: dict[str, int] = {}  # removed <parameter name=...> whose </parameter> must go
        self.ended: frozenset[str] | None = None  # the names of all closing tags in the text
        self.section_end = 0  # where the next "]]>" is, -1 when there is none

    def run(self) -> str:
        for found in _compiled(_BRACKETS).finditer(self.text):
            if found.start() < self.position:
                continue  # inside something that was skipped
            self._keep_until(found.start())
            self.position = found.end()
            bracket = _FOLD[found[0]]
            if bracket == "[" and self._opens_section():
                self._skip_section()
            elif bracket in "<[":
                self.opened.append(len(self.out))
                self.out.append(found[0])
            elif not (self._close_angle() if bracket == ">" else self._close_square()):
                self.out.append(found[0])
        self._keep_until(len(self.text))
        return "".join(self.out)

    def _keep_until(self, end: int) -> None:
        plain = self.text[self.position : end]
        if self.after_start and (role := _compiled(_ROLE_LINE).match(plain)):
            plain = plain[role.end() :]
        self.after_start = False
        if plain:  # no empty pieces: `_head` relies on a character in each
            self.out.append(plain)

    def _head(self, index: int) -> str:
        return fold_lookalikes("".join(self.out[index : index + _HEAD])[:_HEAD])

    def _opens_section(self) -> bool:
        return len(self.opened) > 1 and self._head(self.opened[-2]).upper() == "<![CDATA"

    def _skip_section(self) -> None:
        self._drop(2)
        if 0 <= self.section_end < self.position:
            self.section_end = self.text.find("]]>", self.position)
        if self.section_end >= 0:
            self.position = self.section_end + 3

    def _close_square(self) -> bool:
        if not self.opened or _FOLD[self.out[self.opened[-1]]] != "[":
            return False
        token = _compiled(_SQUARE_MARK).fullmatch(self._head(self.opened[-1]) + "]")
        # A usage line repeats its arguments with three dots, which no template does.
        if token is None or (token["usage"] and self.text.startswith("...", self.position)):
            self.opened.pop()
            return False
        self._drop()
        return True

    def _close_angle(self) -> bool:
        if not self.opened:
            return False
        if self.opened[-1] == len(self.out) - 1:  # nothing inside
            return self._close_around()
        token = _compiled(_ANGLE_MARK).match(self._head(self.opened[-1]) + ">")
        if token is None or self._is_unpaired(token) or self._is_generic(token):
            return self._close_around()
        self._drop()
        if name := token["named"] or token["bare"]:
            opened = self.names_open.get(name.lower(), 0)
            self.names_open[name.lower()] = opened + (1 if token["named"] else -1)
        self.after_start = bool(token["turn"] or token["start"] or token["spaced"])
        if token["sys"] and self.text.startswith(">", self.position) and self._ends_with_angle():
            self._drop()
            self.position += 1
        return True

    def _is_unpaired(self, token: re.Match[str]) -> bool:
        name = token["bare"]
        return bool(name) and not (token["slash"] and self.names_open.get(name.lower()))

    def _is_generic(self, token: re.Match[str]) -> bool:
        """Return True for the argument of a type, as in List<User>, rather than a tag."""
        start = self.opened[-1]
        if not token["weak"] or token["slash"] or not start or self.out[start] != "<":
            return False
        before = self.out[start - 1]
        if not (_in_identifier(before[-1]) or before.endswith("::")):
            return False
        if _in_identifier(self.text[self.position : self.position + 1]):
            return False  # a word follows: not a type, but perhaps a split credential
        if not "".join(self.out[start + 1 : start + _HEAD]).isascii():
            return False  # types have no letters that look like others
        if self._is_inside_token():
            return False
        if self.ended is None:
            self.ended = frozenset(
                fold_lookalikes(name).lower() for name in _compiled(_CLOSING_NAME).findall(self.text)
            )
        return token["weak"].lower() not in self.ended

    def _is_inside_token(self) -> bool:
        if len(self.opened) < 2:
            return False
        around, start = self.opened[-2:]
        outer = _compiled(_ANGLE_MARK).match(
            fold_lookalikes("".join(self.out[around : min(start, around + _HEAD)])[:_HEAD]) + ">"
        )
        return outer is not None and not outer["weak"]

    def _close_around(self) -> bool:
        """Remove the tag around a pair that is no token; other open brackets cannot become one."""
        while self.opened:
            if _compiled(_TAG_AROUND).match(self._head(self.opened[-1])):
                self._drop()
                return True
            self.opened.pop()
        return False

    def _ends_with_angle(self) -> bool:
        return bool(self.opened) and self.opened[-1] == len(self.out) - 1 and _FOLD[self.out[-1]] == "<"

    def _drop(self, brackets: int = 1) -> None:
        del self.out[self.opened[-brackets] :]
        del self.opened[-brackets:]


def _in_identifier(character: str) -> bool:
    return character.isalnum() or character in {"_", "$"}


def fold_lookalikes(text: str) -> str:
    """Replace letters that look like Latin ones."""
    if text.isascii():
        return text
    import unicodedata  # slow to import, and rarely needed

    return unicodedata.normalize("NFKC", text).translate(_LOOKALIKES)


# ── declarations and unclosed markup ─────────────────────────────────────────────────────────────────────────────

_OPENING = "[<＜﹤]"
_COMMENT = rf"{_OPENING}!--"
_INSTRUCTION = rf"{_OPENING}\?[A-Za-z_][\w:.-]{{0,64}}+"
_DECLARATION = rf"{_OPENING}![A-Za-z][^<>＜﹤＞﹥]*+[>＞﹥]"
_UNCLOSED_DECLARATION = rf"{_OPENING}![A-Za-z]++"
_SECTION_END = r"[\]］]{2}[>＞﹥]"
_LINE_REACH = 200
"""How far back the brackets of a line are counted, to distinguish `a[b[0]]>c` from the end of a CDATA section."""

_UNCLOSED_HEAD = 80
_UNCLOSED_START = r"[<＜﹤](?=[\s/|<＜﹤]{0,20}[^\W\d])|[\[［](?=[\s/]{0,20}[^\W\d])"
_TEMPLATE_WORD = (
    r"(?:im_(?:start|end|sep)|(?:start|end)_header_id|eo[tm]_id|(?:begin|end)_of_text|endof(?:text|prompt)|python_tag"
    r"|fim_\w{1,20}+|system|user|assistant|tool|start|end|message|channel|return|call|constrain)"
)
# Whole words only: <system_limit is a comparison, and <systemd> a placeholder.
_UNCLOSED = (
    r"(?i)(?P<whole><\s{0,8}/?\s{0,8}(?:[\w.-]{1,40}:)?(?:system(?:[_-](?:reminder|prompt|message|instructions?|note))?|assistant|developer|human|tools|think(?:ing)?|invoke"
    r"|tool[_-](?:calls?|results?|responses?|use|outputs?)|function[_-]?(?:calls?|results?|responses?))(?![\w.:-])"
    rf"|<\s{{0,8}}\|\s{{0,8}}/?{_TEMPLATE_WORD}(?!\w)(?:\s{{0,8}}\|)?"
    r"|<<\s{0,8}/?\s{0,8}SYS(?!\w)"
    r"|\[\s{0,8}/?\s{0,8}(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|SYSTEM_PROMPT)(?!\w))"
    r"|(?P<bracket><\s{0,8}/?\s{0,8})(?:user|tool|model|result|response|output|input)(?=\s|/|\Z)"
)
_TOKEN_END = rf"(?i)(?<![\w|])\|?\s{{0,8}}{_TEMPLATE_WORD}\|[>＞﹥]"
_CLOSED = r"[^<>＜﹤＞﹥]{0,256}+[>＞﹥]"


def _without_declarations(text: str) -> str:
    """Remove comments, processing instructions and declarations such as a doctype."""
    if "!" in text:
        text = _without_spans(text, _COMMENT, "-->")
        for pattern in (_DECLARATION, _DECLARATION, _UNCLOSED_DECLARATION):  # a doctype may contain declarations
            text = _compiled(pattern).sub("", text)
    return _without_spans(text, _INSTRUCTION, "?>") if "?" in text else text


def _without_spans(text: str, opening: str, closing: str) -> str:
    """Remove the spans between two markers; of an unclosed span, remove the opening marker."""
    kept: list[str] = []
    position = end = 0
    for found in _compiled(opening).finditer(text):
        if found.start() < position:
            continue
        if 0 <= end < found.end():
            end = text.find(closing, found.end())
        kept.append(text[position : found.start()])
        position = found.end() if end < 0 else end + len(closing)
    return "".join(kept) + text[position:] if kept else text


def _without_section_ends(text: str) -> str:
    """Remove the ends of CDATA sections; in `a[b[0]]>c` they are kept with a space."""

    def replace(found: re.Match[str]) -> str:
        line = text[max(0, found.start() - _LINE_REACH) : found.start()].rpartition("\n")[2]
        return f"{found[0][:-1]} {found[0][-1]}" if line.count("[") - line.count("]") > 1 else ""

    return _compiled(_SECTION_END).sub(replace, text)


def _without_unclosed(text: str) -> str:
    """Remove unclosed tags of roles and tokens of templates."""
    kept: list[str] = []
    position = 0
    for start in [each.start() for each in _compiled(_UNCLOSED_START).finditer(text)]:
        raw = text[start : start + _UNCLOSED_HEAD]
        found = _compiled(_UNCLOSED).match(fold_lookalikes(raw)) if start >= position else None
        if found is None or (found["bracket"] and _may_be_ordinary(text, start)):
            continue
        kept.append(text[position:start])
        position = start + (found.end(found.lastgroup or 0) if raw.isascii() else 1)
    text = "".join(kept) + text[position:] if kept else text
    return _compiled(_TOKEN_END).sub("", text) if "|" in text else text


def _may_be_ordinary(text: str, start: int) -> bool:
    """Return True when a common word is a closed placeholder, an argument of a type, or an operand."""
    return bool(start and _in_identifier(text[start - 1])) or _compiled(_CLOSED).match(text, start + 1) is not None


# ── lines ────────────────────────────────────────────────────────────────────────────────────────────────────────

_FENCE_LINE = r"(?m)^[ \t]*+(?:`{3,}+|~{3,}+)[ \t]*+[\w+#.-]{0,32}+[ \t]*+(?:\n|\Z)"
_FENCE = r"`{3,}"
# Old turn markers need their colon, so it is replaced by a dash. "User: bob" is common in reports, "USER: ..." is not.
_TURN = r"(?m)^([ \t]*+(?:Human|Assistant|HUMAN|ASSISTANT|USER|SYSTEM))[ \t]*+:"
_BLANK_LINES = r"\n(?:[ \t]*+\n){3,}"
_PUNCTUATION = r"[^\w\s.,]+"
_HARMLESS = str.maketrans("<>[]`~|＜﹤＞﹥［］", "()()'--(())()")


def sanitize_error(text: object, *, hide: Callable[[str], str] | None = None) -> str:
    """Make error text safe and short enough for a model; ordinary text is unchanged.

    Removes role and tool-call tags, closed or not, chat template tokens, CDATA sections and their ends, comments,
    processing instructions, doctypes, code fences, escape sequences and invisible characters, hides credentials, and
    keeps at most 2,000 characters. Cleaning clean text changes nothing.

    Args:
        text: The text, or a value to convert.
        hide: Hides the credentials; `redact` when it is not given.
    """
    if hide is None:
        from hermes_text.secrets import redact  # few processes meet an error

        hide = redact
    raw = text_of(text).strip()
    visible = strip_controls(_first_words(raw, _RAW_WINDOW)).lstrip()
    clean = _clean(_first_words(visible, _CLEAN_WINDOW), hide)
    if clean and (len(raw) > _RAW_WINDOW or len(visible) > _CLEAN_WINDOW):
        clean += _ELLIPSIS
    # Truncation can change the last word, so the result is always cleaned once more.
    for _ in range(_ROUNDS):
        if len(clean) > _MAX_CHARS:
            clean = clean[: _MAX_CHARS - len(_ELLIPSIS)].rstrip() + _ELLIPSIS
        before, clean = clean, _clean(clean, hide)
        if clean == before:
            return clean
    return _clean(_compiled(_PUNCTUATION).sub(" ", clean), hide)[:_MAX_CHARS].strip()


def sanitize_text(text: str) -> str:
    """Remove chat template tokens, role tags, escape sequences and invisible characters from text of any length.

    Unlike `sanitize_error`, it keeps code fences, blank lines and credentials.
    """
    for _ in range(_ROUNDS):
        before = text
        text = _compiled(_TURN).sub(r"\1 -", _MarkupRemoval(strip_controls(text)).run())
        if text == before:
            return text
    return text.translate(_HARMLESS)


def _clean(text: str, hide: Callable[[str], str]) -> str:
    text = strip_controls(text)
    for _ in range(_ROUNDS):
        before = text
        if "```" in text or "~~~" in text:
            text = _compiled(_FENCE).sub(" ", _compiled(_FENCE_LINE).sub("", text))
        if _compiled(_BRACKETS).search(text):
            text = _MarkupRemoval(_without_declarations(text)).run()
            text = _without_unclosed(_without_section_ends(text))
        text = _compiled(_TURN).sub(r"\1 -", text)
        if text == before:
            break
    else:
        text = text.translate(_HARMLESS)
    return _compiled(_BLANK_LINES).sub("\n\n", hide(text)).strip()


def _first_words(text: str, limit: int) -> str:
    """Return at most `limit` characters of a text, ending between words where possible."""
    if len(text) <= limit:
        return text
    gap = max(text.rfind(space, limit - _WORD_REACH, limit) for space in " \n\t")
    return text[: gap if gap >= 0 else limit]
