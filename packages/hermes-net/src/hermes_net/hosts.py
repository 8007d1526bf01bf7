"""Normalize hosts, such as `LOCALHOST.` and `0x7f.1`, and refuse names with a special meaning."""

from __future__ import annotations

import re
import unicodedata
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from hermes_net.addresses import Address
from hermes_net.errors import Refusal

_MAX_NAME = 253
_MAX_WRITTEN = 1024
"""No name of 253 characters needs more."""
_ENCODED = "xn--"
_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_MAX_DIGITS = 64
"""Longer numbers are not addresses."""
_OCTAL = frozenset("01234567")
_DOTS = re.compile("[.。．｡]")
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""Characters that some programs drop from names."""
_IN_CONTEXT = frozenset("\u00b7\u0375\u05f3\u05f4\u200c\u200d\u30fb")
"""Joiners and dots inside words: each is valid only between letters of its script (RFC 5892, Appendix A)."""
_IPV6 = re.compile(r"[0-9a-f:.]{2,45}")


def parse_host(written: str) -> tuple[str, tuple[Address, ...]]:
    """Normalize a host, and return the addresses it spells out.

    There are several when programs disagree: `010.1.1.1` starts with 8 or with 10.

    Raises:
        Refusal: it is not a host, or programs disagree too much.
    """
    if written.startswith("["):
        address = _bracketed(written)
        return str(address), (address,)
    if not written:
        raise Refusal("not_a_url", "The URL has no host.")
    if len(written) > _MAX_WRITTEN:
        raise Refusal("not_a_url", "The host is longer than a name can be.")
    labels = [_label(label) for label in _DOTS.split(written)]
    if len(labels) > 1 and not labels[-1]:
        del labels[-1]
    name = ".".join(labels)
    if not all(labels) or len(name) > _MAX_NAME:
        raise Refusal("spelling", f"{written[:80]!r} is not a host name.")
    if not _NUMBER.fullmatch(labels[-1]):
        return name, ()
    addresses = _readings(labels)
    if not addresses:
        raise Refusal("spelling", f"{name[:80]!r} ends like an address but is not one.")
    return str(addresses[0]) if len(addresses) == 1 else name, addresses


def _bracketed(written: str) -> IPv6Address:
    inner = written[1:-1].lower()
    try:
        if not written.endswith("]") or not _IPV6.fullmatch(inner):
            raise AddressValueError
        return IPv6Address(inner)
    except AddressValueError:
        raise Refusal("spelling", f"{written[:80]!r} is not an IPv6 address.") from None


def _label(written: str) -> str:
    """Convert a label to ASCII and lower case, as browsers do."""
    label = written.lower() if written.isascii() else _mapped(written)
    if not label.isascii():
        if label.startswith(_ENCODED):
            raise Refusal("spelling", f"The host contains invalid characters: {written[:80]!r}.")
        label = _ENCODED + label.encode("punycode").decode("ascii")
    elif label.startswith(_ENCODED) and not _is_encoded(label):
        raise Refusal("spelling", f"{label[:80]!r} is not a valid encoded name.")
    if any(map(str.isdecimal, written)) and _NUMBER.fullmatch(_in_digits(written)) and not _NUMBER.fullmatch(label):
        raise Refusal("spelling", f"Some programs interpret {written[:80]!r} as a number.")
    if label and not _LABEL.fullmatch(label):
        raise Refusal("spelling", f"The host contains invalid characters: {written[:80]!r}.")
    return label


def _mapped(written: str) -> str:
    """Map a label with UTS #46. Emoji are kept, as in browsers, so the stricter rules of IDNA 2008 do not apply."""
    import idna  # slow to import, and rarely needed

    try:
        label = idna.uts46_remap(written, std3_rules=False)
        in_context = {place for place, char in enumerate(label) if char in _IN_CONTEXT}
        is_valid = all(idna.valid_contextj(label, at) or idna.valid_contexto(label, at) for at in in_context)
    except ValueError:  # also of a joiner beside an unknown character
        is_valid = False
    if not is_valid or not all(map(_is_visible, unicodedata.normalize("NFKC", written))):
        raise Refusal("spelling", f"The host contains invalid characters: {written[:80]!r}.")
    return label


