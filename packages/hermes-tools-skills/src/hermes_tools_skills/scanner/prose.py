"""Finds orders to the model in prose: what they ask for, whether they hide it, and whether they are only quoted."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from hermes_tools_skills.scanner.destinations import SECRET_NAME, classify_host, hosts_in
from hermes_tools_skills.scanner.source import Source
from hermes_tools_skills.scanner.tables import load


# The vocabulary: alternatives that the frames below combine.
def _frame(pattern: str) -> "re.Pattern[str]":
    for word, alternatives in load("orders")["words"].items():
        pattern = pattern.replace(f"<{word}>", alternatives)
    return re.compile(pattern)


#: Each frame is matched against one sentence in lower case. The bounded gaps keep the search linear.
@cache
def _frames() -> tuple[tuple[str, "re.Pattern[str]", tuple[str, ...]], ...]:
    """Return the frames: rule, pattern, and the words without which it cannot match."""
    return tuple(
        (frame["rule"], _frame(frame["pattern"]), _required_words(frame["pattern"]))
        for frame in load("orders")["frames"]
    )


def _required_words(pattern: str) -> tuple[str, ...]:
    """Return the words that every match of a frame contains: those outside of groups, unless there are alternatives."""
    depth, outside = 0, ""
    for piece in _PIECES.findall(pattern):
        depth += (piece == "(") - (piece == ")")
        if not depth:
            outside += piece
    return () if "|" in outside else tuple(dict.fromkeys(re.findall(r"<([A-Z]+)>(?![?*])", outside)))


_PIECES = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|.", re.DOTALL)


@cache
def _word(name: str) -> "re.Pattern[str]":
    return re.compile(load("orders")["words"][name])


def _matching(sentence: str) -> Iterator[str]:
    """Yield the rules of the frames that match a sentence. Looking for their words first saves most of the time."""
    present: dict[str, bool] = {}
    for rule, pattern, words in _frames():
        for word in words:
            if word not in present:
                present[word] = _word(word).search(sentence) is not None
            if not present[word]:
                break
        else:
            if pattern.search(sentence):
                yield rule


_EXE = re.compile(
    r"\.(?:zip|rar|7z|exe|msi|dmg|pkg|apk|jar|iso|scr|bat|cmd|ps1|vbs|app|deb|rpm|appimage|tar\.gz|tgz|sh|command|"
    r"run|bin|whl)\b"
)
_RUN = re.compile(r"\b(?:install|run|launch|execute|open|double-?click|extract|unzip|unpack|start|set ?up|paste)\w*\b")
_REQUIRED = re.compile(
    r"\b(?:prerequisites?|pre-?reqs?|required?|requires?|requirements?|must|needs?|necessary|before (?:using|you|"
    r"running|this|continuing)|first|mandatory|will not work|won'?t work|depends on|dependency|setup|getting "
    r"started|install(?:ation)?|important)\b"
)
_LOCKED = re.compile(
    r"\b(?:pass(?:word|code|phrase)?|pwd|pw|key)\b(?: is| for.{0,30}| to (?:extract|open|unzip).{0,"
    r"20})?\s*[:=is]{0,3}\s*[`'\"(]?[\w@!#-]{2,}"
)
_PASTE = re.compile(
    r"\b(?:copy|paste)\b.{0,80}?\b(?:terminal|command (?:prompt|line)|shell|powershell|run dialog|console)\b"
    r"|\b(?:terminal|command prompt|powershell|run dialog|console)\b.{0,40}?\b(?:enter|type|run|execute)\b.{0,40}?"
    r"\b(?:command|one-?liner|line|script)"
)
_IMPERATIVE = re.compile(
    r"^(?:please |you must |always |now |then |also |first,? |next,? |silently |assistant|ai\b|agent|claude|model|"
    r"llm|when|if|before|after|note to).{0,200}|"
    r"^(?:send|run|execute|read|fetch|upload|post|call|open|write|append|add|ignore|forget|delete|install|include|"
    r"do not|don't|never|collect|copy|download|use|reply|respond|output|print)\b"
)
_ADDRESSED = re.compile(
    r"\b(?:assistant|ai (?:agent|model|assistant|reader|system)s?|agents?|claude|hermes|codex|gpt|llms?|language "
    r"models?|the model|you (?:must|should|are|will|have to|need to))\b|^ai[:,]"
)
_ACTS = _frame(
    r"\b(?:collect|gather|add|include|insert|send|upload|post|exfiltrate|forward|transmit|run|execute|curl|wget|"
    r"fetch|download|install|delete|"
    r"approve|reveal|leak|append|write to|read (?:the )?(?:file|~|\.env|env))\b.{0,100}?(?:https?://|<HARVEST>|"
    r"<MEMORY>|\b(?:command|script|shell|bash|installer|binary|payload|config)\b|~/)"
)
#: Words around an attack that say it is quoted, described or forbidden.
_QUOTING = re.compile(
    r"\b(?:attackers?|attacks?|adversar\w+|malicious|prompt[- ]injections?|injections?|jailbreaks?|phishing|red[- "
    r"]team\w*|detect\w*|scan(?:s|ner)? (?:for|flags)|flag(?:s|ged)? |(?:may|might|could|can) (?:say|contain|"
    r"include|try|ask|tell)|such as|for example|examples? of|e\.g\.|like [\"'“]|looks? like|never (?:follow|obey|"
    r"comply|run|execute|send|upload|share|paste|put|commit|include|log|post|do)|"
    r"do not (?:follow|obey|comply|trust|send|upload|post|share|commit|paste|put|include|forward)|don'?t "
    r"(?:follow|obey|trust|send|upload|share|commit|paste|put|include|forward)|refuse\w*|reject\w*|treat (?:it|"
    r"them|this|such|any|all|as)\b.{0,40}?\b(?:data|untrusted|suspicious)|untrusted|suspicious|vulnerab\w+|threat|"
    r"exploit\w*|owasp|security review|audit (?:for|skills)|"
    r"(?:must|should) (?:not|never) (?:be )?(?:sen[dt]|upload|share|post|follow|obey|run|execute|commit|include|"
    r"paste|log|trust|expose|leak|store)\w*|block(?:s|ed)?\b|prevent\w*|protect\w* against|warn(?:s|ed)? (?:if|"
    r"when|about)|beware|avoid (?:sending|sharing|uploading|committing|logging|including)|red flags?|test cases?|"
    r"payloads?|is (?:a|an) (?:classic|common|typical|known)|tries to|attempts? to|trick\w*|claims to|social "
    r"engineering)\b"
)
_SENTENCE = re.compile(
    r"(?<=[.!?])[\"'`*_)]*\s+(?=[^a-z])|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[-*+#>|]|\d+[.)]))|(?<=:)\n"
)
_MARKS = re.compile(r"[*~`]+(?=\w)|(?<!\w)_+(?=\w)|(?<=[\w.,:!?)])[*~`]+|(?<=\w)_+(?!\w)|^[\s>#*+-]+")
#: Letters of other alphabets that look like Latin ones.
_CONFUSABLE = str.maketrans(
    "аеорсухіјѕԁһքԛԝвнкмтАВЕКМНОРСТХІЈЅαορνικτυηγΑΒΕΖΗΙΚΜΝΟΡΤΥΧɡıℓո",
    "aeopcyxijsdhpqwbhkmtABEKMHOPCTXIJSaopviktuhyABEZHIKMNOPTYXgiln",
)
_ZERO_WIDTH = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0]"
)
_TAGS = re.compile("[\U000e0000-\U000e007f]{3,}")
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{2,8}\U000e007f")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_RUN_OF_ZERO_WIDTH = re.compile(
    "(?:[\u200b-\u200f\u2060-\u2064\ufeff]{6,})|(?:[\u200b\u200c\u200d\u2060\ufeff][^\u200b]{0,2}){24,}"
)


def normalize(text: str) -> str:
    """Return a text as it looks: without invisible characters, and in Latin letters."""
    if not text.isascii():
        text = _ZERO_WIDTH.sub("", _TAGS.sub("", text))
        text = unicodedata.normalize("NFKC", text).translate(_CONFUSABLE)
        text = (
            "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))
            if _has_latin(text)
            else text
        )
    return text.replace("’", "'")


def _has_latin(text: str) -> bool:
    return any(unicodedata.combining(char) for char in text[:100_000])


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of prose with their lines, counted from 0, with line breaks and emphasis removed."""
    line, last = 0, 0
    spans = [(found.start(), found.end()) for found in _SENTENCE.finditer(text)]
    begin = 0
    for stop, after in [*spans, (len(text), len(text))]:
        raw = text[begin:stop]
        if raw.strip():
            line += text.count("\n", last, begin)
            last = begin
            blank = len(raw) - len(raw.lstrip())
            yield line + raw[:blank].count("\n"), " ".join(_MARKS.sub("", raw).split())[:4_000].lower()
        begin = after


