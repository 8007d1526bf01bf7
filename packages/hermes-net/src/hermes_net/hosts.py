"""A host in its one spelling: `LOCALHOST.`, `0x7f.1` and `１２７.０.０.１` are what they lead to."""

from __future__ import annotations

import re
import unicodedata
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from hermes_net.addresses import Address
from hermes_net.errors import Refusal

_MAX_NAME = 253
_MAX_WRITTEN = 1024
"""Nobody writes a name of 253 characters in so many."""
_ENCODED = "xn--"
_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_MAX_DIGITS = 64
"""Longer numbers are no address for anybody."""
_OCTAL = frozenset("01234567")
_DOTS = re.compile("[.。．｡]")
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""Letters and marks that some programs drop from names."""
_IPV6 = re.compile(r"[0-9a-f:.]{2,45}")


def read_host(written: str) -> tuple[str, tuple[Address, ...]]:
    """A host as everybody would spell it, and the addresses that it says itself.

    There is more than one when programs read it differently: `010.1.1.1` begins with 8 or with 10.

    Raises:
        Refusal: it is no host, or one that programs read too differently.
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
        raise Refusal("spelling", f"{written[:80]!r} is not a name of a host.")
    if not _NUMBER.fullmatch(labels[-1]):
        return name, ()
    addresses = _readings(labels)
    if not addresses:
        raise Refusal("spelling", f"{name[:80]!r} ends like an address, and is none.")
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
    """A label in ASCII and lower case, mapped as browsers map it."""
    label = written.lower() if written.isascii() else _mapped(written)
    if not label.isascii():
        if label.startswith(_ENCODED):
            raise Refusal("spelling", f"The host has characters that names do not have: {written[:80]!r}.")
        label = _ENCODED + label.encode("punycode").decode("ascii")
    elif label.startswith(_ENCODED) and not _is_encoded(label):
        raise Refusal("spelling", f"{label[:80]!r} stands for no name.")
    if any(map(str.isdecimal, written)) and _NUMBER.fullmatch(_in_digits(written)) and not _NUMBER.fullmatch(label):
        raise Refusal("spelling", f"Some programs read {written[:80]!r} as a number.")
    if label and not _LABEL.fullmatch(label):
        raise Refusal("spelling", f"The host has characters that names do not have: {written[:80]!r}.")
    return label


def _mapped(written: str) -> str:
    """A label as UTS #46 maps it. Emoji stay, as in browsers, so the stricter rules of IDNA 2008 are not applied."""
    import idna  # its tables take a while to load, and few names need them

    try:
        if not all(map(_is_visible, unicodedata.normalize("NFKC", written))):
            raise idna.IDNAError
        return idna.uts46_remap(written, std3_rules=False)
    except idna.IDNAError:
        raise Refusal("spelling", f"The host has characters that names do not have: {written[:80]!r}.") from None


def _is_visible(char: str) -> bool:
    """Whether no program drops a character from names: with one that some drop, an address is a name for others."""
    category = unicodedata.category(char)
    return (category[0] in "LMN" or category == "So" or char in "-_") and not _UNSEEN.match(char)


def _is_encoded(label: str) -> bool:
    """Whether a label is the encoded form of some name in Unicode, and not a number in disguise."""
    try:
        meant = label.removeprefix(_ENCODED).encode("ascii").decode("punycode")
        return not meant.isascii() and _label(meant) == label
    except (UnicodeError, Refusal):
        return False


def _in_digits(text: str) -> str:
    """A text with the digits of every script in ours."""
    return "".join(str(unicodedata.decimal(char, char)) for char in text.lower())


# -- numbers -------------------------------------------------------------------------------------------------------


def _readings(labels: list[str]) -> tuple[IPv4Address, ...]:
    """What programs take one to four numbers for; most take a leading zero as octal, and some as nothing."""
    if len(labels) > 4 or any(len(label) > _MAX_DIGITS or not _NUMBER.fullmatch(label) for label in labels):
        return ()
    if any(map(_is_unclear, labels)):
        return ()
    found = (_address([_number(label, octal=octal) for label in labels]) for octal in (True, False))
    return tuple(dict.fromkeys(address for address in found if address is not None))


def _is_unclear(label: str) -> bool:
    """Whether programs disagree if this is a number at all: `08` is no octal one, and there is nothing in `0x`."""
    return label == "0x" or (label.startswith("0") and label.isdigit() and not set(label) <= _OCTAL)


def _number(label: str, *, octal: bool) -> int:
    if label.startswith("0x"):
        return int(label, 16)
    if octal and label.startswith("0"):
        return int(label, 8)
    return int(label)


def _address(numbers: list[int]) -> IPv4Address | None:
    """Numbers as an address: each is a byte, and the last fills what is left of the four."""
    value = 0
    for place, number in enumerate(numbers):
        is_last = place == len(numbers) - 1
        room = 8 * (4 - place) if is_last else 8
        if number >> room:
            return None
        value += number if is_last else number << 8 * (3 - place)
    return IPv4Address(value)