def _is_visible(char: str) -> bool:
    """Return whether no program drops a character from names; otherwise an address could look like a name."""
    category = unicodedata.category(char)
    is_letter = category[0] in "LMN" or category == "So" or char in _IN_CONTEXT or char in "-_\u0f0b"
    return is_letter and not _UNSEEN.match(char)


def _is_encoded(label: str) -> bool:
    """Return whether a label is the valid encoding of a Unicode name."""
    try:
        meant = label.removeprefix(_ENCODED).encode("ascii").decode("punycode")
        return not meant.isascii() and _label(meant) == label
    except (UnicodeError, Refusal):
        return False


def _in_digits(text: str) -> str:
    """Convert the digits of all scripts to ASCII."""
    return "".join(str(unicodedata.decimal(char, char)) for char in text.lower())


# Numbers


def _readings(labels: list[str]) -> tuple[IPv4Address, ...]:
    """Return the addresses that one to four numbers stand for; most programs treat a leading zero as octal."""
    if len(labels) > 4 or any(len(label) > _MAX_DIGITS or not _NUMBER.fullmatch(label) for label in labels):
        return ()
    if any(map(_is_unclear, labels)):
        return ()
    found = (_address([_number(label, octal=octal) for label in labels]) for octal in (True, False))
    return tuple(dict.fromkeys(address for address in found if address is not None))


def _is_unclear(label: str) -> bool:
    """Return whether programs disagree if this is a number: `08` is invalid in octal, and `0x` is empty."""
    return label == "0x" or (label.startswith("0") and label.isdigit() and not set(label) <= _OCTAL)


def _number(label: str, *, octal: bool) -> int:
    if label.startswith("0x"):
        return int(label, 16)
    if octal and label.startswith("0"):
        return int(label, 8)
    return int(label)


def _address(numbers: list[int]) -> IPv4Address | None:
    """Combine numbers into an address: each is a byte, and the last fills the rest."""
    value = 0
    for place, number in enumerate(numbers):
        is_last = place == len(numbers) - 1
        bits = 8 * (4 - place) if is_last else 8
        if number >> bits:
            return None
        value += number if is_last else number << 8 * (3 - place)
    return IPv4Address(value)


# Names with a special meaning

_METADATA = frozenset(
    """
    metadata instance-data instance-data.ec2.internal metadata.google.internal metadata.goog metadata.internal
    metadata.azure.internal metadata.azure.com metadata.aws.internal metadata.oraclecloud.com metadata.tencentyun.com
    metadata.platformequinix.com metadata.packet.net api.metadata.cloud.ibm.com metadata.ec2.internal rancher-metadata
    metadata.service.consul wireserver.azure.com
    """.split()  # noqa: SIM905 - shorter than a list
)
"""Names of cloud metadata services."""

_THIS_MACHINE = frozenset(
    """
    localhost localdomain ip6-localhost ip6-loopback localhost4 localhost6 localdomain4 localdomain6 broadcasthost
    """.split()  # noqa: SIM905 - as above
)
_PRIVATE = frozenset(
    """
    consul corp home home.arpa i2p internal intranet kubernetes.default lan local onion private svc
    """.split()  # noqa: SIM905 - as above
)
"""Domains that do not exist on the internet."""


def require_allowed_name(name: str, *, allow_private: bool) -> None:
    """Require a name that may be resolved.

    Raises:
        Refusal: it belongs to a metadata service, this machine or a private network.
    """
    for ending in parent_domains(name):
        if ending in _METADATA:
            raise Refusal("metadata", f"{name} is a cloud metadata service.")
    if not allow_private and (name in _THIS_MACHINE or name.rpartition(".")[2] in _THIS_MACHINE):
        raise Refusal("private", f"{name} is this machine.")
    if not allow_private and "." in name and not _PRIVATE.isdisjoint(parent_domains(name)[-2:]):
        raise Refusal("private", f"{name} is in a private network.")


def parent_domains(name: str) -> list[str]:
    """Return a name and its parent domains, longest first."""
    labels = name.split(".")
    return [".".join(labels[start:]) for start in range(len(labels))]
