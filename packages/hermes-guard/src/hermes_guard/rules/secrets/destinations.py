"""Recognizes destinations for data: local addresses, public drop sites, and cloud metadata services."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.rules.secrets.rules import METADATA
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

#: A local address.
HERE = re.compile(
    r"(?:\w+://)?(?:[^/@\s]*@)?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\]|host\.docker\.internal|"
    r"\w+\.localhost)(?=[:/?]|\Z)"
)
#: A local address inside of an argument.
NAMES_HERE = re.compile(r"(?:\A|[:/@=,\s])(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)(?=[:/?,\s]|\Z)")
#: Public servers where everyone can upload.
DROPS = re.compile(
    r"(?:transfer\.sh|file\.io|0x0\.st|termbin\.com|pastebin\.com|ix\.io|sprunge\.us|"
    r"paste\.rs|dpaste\.(?:com|org)|bashupload\.com|oshi\.at|gofile\.io|"
    r"anonfiles?\.com|catbox\.moe|litterbox\.catbox\.moe|webhook\.site|requestbin\.\w+|"
    r"pipedream\.net|requestcatcher\.com|beeceptor\.com|"
    r"interact\.sh|oast\.\w+|burpcollaborator\.net|ngrok(?:-free)?\.\w+|tmpfiles\.org|"
    r"uguu\.se|temp\.sh|hastebin\.com|rentry\.co|clbin\.com|"
    r"discord(?:app)?\.com/api/webhooks|api\.telegram\.org/bot|paste\.ee|ghostbin\.\w+|"
    r"wetransfer\.com|sendspace\.com|keep\.sh|pixeldrain\.com)"
)
_METADATA = re.compile(
    r"169\.254\.169\.254|169\.254\.170\.2|metadata\.google\.internal|100\.100\.100\.200|"
    r"\[?fd00:ec2::254\]?|0xA9FEA9FE|2852039166|169\.254\.42\.42|"
    r"metadata\.azure\.internal|instance-data(?:\.ec2\.internal)?/",
    re.IGNORECASE,
)


def metadata(urls: list[Word], command: Command) -> Iterator[Finding]:
    """Report a request to the metadata service from which a cloud hands out credentials."""
    for word in urls:
        if _METADATA.search(word.raw[:200]):
            yield METADATA.found(command, path=word.text)
            return