def scan_prose(text: str, source: Source, *, hidden: bool = False, code: bool = False) -> bool:
    """Find orders to the model. Return True when the text contains any.

    Args:
        text: Prose, a comment, an attribute, or a text from code.
        source: Where it is.
        hidden: A reader of the rendered page does not see it: an order in it is worse.
        code: It is a string or comment in code, where mentions are more likely.
    """
    found_any = False
    plain = normalize(text)
    altered = not text.isascii() and plain != text
    context: list[tuple[int, str]] = []
    for line, sentence in sentences(plain):
        context = [*context[-2:], (line, sentence)]
        found_any |= _scan_sentence(line, sentence, context, source, hidden=hidden, code=code)
    if altered and not found_any and not code:
        _scan_homoglyphs(text, source)
    return found_any


def _scan_sentence(
    line: int, sentence: str, context: list[tuple[int, str]], source: Source, *, hidden: bool, code: bool
) -> bool:
    window = " ".join(part for _, part in context)
    quoted = _is_quoted(sentence, context) or (source.warned and source.documented)
    hits = dict.fromkeys(_matching(sentence))
    for rule in _hits_across(sentence, window, hits, source):
        hits.setdefault(rule)
    reported = False
    for rule in hits:
        verdict = _weigh(rule, sentence, window, hits, hidden=hidden, code=code)
        if not verdict:
            continue
        if quoted and not hidden:
            source.find("text.mention", line, sentence)
            continue
        source.find(verdict, line, sentence)
        reported = reported or verdict not in {"text.mention", "text.conceal-mention", "text.plant-mention"}
    if (
        hidden
        and not reported
        and _ACTS.search(sentence)
        and (_ADDRESSED.search(window) or _IMPERATIVE.search(sentence))
    ) and not _is_quoted(sentence, context):
        source.find("text.hidden-order", line, sentence)
        reported = True
    return reported


