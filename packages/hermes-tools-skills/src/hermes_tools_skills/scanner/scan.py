"""Scans a skill: reads every file, gives each part to the scanner of its language, and reports what they found."""

import logging
import re
from collections.abc import Collection, Mapping
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

from hermes_tools_skills.scanner.binaries import is_binary, is_disguised, scan_binary
from hermes_tools_skills.scanner.content import Entry, hash_entries, read_content
from hermes_tools_skills.scanner.destinations import Destinations, classify_host
from hermes_tools_skills.scanner.encodings import find_encoded
from hermes_tools_skills.scanner.manifests import is_hook, load_yaml, scan_manifest
from hermes_tools_skills.scanner.markdown import Segment, split_html, split_markdown
from hermes_tools_skills.scanner.prose import scan_invisible, scan_prerequisites, scan_prose
from hermes_tools_skills.scanner.python_code import scan_python, strings_of
from hermes_tools_skills.scanner.report import ScanReport
from hermes_tools_skills.scanner.scripts import scan_script
from hermes_tools_skills.scanner.shell_code import scan_fetch_and_run, scan_shell
from hermes_tools_skills.scanner.source import MAX_LAYERS, Lines, Recorder, Role, Source

_log = logging.getLogger(__name__)

#: Languages by the suffix of a file, and by the language of a block of code.
LANGUAGES: dict[str, str] = {
    **dict.fromkeys(
        [
            "sh",
            "bash",
            "zsh",
            "ksh",
            "dash",
            "fish",
            "shell",
            "console",
            "terminal",
            "shell-session",
            "shellsession",
            "command",
            "envrc",
            "bats",
        ],
        "shell",
    ),
    **dict.fromkeys(["py", "python", "python3", "pyw", "py3", "pyi", "ipython", "gyp", "pth"], "python"),
    **dict.fromkeys(
        ["js", "javascript", "mjs", "cjs", "ts", "typescript", "tsx", "jsx", "mts", "cts", "node", "vue", "svelte"],
        "script",
    ),
    **dict.fromkeys(
        [
            "rb",
            "ruby",
            "pl",
            "perl",
            "pm",
            "php",
            "phtml",
            "ps1",
            "powershell",
            "psm1",
            "pwsh",
            "bat",
            "cmd",
            "batch",
            "vbs",
            "vba",
            "lua",
            "go",
            "c",
            "cpp",
            "cc",
            "h",
            "hpp",
            "rs",
            "rust",
            "swift",
            "java",
            "kt",
            "scala",
            "r",
            "jl",
            "tcl",
            "awk",
            "scpt",
            "applescript",
            "osascript",
            "nim",
            "ex",
            "exs",
            "erl",
            "clj",
            "groovy",
            "gradle",
            "cs",
            "d",
            "dart",
            "zig",
            "coffee",
            "hs",
            "ml",
            "el",
            "lisp",
            "jxa",
            "wsf",
            "hta",
        ],
        "script",
    ),
    **dict.fromkeys(["md", "markdown", "mdx", "mdc", "rst"], "markdown"),
    **dict.fromkeys(["html", "htm", "svg", "xhtml", "xml"], "html"),
    "ipynb": "notebook",
}
_SHEBANG = re.compile(
    r"\A\ufeff?#!\s*\S*?(?:/env\s+(?:-S\s+)?)?(?:/|\b)(?P<name>python|(?:ba|z|k|da|fi)?sh|node|deno|bun|ruby|perl|"
    r"php|osascript|pwsh|lua|tclsh|awk|make)[\d.]*\b",
    re.IGNORECASE,
)
_IGNORE_FILES = frozenset({".skillignore", ".clawhubignore", ".scanignore", ".hermesignore"})
_PROMPT = re.compile(r"(?m)^[ \t]*(?:\$|>|%|#)[ \t]+(?=\S)")
_LOOKS_LIKE_SHELL = re.compile(
    r"(?m)^[ \t]*(?:\$\s*)?(?:sudo\s+)?(?:curl|wget|bash|sh|npm|npx|pnpm|yarn|pip3?|uv|uvx|brew|apt(?:-get)?|git|"
    r"python3?|node|docker|cd|export|echo|cat|chmod|mkdir|rm|cp|mv|tar|unzip|eval|source|openssl|base64|nc|ssh|"
    r"scp|powershell|irm|iwr|iex|\.?/\S+)\b"
)
_KNOWN_SKILLS = frozenset(
    [
        "pdf",
        "docx",
        "pptx",
        "xlsx",
        "mcp-builder",
        "skill-creator",
        "skill-installer",
        "webapp-testing",
        "slack-gif-creator",
        "algorithmic-art",
        "canvas-design",
        "frontend-design",
        "brand-guidelines",
        "internal-comms",
        "theme-factory",
        "web-artifacts-builder",
        "doc-coauthoring",
        "github",
        "notion",
        "linear",
        "sentry",
        "figma",
        "playwright",
        "imagegen",
        "screenshot",
        "openai-docs",
        "stripe",
        "gmail",
        "google-calendar",
        "google-workspace",
        "slack",
        "discord",
        "twitter",
        "youtube",
        "wallet-tracker",
        "solana",
        "polymarket",
        "clawhub",
        "browser-use",
        "vercel-deploy",
        "netlify-deploy",
    ]
)
_RANDOM_SUFFIX = re.compile(r"^(?P<base>[a-z0-9][a-z0-9-]*?)[-_](?P<suffix>[a-z0-9]{4,12})$")


