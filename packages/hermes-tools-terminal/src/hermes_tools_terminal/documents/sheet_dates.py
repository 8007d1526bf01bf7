"""Dates in a workbook: numbers of days that only a cell's style tells from other numbers."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta
from typing import Final

_BUILT_IN: Final = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
"""The numbers of the formats for dates and times that every workbook has."""

_NO_LETTERS_OF_A_DATE: Final = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?:[^hms\]][^\]]*)?\]|General', re.IGNORECASE)
"""Parts of a format that may have a `d` or an `m` but mean no date, such as `[Red]` or a unit in quotation marks."""

_LAST: Final = 2_958_465
"""The number of the last day that there is, in the year 9999."""


class Styles:
    """Knows which styles of a workbook's cells are dates."""

    def __init__(self) -> None:
        self._formats: dict[str, str] = {}
        self._dates: list[bool] = []
        self._of_cells = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take in a tag of the part that has the styles."""
        if tag == "numFmt":
            self._formats[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
        elif tag == "cellXfs":
            self._of_cells = True
        elif tag == "xf" and self._of_cells:
            self._dates.append(self._means_date(attributes.get("numFmtId", "")))

    def end(self, tag: str) -> None:
        """Take in the end of a tag."""
        if tag == "cellXfs":
            self._of_cells = False

    def is_date(self, style: str) -> bool:
        """Whether cells of a style are dates.

        Args:
            style: The style's number, as a cell has it.
        """
        return style.isascii() and style.isdecimal() and len(style) < 7 and any(self._dates[int(style) :][:1])

    def _means_date(self, number: str) -> bool:
        if number in self._formats:
            return re.search("[ymdhs]", _NO_LETTERS_OF_A_DATE.sub("", self._formats[number]), re.IGNORECASE) is not None
        return number.isascii() and number.isdecimal() and len(number) < 7 and int(number) in _BUILT_IN


def told_date(value: str, *, from_1904: bool = False) -> str:
    """A number of days as a date, a time or both; what is none stays as it is.

    Args:
        value: The number.
        from_1904: Whether days are counted from 1904 on, as on old Macs.
    """
    try:
        days = float(value)
    except ValueError:
        return value
    if not math.isfinite(days) or not 0 <= days < _LAST:
        return value
    if days < 1:
        return str(datetime(1900, 1, 1) + timedelta(seconds=round(days * 86400)))[11:]
    # Its makers took 1900 for a leap year, so days before that March are one further than counted.
    start = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30 if days >= 60 else 31)
    moment = start + timedelta(seconds=round(days * 86400))
    return moment.date().isoformat() if days == int(days) else moment.isoformat(" ")