def _hits_across(sentence: str, window: str, hits: dict[str, None], source: Source) -> Iterator[str]:
    """Yield frames that span two sentences: an action, and then an order to hide it."""
    if "text.remote-orders" not in hits and hosts_in(window) and len(window) < 1_500:
        pattern = next(pattern for rule, pattern, _ in _frames() if rule == "text.remote-orders")
        joined = re.sub(r"(?<=\w)\.\s", ", ", window)
        if (_OBEY_REMOTE.search(sentence) and pattern.search(joined)) or (
            _OBEYS_IT.search(sentence) and _FETCHES.search(window)
        ):
            yield "text.remote-orders"
    if "text.exfiltrate" not in hits and _AWAY.search(sentence) and _leaks(window, source):
        yield "text.exfiltrate"
    if "text.conceal" not in hits and _CONCEAL_WEAK.search(sentence) and (_ACTS.search(window)):
        yield "text.conceal"
    elif "text.conceal" not in hits and _CONCEAL_WEAK.search(sentence):
        yield "text.conceal-mention"


_CONCEAL_WEAK = _frame(
    r"\b<NOT>\b.{0,12}?\b(?:tell|mention|inform|notify|alert|disclose|reveal|acknowledge)\w*\b.{0,"
    r"20}?\b(?:<PERSON>|this|it|these)\b|\bkeep (?:this|it|quiet|that)\b.{0,20}?\b(?:secret|private|hidden|to "
    r"yourself|quiet|between us)|\b<SECRETLY>\b"
)
_OBEYS_IT = re.compile(
    r"\b(?:follow|obey|execute|run|comply with|adopt|apply) (?:it|them|those|whatever|everything)\b|\bdo "
    r"(?:exactly |precisely )?(?:what(?:ever)?|as) "
    r"(?:it|the (?:page|file|response|document|text|site|server|output))\b|\b(?:complete|perform|do|carry out|act "
    r"on|work through)\b.{0,24}?\b(?:is there|it lists|listed there|its contents|you find there)|\binstead of "
    r"this (?:file|skill|document)"
)
_FETCHES = _frame(r"\b(?:<FETCH>|use|using|web_extract|web_fetch|webfetch|newest|latest)\b.{0,60}?https?://")
_AWAY = _frame(r"\b<AWAY>\b")
_PRIVATE = _frame(r"(?<!\w)<PRIVATE>")
#: The user decides, or the host is where the data comes from.
_RECEIVED = re.compile(
    r"\b(?:receives?|returns?|when (?:they|the user|users?|you) (?:clicks?|chooses?|press\w*|asks?|selects?)|ask "
    r"(?:before|first|the user)|"
    r"(?:user|their) (?:permission|consent|approval)|to (?:get|read|list|retrieve|fetch|look up)\b)"
)
_CHOSEN = re.compile(r"\bwhen (?:they|the user|users?|you) (?:clicks?|chooses?|press\w*|asks?|selects?)")
_SECRET_VARIABLE = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")