def scan_skill(path: Path, *, trust: str = "community", accepted: Collection[str] = ()) -> ScanReport:
    """Scan a skill. Nothing is run, and nothing in the skill can change what is scanned.

    Args:
        path: The directory of the skill.
        trust: `builtin`, `trusted`, `community` or `agent-created`; what `ScanReport.action` uses by default.
        accepted: Ids of findings that the user accepted. An id is valid for exactly one content.

    Returns:
        The report. It never raises: an error of the scanner is a problem in the report, which blocks the skill.
    """
    problems: list[str] = []
    try:
        entries = read_content(Path(path))
        content_hash = hash_entries(entries)
    except Exception as error:  # whatever fails, the answer must be a report that blocks
        _log.debug("a skill cannot be read", exc_info=True)
        return ScanReport(problems=(f"the skill cannot be read: {error}",), trust=trust)
    recorder = Recorder(content_hash=content_hash)
    try:
        recorder.destinations = _destinations(entries)
    except Exception as error:  # as above
        problems.append(f"the skill's documentation: {type(error).__name__}: {error}")
    files = {entry.path: entry for entry in entries if entry.kind == "file"}
    for entry in entries:
        try:
            _scan_entry(entry, Source(recorder=recorder, file=entry.path), files)
        except Exception as error:  # as above: a file that breaks the scanner must not pass
            _log.debug("the scanner failed on a file", exc_info=True)
            problems.append(f"{entry.path}: {type(error).__name__}: {error}")
    _relate(recorder)
    _check_name(Path(path), files, recorder)
    found = sorted(recorder.findings.values(), key=lambda item: (item.file, item.line, item.rule, item.id))
    return ScanReport(
        findings=tuple(item for item in found if item.id not in accepted),
        accepted=tuple(item for item in found if item.id in accepted),
        capabilities=tuple(sorted(recorder.capabilities.values())),
        content_hash=content_hash,
        files=tuple(entry.path for entry in entries),
        problems=tuple(problems),
        trust=trust,
    )


def _scan_entry(entry: Entry, source: Source, files: Mapping[str, Entry]) -> None:
    if entry.kind == "unread":
        source.find("content.unread", 0, f"{entry.path}: {entry.reason}")
    elif entry.kind == "other":
        source.find("content.special", 0, f"{entry.path}: {entry.reason}")
    elif entry.kind == "link":
        rule = "content.link-escape" if entry.reason else "content.link"
        source.find(rule, 0, f"{entry.path}: {entry.reason or entry.data.decode('utf-8', 'replace')}")
    else:
        _scan_file(entry, source, 0, files)


def _scan_file(entry: Entry, source: Source, nesting: int, files: Mapping[str, Entry] | None = None) -> None:
    source = Source(recorder=source.recorder, file=entry.path)
    if entry.mode & 0o6000:
        source.find("content.set-id", 0)
    if PurePosixPath(entry.path).name in _IGNORE_FILES:
        source.find("content.ignore-file", 0)
    if is_binary(entry.data):
        scan_binary(entry, source, files or {}, nesting, _scan_file)
        return
    if is_disguised(entry):
        source.find("content.disguised", 0, f"{entry.path} is text")
    scan_text(entry.path, decode(entry.data, source), source, executable=bool(entry.mode & 0o111))


