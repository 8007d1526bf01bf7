"""What a question shows without naming it: who writes 81.2.69.142 asks about an IP address, though no word says so."""

from __future__ import annotations

import re
from collections.abc import Container
from itertools import islice

from hermes_core.search.stems import stem

_UNIT = (
    r"(?:km|miles?|met(?:er|re)s?|feet|ft|inch(?:es)?|cm|mm|kg|kilos?|lbs?|pounds?|ounces?|oz|grams?|celsius|fahrenheit|"
    r"°[CF]|gallons?|lit(?:er|re)s?|cups?|acres?|hectares?|[kmgt]i?b)"
)
_OF_PEOPLE = r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.\w+"
_OF_PAGES = r"https?://\S+|www\.\S+"
ADDRESSES = re.compile(rf"{_OF_PAGES}|{_OF_PEOPLE}(?:\.\w+)*")
_SHAPES = (
    (_OF_PEOPLE, "email address"),
    (_OF_PAGES, "url website page"),
    (r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])", "ip address"),
    (r"-?\d{1,3}\.\d{2,}\s*,\s*-?\d{1,3}\.\d{2,}", "coordinates latitude longitude location"),
    (r"(?<!\w)\+\d[\d ()/-]{6,}\d", "phone number"),
    (
        r"(?<![\w@/.-])(?:[a-z0-9-]{1,63}\.)+(?:com|org|net|io|dev|app|info|edu|gov|co|de|fr|uk|eu)(?![\w@])",
        "domain website",
    ),
    (r"(?<!\S)#[a-z][\w-]+", "channel tag"),
    (r"\w\.(?:jpe?g|png|gif|webp|heic|tiff?|bmp)\b", "image file"),
    (r"\w\.(?:docx?|pdf|txt|md|odt|rtf)\b", "document file"),
    (r"\w\.(?:xlsx?|csv|tsv|ods)\b", "spreadsheet file"),
    (r"\w\.(?:mp3|wav|flac|ogg|m4a)\b", "audio file"),
    (r"\w\.(?:mp4|mov|avi|mkv|webm)\b", "video file"),
    (r"\w\.(?:zip|tar|t?gz|rar|7z)\b", "archive file"),
    (r"\w\.(?:json|ya?ml|toml|ini|cfg|conf|xml|html?|css|[jt]sx?|py|java|go|rs|cpp|sh|sql|log|ipynb)\b", "file"),
    (r"(?<![\w/.~])(?:~|\.{1,2})?/[\w.-]+(?:/[\w.-]*)*", "file path"),
    (r"\b\d{1,2}:\d{2}\b", "time"),
    (r"[$€£¥]\s?\d|\d\s?[$€£¥]", "money price"),
    (rf"\d ?{_UNIT} (?:in|to|into) {_UNIT}\b", "convert unit"),
    (r"\d ?[*×÷^] ?\d|\d [-+/x] \d|\w\^\d|\d ?% of \d", "calculate math expression"),
    (r"\d\s?%", "rate percent"),
    (r"\b0x[0-9a-fA-F]{6,}", "crypto wallet address transaction"),
)
_ANY = re.compile("|".join(f"({shape})" for shape, _ in _SHAPES))
_HINTS = [words.split() for _, words in _SHAPES]
_MOST = 8
"""Shapes that are looked at, the first ones."""


def hints(text: str, known: Container[str]) -> list[str]:
    """Words for the things that a text shows: addresses, telephone numbers, places on the map, files, amounts, sums.

    Args:
        text: The text.
        known: Stems that tools have. Who writes Booking.com where a tool is called so means that one, and no domain.
    """
    found: dict[str, None] = {}
    for shown in islice(_ANY.finditer(text), _MOST):
        parts = shown[0].lower().split(".")
        if not any(it.isalpha() and len(it) > 2 and stem(it) in known for it in (parts[0], "".join(parts))):
            found.update(dict.fromkeys(_HINTS[(shown.lastindex or 1) - 1]))
    return list(found)