def _leaks(window: str, source: Source) -> bool:
    """Return True when a text names private data and an unknown host."""
    hosts = [host for host in hosts_in(window) if classify_host(host) in {"unknown", "drop"}]
    if not hosts:
        return False
    if _PRIVATE.search(window):
        return not _RECEIVED.search(window)
    names = {name.upper() for name in _SECRET_VARIABLE.findall(window) if SECRET_NAME.search(name)}
    return any(source.recorder.destinations.judge(f"env:{name}", hosts) == "code.secret-flow" for name in names)


_OBEY_REMOTE = _frame(r"\b<OBEY>\b.{0,50}?\b<ORDERS>")
_HUMAN_DOCS = re.compile(
    r"\b(?:install(?:ation|ing)?|set-?up|documentation|docs|readme|api reference|guide|tutorial|best practices|"
    r"style guide|guidelines?|migration|design system)\b"
)
_AUTONOMOUS = _frame(
    r"\b(?:<ALWAYS>|each (?:run|time|session|task)|before (?:each|every|any|doing|answering|you)|at (?:start|run "
    r"?time)|exactly|verbatim|whatever|without (?:question|asking|review)|as (?:your|system|if)|latest (?:orders|"
    r"directives|commands)|obey|comply|do what|highest priority|take precedence)\b"
)


def _weigh(rule: str, sentence: str, window: str, hits: dict[str, None], *, hidden: bool, code: bool) -> str:
    """Return the rule to report for a frame that matched, after looking at hosts and neighbours; empty for none."""
    kinds = {classify_host(host) for host in hosts_in(window)}
    strange = bool(kinds & {"unknown", "drop"})
    if code and rule in {
        "text.role",
        "text.conceal-mention",
        "text.trigger",
        "text.bypass",
        "text.destroy",
        "text.plant",
        "text.backdoor",
    }:
        others = set(hits) & {"text.override", "text.exfiltrate", "text.remote-orders", "text.conceal"}
        return rule if others or (hidden and rule != "text.role" and strange) else ""
    if code and rule == "text.conceal" and not strange and not _HARVESTED.search(sentence):
        return ""
    if rule == "text.exfiltrate" and not hidden and _CHOSEN.search(sentence):
        return "text.mention"
    if rule == "text.exfiltrate":
        return rule if strange or (not kinds and _SENT_AWAY.search(sentence)) else "text.mention"
    if rule == "text.remote-orders":
        if _TREATED.search(sentence):
            return rule
        if strange and (hidden or _AUTONOMOUS.search(window) or not _HUMAN_DOCS.search(sentence)):
            return rule
        return "text.mention"
    if rule == "text.plant":
        return rule if hidden or _PLANTED.search(window) or strange else "text.plant-mention"
    if rule == "text.bypass":
        return rule if hidden or not _OFFERED.search(sentence) or _UNASKED.search(sentence) else "text.mention"
    if rule == "text.destroy":
        return rule if hidden or not _CAREFUL.search(window) else "text.mention"
    if (
        rule == "text.conceal"
        and not hidden
        and not strange
        and not _HARVESTED.search(window)
        and not _SECRET_ACTION.search(sentence)
    ):
        return "text.conceal-mention"
    if rule == "text.conceal":
        return (
            rule
            if hidden or _SUSPECT.search(window) or set(hits) - {"text.conceal", "text.conceal-mention"}
            else "text.conceal-mention"
        )
    if rule == "text.role" and hidden:
        return "text.hidden-order"
    return rule