def decode(data: bytes, source: Source) -> str:
    """Return the text of a file in any Unicode encoding; other bytes are read as Latin-1."""
    for mark, encoding in (
        (b"\xef\xbb\xbf", "utf-8-sig"),
        (b"\xff\xfe\0\0", "utf-32"),
        (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"),
    ):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        source.find("content.encoding", 0, "read as Latin-1")
        text = data.decode("latin-1")
    # Interpreters end a line at a carriage return, and shells skip null characters.
    return text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")


def scan_text(path: str, text: str, source: Source, *, executable: bool = False) -> None:
    """Scan a text file as what its name and first line say."""
    name = PurePosixPath(path)
    role: Role = "hook" if is_hook(path) else "script"
    source = source.part(0, role)
    suffix = name.suffix.lower().lstrip(".") or name.name.lower().lstrip(".")
    shebang = _SHEBANG.match(text[:200])
    language = LANGUAGES.get(suffix, "")
    if shebang and language not in {"markdown", "html", "python", "script"}:
        program = shebang.group("name").lower()
        language = (
            "python" if program == "python" else "shell" if program.endswith("sh") and program != "tclsh" else "script"
        )
    if role == "hook" and not language and not scan_manifest(path, text, source):
        language = "shell"
    scan_invisible(text, source, code=language in {"shell", "python", "script"})
    if language == "markdown":
        _scan_markdown(text, source.part(0, "doc"))
        return
    _scan_blobs(text, source)
    scan_fetch_and_run(text, source)
    if language == "html":
        _scan_html(text, source)
    elif language == "notebook":
        _scan_notebook(text, source)
    elif language:
        _scan_code(language, text, source)
        _scan_comments(language, text, source)
    elif not scan_manifest(path, text, source):
        _scan_plain(text, source, executable=executable)
    else:
        scan_prose(text if len(text) < 200_000 else text[:200_000], source, code=True)


def _scan_code(language: str, text: str, source: Source) -> None:
    if language == "shell":
        scan_shell(_PROMPT.sub("", text) if source.documented else text, source)
    elif language == "python":
        if source.documented and re.match(r"\s*>>> ", text):
            text = re.sub(r"(?m)^(?:>>> |\.\.\. |(?!>>> |\.\.\. ).*$)", "", text)
        scan_python(text, source)
    elif language == "script":
        scan_script(text, source)


def _scan_markdown(text: str, source: Source) -> None:
    for segment in split_markdown(text):
        part = source.part(segment.line, "doc", warned=segment.warned)
        if segment.kind == "frontmatter":
            _scan_frontmatter(segment, source)
        elif segment.kind == "prose":
            scan_prose(segment.text, part)
            scan_prerequisites(segment.text, part)
            _scan_blobs(segment.text, part)
        elif segment.kind == "hidden":
            scan_prose(segment.text, source.part(segment.line, "hidden"), hidden=True)
            _scan_blobs(segment.text, source.part(segment.line, "hidden"))
        elif segment.kind == "script":
            scan_script(segment.text, source.part(segment.line, "script"))
        elif segment.kind == "inline":
            if _LOOKS_LIKE_SHELL.match(segment.text):
                scan_shell(segment.text, part)
        else:
            _scan_fence(segment, part)


def _scan_frontmatter(segment: Segment, source: Source) -> None:
    part = source.part(segment.line, "doc")
    data = load_yaml(segment.text)
    if not isinstance(data, dict):
        part.find("content.frontmatter", 0, "not a map")
    scan_prose(segment.text, part, hidden=False)
    for command in re.findall(
        r"(?m)^\s*(?:-\s*)?(?:command|run|hook|script|install)\s*:\s*[\"']?(.+?)[\"']?\s*$", segment.text
    ):
        scan_shell(command, source.part(segment.line, "hook"))
    for key, value in (data if isinstance(data, dict) else {}).items():
        if key == "allowed-tools":
            part.can("wishes tools", value if isinstance(value, str) else " ".join(map(str, value)), 0)


def _scan_fence(segment: Segment, source: Source) -> None:
    language = LANGUAGES.get(segment.language, "")
    text = segment.text
    if language == "html":
        for inner in split_html(text):
            if inner.kind == "script":
                scan_script(inner.text, source.part(inner.line, "doc"))
            else:
                scan_prose(inner.text, source.part(inner.line, "doc"), code=True)
    elif language == "markdown":
        scan_prose(text, source, code=True)
        for inner in split_markdown(text):
            if inner.kind == "fence" and LANGUAGES.get(inner.language) == "shell":
                scan_shell(inner.text, source.part(inner.line, "doc", warned=inner.warned))
    elif language:
        _scan_code(language, text, source)
    elif _LOOKS_LIKE_SHELL.search(text) and segment.language in {
        "",
        "text",
        "txt",
        "plain",
        "plaintext",
        "cron",
        "dockerfile",
        "makefile",
    }:
        scan_shell(_PROMPT.sub("", text), source)
    if segment.language in {"json", "jsonc", "yaml", "yml", "toml"}:
        scan_manifest(f"example.{segment.language}", text, source)
    scan_prose(text, source, code=segment.language not in {"", "text", "txt", "plain", "plaintext", "prompt", "system"})
    _scan_blobs(text, source)


def _scan_html(text: str, source: Source) -> None:
    for segment in split_html(text):
        if segment.kind == "script":
            scan_script(segment.text, source.part(segment.line, "script"))
        elif len(segment.text) < 20_000:
            scan_prose(segment.text, source.part(segment.line, "hidden"), hidden=True)
    visible = re.sub(
        r"<(script|style)\b.*?(?:</\1|\Z)|<!--.*?(?:-->|\Z)|<[^<>]*>",
        lambda found: "\n" * found.group().count("\n") or " ",
        text,
        flags=re.DOTALL | re.IGNORECASE,
    )
    scan_prose(visible, source, code=True)


def _scan_notebook(text: str, source: Source) -> None:
    import json

    try:
        cells = json.loads(text).get("cells", [])
    except (ValueError, AttributeError, RecursionError):
        _scan_plain(text, source, executable=False)
        return
    for cell in cells:
        body = cell.get("source", "") if isinstance(cell, dict) else ""
        body = "".join(map(str, body)) if isinstance(body, list) else str(body)
        if cell.get("cell_type") == "code":
            scan_python(body, source)
            for command in re.findall(r"(?m)^\s*[!%](?:sh\s+|bash\s+)?(.*)$", body):
                scan_shell(command, source)
        else:
            _scan_markdown(body, source.part(0, "doc"))


def _scan_plain(text: str, source: Source, *, executable: bool) -> None:
    """Scan a text of unknown kind: as prose, and as shell code when it looks like it."""
    if executable or len(_LOOKS_LIKE_SHELL.findall(text[:200_000])) >= 1:
        scan_shell(text, source if executable else source.part(0, "doc"))
    scan_prose(text, source.part(0, "doc"))
    scan_prerequisites(text, source.part(0, "doc"))
    if re.search(r"\b(?:import|require|function|def|eval|exec)\b", text):
        scan_script(text, source.part(0, "script" if executable else "doc"))


_COMMENT = re.compile(r"(?m)^[ \t]*(?:#|//|--|;|REM\b|'|\*|/\*)[ \t]?(.*)$|/\*(.*?)\*/", re.DOTALL)
_LINE_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))(?:#|//|--|REM\b|\*|/\*)[ \t]*([^\n]{12,2000})$")


def _scan_comments(language: str, text: str, source: Source) -> None:
    """Scan the comments of code, and long texts in Python, for orders to the model."""
    if len(text) > 2_000_000:
        return
    lines = Lines(text)
    pieces: list[str] = []
    last = 0
    for found in _LINE_COMMENT.finditer(text):
        at = lines.at(found.start(1))
        pieces.append("\n" * (at - last) + found.group(1))
        last = at
    scan_prose("".join(pieces), source, code=True)
    if language == "python":
        for line, value in strings_of(text):
            scan_prose(value, source.part(line, source.role), code=True)
    else:
        for found in re.finditer(r"[\"'`]([^\"'`\n]{24,1000})[\"'`]", text):
            scan_prose(found.group(1), source.part(lines.at(found.start()), source.role), code=True)


def _scan_blobs(text: str, source: Source) -> None:
    """Decode what is encoded, and scan what it decodes to."""
    lines = Lines(text)
    seen: set[bytes] = set()
    for found in find_encoded(text):
        if found.data in seen or source.layers >= MAX_LAYERS:
            continue
        seen.add(found.data)
        line = lines.at(found.offset)
        if found.program:
            source.find("code.encoded-data", line, f"{found.program} ({found.how})")
        elif found.active:
            decoded = found.text
            rule = "code.encoded-data"
            source.find(rule, line, f"{decoded[:100]} ({found.how})")
            nested = source.nested(line, role="hidden" if source.role == "hidden" else "script")
            scan_prose(decoded[:20_000], nested, hidden=True)
            scan_shell(decoded[:20_000], nested)
        elif found.text:
            scan_prose(found.text[:20_000], source.nested(line, role="hidden"), hidden=True)


def _destinations(entries: list[Entry]) -> Destinations:
    """Read which hosts the skill declares for its credentials, and what documents it."""
    declared: dict[str, frozenset[str]] = {}
    documentation: list[str] = []
    for entry in entries:
        name = PurePosixPath(entry.path).name.lower()
        if entry.kind != "file" or not name.endswith(".md"):
            continue
        text = entry.data[:1_000_000].decode("utf-8", "replace")
        documentation.append(text)
        if entry.path.lower() == "skill.md":
            front = next((part for part in split_markdown(text) if part.kind == "frontmatter"), None)
            data = load_yaml(front.text) if front else None
            declared = dict(_declared(data))
    return Destinations(declared=declared, documentation="\n".join(documentation).lower())


def _declared(data: Any) -> list[tuple[str, frozenset[str]]]:
    metadata = data.get("metadata") if isinstance(data, dict) else None
    places = [data, metadata, metadata.get("hermes") if isinstance(metadata, dict) else None]
    found = []
    for place in places:
        table = place.get("credential_destinations") if isinstance(place, dict) else None
        for name, hosts in (table if isinstance(table, dict) else {}).items():
            listed = [hosts] if isinstance(hosts, str) else hosts if isinstance(hosts, list) else []
            names = {re.sub(r"^https?://|[:/].*$", "", str(host)).lower() for host in listed}
            # One secret goes to one host: a list of many declares nothing.
            if 0 < len(names) <= 3 and not any(classify_host(host) == "drop" for host in names):
                found.append((str(name).upper(), frozenset(names)))
    return found


def _relate(recorder: Recorder) -> None:
    """Relate files: one that reads private files, and another that sends data to an unknown host."""
    if (
        not recorder.secrets_read
        or not recorder.uploads
        or any(finding.severity == "dangerous" for finding in recorder.findings.values())
    ):
        return
    label, (file, line) = next(iter(recorder.secrets_read.items()))
    host, (other, _) = next(iter(recorder.uploads.items()))
    recorder.add(
        "code.secret-undeclared", file, line, f"reads {label.partition(':')[2]}, and {other} sends data to {host}"
    )


def _check_name(path: Path, files: Mapping[str, Entry], recorder: Recorder) -> None:
    """Find names that imitate another skill: a well-known name with a random suffix, or with look-alike letters."""
    names = {path.name: 1}
    skill = files.get("SKILL.md") or files.get("skill.md")
    if skill:
        for number, line in enumerate(skill.data[:4_096].decode("utf-8", "replace").split("\n")[:40]):
            if found := re.match(r"name:\s*[\"']?([^\"'\n]+?)[\"']?\s*$", line):
                names[found.group(1)] = number + 1
    for name, at in names.items():
        split = _RANDOM_SUFFIX.match(name)
        random = split is not None and split.group("base") in _KNOWN_SKILLS and _is_random(split.group("suffix"))
        if random or (not name.isascii() and _imitates(name)):
            recorder.add("content.look-alike", "SKILL.md", at, name)


def _is_random(suffix: str) -> bool:
    digits = sum(char.isdigit() for char in suffix)
    vowels = sum(char in "aeiouy" for char in suffix)
    changes = sum(first.isdigit() != second.isdigit() for first, second in pairwise(suffix))
    return (
        changes >= 2 or (not digits and len(suffix) >= 4 and vowels == 0) or (digits == len(suffix) and len(suffix) > 4)
    )


def _imitates(name: str) -> bool:
    from hermes_tools_skills.scanner.prose import normalize

    return (
        normalize(name).isascii()
        and any(char.isascii() and char.isalpha() for char in name)
        and any("\u0370" <= char <= "\u058f" for char in name)
    )
