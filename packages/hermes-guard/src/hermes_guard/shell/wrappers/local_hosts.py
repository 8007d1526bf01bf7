"""Recognizes host names of the local machine."""

from collections.abc import Sequence

from hermes_guard import lazy_re as re
from hermes_guard.shell.word import Word

#: `127.1`, `0x7f000001` and `2130706433` are all 127.0.0.1, and the whole net 127 is local.
_LOOPBACK = re.compile(
    r"(?:localhost[46]?(?:\.localdomain[46]?)?|ip6-(?:localhost|loopback)|(?:[\w-]+\.)?localhost"
    r"|(?:127|0x7f|0177)(?:\.\w{1,10}){1,3}|0x7f[0-9a-f]{6}|0177[0-7]{8}|21307\d{5}|214[0-6]\d{6}|2147[0-3]\d{5}"
    r"|(?:0*:){2,7}0*1|::ffff:127(?:\.\d+){3}|0(?:\.0){0,3}|::)\.?\Z",
    re.IGNORECASE,
)
_OWN_NAME = re.compile(
    r"""["']?(?:\w+@)?(?:\$\{?(?:HOSTNAME|HOST)\}?|(?:\$\(|`)hostname(?: -[fsiI])?(?:\)|`))["']?\Z"""
)
_ADDRESS = re.compile(r"(?:ssh://)?(?:[^@/]*@)?(?:\[([^\]]*)\]|([^/]*?))(?::\d+)?/?\Z")
_HOST_NAME = re.compile(r"host\s*name\s*[= ]\s*(\S+)", re.IGNORECASE)


def is_here(host: Word, settings: Sequence[Word] = ()) -> bool:
    """Return True when a host name for ssh leads back to this machine; `settings` are the values of `-o`."""
    if _OWN_NAME.match(host.source):
        return True
    names = [found.group(1) for word in settings if (found := _HOST_NAME.match(word.raw))]
    return any(_leads_here(name) for name in (*names, host.raw))


def _leads_here(name: str) -> bool:
    bare = name.rsplit("@", 1)[-1]
    if _LOOPBACK.match(bare):
        return True
    found = _ADDRESS.match(name[:256])
    return found is not None and _LOOPBACK.match(found.group(1) or found.group(2) or "") is not None