_TREATED = re.compile(
    r"\b(?:treat|consider|regard|accept|interpret)\b.{0,140}?\bas\b.{0,30}?\b(?:instructions?|system (?:prompt|"
    r"message)|orders|commands|directives)"
)
_HARVESTED = _frame(r"<HARVEST>|<MEMORY>")
_SECRET_ACTION = _frame(
    r"\b(?:secretly|covertly|stealthily|surreptitiously|unnoticed|knowledge|noticing|awareness|hide|conceal|keep|"
    r"mask|<PERSON> (?:must|should|need|may|can|does|will)|this (?:step|action|upload|request|call|transfer|sync|"
    r"telemetry)|<SEND>)\b|用户|usuario|utilisateur|nutzer|пользовател"
)
_SENT_AWAY = _frame(
    r"(?:webhook|collector|remote (?:server|host|address)|our (?:server|api|service|team|backend)|\bdns\b|query "
    r"(?:string|parameter)|[\w.+-]+@[\w-]+\.\w+|[\w-]+\.invalid|image (?:url|link|tag)|markdown image|\.(?:xyz|"
    r"top|ru|online|site)\b)"
)
_PLANTED = _frame(
    r"(?:without (?:asking|telling|confirm\w+)|authori[sz]ed|not want to be asked|no (?:confirmation|approval)|"
    r"safe to run|never (?:ask|require|need)s?|do not ask|trusted\b|pre-?approve|auto-?approve|"
    r"<SECRETLY>|<SEND> .{0,60}?<HARVEST>|\bignore\b|bypass|soul\.md|even (?:after|if)|survive|do not (?:mention|"
    r"tell)|(?:run|load|fetch|execute)\b.{0,60}?https?://)"
)
_OFFERED = re.compile(
    r"\b(?:users? can|you can (?:also )?|optionally|to (?:skip|disable|bypass)|if you want|flag|--\w|option|pass|"
    r"use [`'\"]?-|default|unless|may|only (?:if|when|in|for|on)|in ci\b|in tests?\b|testing|development|ask the "
    r"user|with the user|user (?:explicitly )?(?:asks|"
    r"requests|approves|confirms)|dry[- ]run|never|do not|don'?t|cannot|must not|is not|not )\b"
)
_CAREFUL = re.compile(
    r"\b(?:confirm|ask|warning|warn|careful|caution|never|do not|don'?t|unless|explicit\w*|backup|backs up|will "
    r"(?:also )?|can|may|irreversibl\w+|cannot be undone|permanently|this (?:command|action|removes)|dangerous|"
    r"destructive|avoid|only|users? wants?|temp\w*|cache|generated|build|test)\b"
)
_UNASKED = re.compile(r"\b(?:always|every|all)\b.{0,80}?\bwithout (?:asking|telling|confirm\w+|checking)")
_SUSPECT = _frame(
    r"(?:<SEND>.{0,40}?(?:<HARVEST>|https?://)|<HARVEST>|\b(?:upload|telemetry|exfiltrat\w+|beacon|payload|"
    r"backdoor|hidden|secret(?:ly)?|silently|covert\w*|collected|curl|network request|sends?|sent|install\w*|"
    r"download\w*|shell command|this (?:step|action|instruction|section|behaviou?r)|background|transfer|sync)\b)"
)


def _is_quoted(sentence: str, context: list[tuple[int, str]]) -> bool:
    """Return True when a sentence, or the one that introduces it, describes an attack instead of ordering it."""
    return _QUOTING.search(sentence) is not None or any(
        _QUOTING.search(part) is not None and (part.endswith(":") or line == context[-1][0])
        for line, part in context[:-1]
    )


def scan_prerequisites(text: str, source: Source) -> None:
    """Find requests to download and run programs from unknown places, paragraph by paragraph."""
    line = 0
    heading = ""
    previous = ""
    for paragraph in re.split(r"(\n[ \t]*\n)", text):
        if not paragraph.strip():
            line += paragraph.count("\n")
            continue
        plain = normalize(paragraph).lower()
        if plain.lstrip().startswith("#"):
            heading = plain.partition("\n")[0]
        window = f"{heading}\n{previous}\n{plain}"
        _scan_paragraph(plain, window, line, source)
        line += paragraph.count("\n")
        previous = plain[-1_000:]


