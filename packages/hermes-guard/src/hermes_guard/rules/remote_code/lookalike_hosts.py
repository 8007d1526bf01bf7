"""Detects look-alike hosts: letters of other scripts, symbols that resemble a slash, hosts written as user names."""

import unicodedata
from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.deceptive_text import mixed
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.remote_code.rules import DECEPTIVE, FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

_PROGRAMS = names(
    "curl curl.exe wget wget2 wget.exe fetch aria2c axel http https xh curlie lynx links w3m git gh glab hg svn pip "
    "pip3 pipx uv uvx poetry npm npx pnpm yarn bun bunx deno go cargo gem brew composer conda docker podman helm "
    "kubectl ssh scp sftp rsync mosh ftp lftp nc ncat telnet open xdg-open start psql mysql"
)
_URL = re.compile(r"[a-zA-Z][\w+.-]*://([^/?#\\\s]*)")
#: `user@host:path` and a bare host with a path, as curl and ssh accept them.
_BARE = re.compile(r"(?:[\w.-]+@)?([^\s/:@=,]+\.[^\s/:@=,]+)(?:[:/]|\Z)")
#: Characters that resemble those which end a host, separate its parts, or mark a user name.
_SIGNS = re.compile(
    "[\u2044\u2215\u29f8\u29f5\u2571\u2cc6\u3033\u30ce\uff0f\u3002\uff0e\uff61\u2024\ufe52\ua4f8\u0701\uff20\ufe6b\uff1a"
    "\u2236\ua789\ufe55\uff1f\uff03]"
)
#: Letters that resemble Latin ones: Cyrillic, Greek and Armenian.
_ALIKE = frozenset(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u04cf\u0454\u0432\u043a\u043c"
    "\u043d\u0442\u0433\u0448\u0491\u0475\u04af\u0261\u03b1\u03bf\u03bd\u03c1\u03b9\u03ba\u03c5\u03c4\u03b7\u03c9\u03b3"
    "\u0585\u057d\u0578\u0570\u0566\u0581\u04c0"
)
#: Names that are often imitated: even an accent makes a look-alike.
_BRANDS = names(
    "github gitlab google apple microsoft paypal amazon npmjs pypi docker anthropic openai facebook netflix debian "
    "ubuntu python rust-lang golang homebrew cloudflare githubusercontent huggingface stripe coinbase binance"
)
#: Letters with a stroke or without a dot, which have no Unicode decomposition.
_STROKES = str.maketrans("\u0131\u0142\u00f8\u0111\u0127\u0167\u0180\u0268", "ilodhtbi")
_TOP = names("com org net io dev gov edu app co cloud ai")
#: No host has a longer name.
_MAX_LENGTH = 260


@FAMILY.judges(*_PROGRAMS)
def hosts(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about URLs that resemble others."""
    before = ""
    for word in command.args:
        text = word.raw
        if not text.isascii() or "xn--" in text or "@" in text:
            found = _deceives(text.replace(HOLE, ""), bare=not before.startswith("-"))
            if found:
                yield DECEPTIVE.found(command, path=found)
                return
        before = text


def _deceives(text: str, *, bare: bool) -> str:
    """Return the look-alike host in a word, or an empty string."""
    match = _URL.search(text[: 2 * _MAX_LENGTH]) or (_BARE.match(text[:_MAX_LENGTH]) if bare else None)
    if match is None or len(match[1]) > _MAX_LENGTH:
        return ""
    authority = match[1]
    user, _, host = authority.rpartition("@")
    if _SIGNS.search(authority) or _names_host(user.partition(":")[0]):
        return authority
    labels = host.partition(":")[0].split(".")
    return authority if any(_alike(_decoded(label), labels[-1]) for label in labels) else ""


def _names_host(user: str) -> bool:
    """Return True for a user name that looks like a host: `https://github.com@evil.example`."""
    return "." in user and "%40" not in user and user.rpartition(".")[2].lower() in _TOP


def _decoded(label: str) -> str:
    if not label.lower().startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except ValueError:
        # Its appearance is unknown.
        return "a\u0430"


def _alike(label: str, top: str) -> bool:
    if label.isascii():
        return False
    if mixed(label):
        return True
    letters = [char for char in label.lower() if char.isalpha()]
    if top.isascii() and not top.startswith("xn--") and all(char in _ALIKE for char in letters):
        return True
    parts = unicodedata.normalize("NFKD", label.lower().translate(_STROKES))
    return "".join(char for char in parts if not unicodedata.combining(char)) in _BRANDS
