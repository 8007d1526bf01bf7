"""Tells the charsets of Latin letters apart, by which language has all the letters that each would make of a text."""

from __future__ import annotations

_LANGUAGES = {
    "cp1252": (
        "àâæçèéêëîïôœùûüÿ",  # French
        "äöüßé",  # German
        "áéíñóúüªº",  # Spanish
        "ãáâàçéêíóôõúüªº",  # Portuguese
        "àèéìíîòóùúªº",  # Italian
        "åäöéüà",  # Swedish, Finnish
        "æøåéóòôü",  # Danish, Norwegian
        "áéëïíóöúüèêçàâîôûñ",  # Dutch, and words that English borrowed
        "áéíóúýþæöð",  # Icelandic
        "àçèéíïòóúü",  # Catalan
    ),
    "cp1250": (
        "ąćęłńóśźż",  # Polish
        "áčďéěíňóřšťúůýž",  # Czech
        "áäčďéíĺľňóôŕšťúýž",  # Slovak
        "áéíóöőúüű",  # Hungarian
        "ăâîşţ",  # Romanian
        "čćđšž",  # Croatian, Slovenian
    ),
    "iso8859_2": ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ăâîşţ", "čćđšž"),
    "cp1254": ("çğıöşüâîûi̇",),  # Turkish
    "cp1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž"),  # Lithuanian, Latvian, Estonian
}
"""In the order in which they are tried: the first is what nearly all texts without a label are written in."""
_FALLBACK = "cp1252"
_NO_LETTERS = "³¹²¿¡¼½¾"


def latin_charset(text: bytes) -> str:
    """The charset in which a text of Latin letters makes sense; the most common one when it does in none.

    Args:
        text: Some of the text, without markup.
    """
    for name, languages in _LANGUAGES.items():
        letters = _letters(text, name)
        if letters is not None and any(letters <= set(language) for language in languages):
            return name
    return _FALLBACK


def _letters(text: bytes, name: str) -> set[str] | None:
    """The letters beyond ASCII that a charset makes of a text; None when it makes signs that stand in no text."""
    read = text.decode(name, "replace")
    if any(_is_out_of_place(read, place) for place, char in enumerate(read) if char > "\x7f"):
        return None
    return {small for char in set(read) if char > "\x7f" and char.isalpha() for small in char.lower()}


def _is_out_of_place(text: str, place: int) -> bool:
    """Whether a control character stands there, or a sign between two letters of a word."""
    char = text[place]
    if "\x80" <= char <= "\x9f" or char == "\ufffd":
        return True
    return char in _NO_LETTERS and text[place - 1 : place].isalpha() and text[place + 1 : place + 2].isalpha()