def _scan_paragraph(plain: str, window: str, line: int, source: Source) -> None:
    hosts = hosts_in(plain)
    kinds = {host: classify_host(host) for host in hosts}
    if not kinds or (_QUOTING.search(plain) and not _REQUIRED.search(plain)):
        return
    strange = [host for host, kind in kinds.items() if kind in {"unknown", "drop"}]
    program = _EXE.search(plain) is not None
    runs = _RUN.search(window) is not None
    required = _REQUIRED.search(window) is not None
    locked = _LOCKED.search(window) is not None and re.search(
        r"extract|unzip|archive|zip|unpack|rar|7z|decompress", window
    )
    at = plain.count("\n", 0, max(plain.find("://"), 0))
    if program and locked and any(kind != "known" for kind in kinds.values()) and runs:
        source.find("text.fake-prerequisite", line + at, f"a locked archive from {', '.join(kinds)}")
    elif strange and _PASTE.search(window) and runs:
        source.find("text.fake-prerequisite", line + at, f"commands to paste from {', '.join(strange)}")
    elif any(kinds[host] == "drop" for host in strange) and runs and required:
        source.find("text.fake-prerequisite", line + at, f"{', '.join(strange)}")
    elif strange and program and runs and required:
        source.find("text.fake-prerequisite", line + at, f"a program from {', '.join(strange)}")
    elif strange and required and _INSTALL_FROM.search(plain):
        source.find("text.unknown-download", line + at, ", ".join(strange))


_INSTALL_FROM = re.compile(
    r"\b(?:install|download|get|run|launch|set up|grab)\b[^\n]{0,60}?\b(?:utility|helper|agent|driver|runtime|"
    r"core|loader|"
    r"codec|update|component|patch|connector|bridge)\b[^\n]{0,60}?\b(?:from|at|here|via)\b"
)


def scan_invisible(text: str, source: Source, *, code: bool) -> None:
    """Find text that cannot be seen, and characters that change the order of reading."""
    if text.isascii():
        return
    from hermes_tools_skills.scanner.source import Lines

    lines = Lines(text)
    without_flags = _FLAG.sub(lambda found: " " * len(found.group()), text)
    for found in _TAGS.finditer(without_flags):
        shown = "".join(chr(ord(char) - 0xE0000) for char in found.group() if 0xE0020 <= ord(char) < 0xE007F)
        source.find("text.invisible", lines.at(found.start()), shown or "tag characters")
    for found in _SELECTORS.finditer(text):
        hidden = bytes(
            (ord(char) - 0xFE00 if ord(char) < 0x10000 else ord(char) - 0xE0100 + 16) & 255 for char in found.group()
        )
        source.find("text.invisible", lines.at(found.start()), f"variation selectors: {hidden.decode('latin-1')}")
    if run := _RUN_OF_ZERO_WIDTH.search(text):
        source.find("text.invisible", lines.at(run.start()), "a run of zero-width characters")
    if bidi := _BIDI.search(text):
        strong = code or any(char in text for char in "\u202d\u202e")
        rtl = any("\u0590" <= char <= "\u08ff" for char in text)
        if strong or not rtl:
            source.find("text.bidirectional", lines.at(bidi.start()), f"U+{ord(bidi.group()):04X}")


_WORD = re.compile(r"[^\W\d_]{4,}")


def _scan_homoglyphs(text: str, source: Source) -> None:
    """Find words that mix Latin letters with look-alikes of other alphabets."""
    count = 0
    for found in _WORD.finditer(text):
        word = found.group()
        if word.isascii():
            continue
        latin = sum(char.isascii() for char in word)
        similar = sum(not char.isascii() and char.translate(_CONFUSABLE).isascii() for char in word)
        if latin and similar and latin + similar == len(word) and not _SCIENTIFIC.search(word):
            count += 1
            if count <= 3:
                source.find("text.homoglyph", text.count("\n", 0, found.start()), word)


#: Greek letters in Latin words are notation, such as Δt and μm.
_SCIENTIFIC = re.compile("[\u0370-\u03ff]")
