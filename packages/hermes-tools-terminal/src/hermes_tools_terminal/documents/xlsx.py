"""Extract the text of an Excel workbook: the values of its visible sheets, one line for each row."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta
from typing import Final

from hermes_tools_terminal.documents.extractors import DocumentError
from hermes_tools_terminal.documents.office_archive import Package

_BUILT_IN: Final = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
"""The ids of the built-in date and time formats."""

_NO_LETTERS_OF_A_DATE: Final = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?:[^hms\]][^\]]*)?\]|General', re.IGNORECASE)
"""Parts of a format whose letters do not denote a date, such as `[Red]` or a quoted unit."""

_LAST: Final = 2_958_465
"""The number of the last supported day, in the year 9999."""


class Styles:
    """Knows which cell styles are dates."""

    def __init__(self) -> None:
        self._formats: dict[str, str] = {}
        self._dates: list[bool] = []
        self._of_cells = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Process the start of an element of the styles part."""
        if tag == "numFmt":
            self._formats[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
        elif tag == "cellXfs":
            self._of_cells = True
        elif tag == "xf" and self._of_cells:
            self._dates.append(self._means_date(attributes.get("numFmtId", "")))

    def end(self, tag: str) -> None:
        """Process the end of an element."""
        if tag == "cellXfs":
            self._of_cells = False

    def is_date(self, style: str) -> bool:
        """Return whether cells with a style number contain dates."""
        return style.isascii() and style.isdecimal() and len(style) < 7 and any(self._dates[int(style) :][:1])

    def _means_date(self, number: str) -> bool:
        if number in self._formats:
            return re.search("[ymdhs]", _NO_LETTERS_OF_A_DATE.sub("", self._formats[number]), re.IGNORECASE) is not None
        return number.isascii() and number.isdecimal() and len(number) < 7 and int(number) in _BUILT_IN


def format_date(value: str, *, from_1904: bool = False) -> str:
    """Format a number of days, counted from 1904 on old Macs, as a date, a time or both; other text is returned
    unchanged.
    """
    try:
        days = float(value)
    except ValueError:
        return value
    if not math.isfinite(days) or not 0 <= days < _LAST:
        return value
    if days < 1:
        return str(datetime(1900, 1, 1) + timedelta(seconds=round(days * 86400)))[11:]
    # Excel treats 1900 as a leap year, so earlier days are off by one.
    start = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30 if days >= 60 else 31)
    moment = start + timedelta(seconds=round(days * 86400))
    return moment.date().isoformat() if days == int(days) else moment.isoformat(" ")


KIND: Final = "Excel workbook"

MAX_BYTES: Final = 50 * 1024 * 1024
MAX_ROWS: Final = 5000
MAX_COLUMNS: Final = 256
"""The limits for the size of a workbook, and for the rows and columns of each sheet."""

_CELL: Final = re.compile(r"([A-Za-z]{1,3})[0-9]+")


def extract_text(data: bytes) -> str:
    """Return the text of a workbook: for each visible sheet its name, then its rows with tabs between cells.

    Raises:
        DocumentError: It is damaged or too large.
    """
    if len(data) > MAX_BYTES:
        raise DocumentError(KIND, f"it has {len(data):,} bytes, more than {MAX_BYTES:,}.")
    package = Package(data, KIND)
    book = package.main_part("xl/workbook.xml")
    links = package.links(book)
    targets = {link.name: link.target for link in links}
    shared, styles = _SharedStrings(), Styles()
    for link in links:
        if link.type.endswith("/sharedStrings"):
            package.parse(link.target, shared.start, shared.end, shared.letters)
        elif link.type.endswith("/styles"):
            package.parse(link.target, styles.start, styles.end, lambda _: None)
    contents = _WorkbookInfo()
    package.parse(book, contents.start, lambda _: None, lambda _: None)
    parts = []
    for name, reference in contents.visible:
        sheet = _SheetReader(shared.texts, styles, contents.from_1904)
        package.parse(targets.get(reference, reference), sheet.start, sheet.end, sheet.letters)
        parts.append("\n".join([f"## Sheet: {name}", *sheet.lines, *sheet.notes()]))
    return "\n\n".join(parts)


class _WorkbookInfo:
    """Collects the visible sheets and the date system."""

    def __init__(self) -> None:
        self.visible: list[tuple[str, str]] = []
        self.from_1904 = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "sheet" and attributes.get("state", "visible") == "visible":
            self.visible.append((attributes.get("name", "?"), attributes.get("id", "")))
        elif tag == "workbookPr":
            self.from_1904 = attributes.get("date1904") in {"1", "true"}


class _SharedStrings:
    """Collects the shared strings."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._letters: list[str] = []
        self._open = False
        self._phonetic = 0

    def start(self, tag: str, _: dict[str, str]) -> None:
        self._open = tag == "t" and not self._phonetic
        self._phonetic += tag == "rPh"  # skip phonetic hints of Japanese words

    def letters(self, text: str) -> None:
        if self._open:
            self._letters.append(text)

    def end(self, tag: str) -> None:
        self._open = False
        self._phonetic -= tag == "rPh"
        if tag == "si":
            self.texts.append("".join(self._letters))
            self._letters = []


class _SheetReader:
    """Collects the rows of a sheet."""

    def __init__(self, shared: list[str], styles: Styles, from_1904: bool) -> None:
        self.lines: list[str] = []
        self._shared = shared
        self._styles = styles
        self._from_1904 = from_1904
        self._rows = 0
        self._wide = False
        self._cells: dict[int, str] = {}
        self._column = 0
        self._type = self._style = ""
        self._value: list[str] = []
        self._open = False

    def notes(self) -> list[str]:
        """Describe what was left out."""
        more = [f"[{self._rows - MAX_ROWS} more rows are not shown.]"] if self._rows > MAX_ROWS else []
        return more + ([f"[Columns after the first {MAX_COLUMNS} are not shown.]"] if self._wide else [])

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "row":
            self._rows += 1
            self._cells, self._column = {}, 0
        elif tag == "c":
            self._column = _column(attributes.get("r", ""), self._column + 1)
            self._type, self._style, self._value = attributes.get("t", "n"), attributes.get("s", ""), []
        self._open = tag in {"v", "t"}

    def letters(self, text: str) -> None:
        if self._open and self._rows <= MAX_ROWS:
            self._value.append(text)

    def end(self, tag: str) -> None:
        self._open = False
        if tag == "c" and self._value:
            self._wide |= self._column > MAX_COLUMNS
            if self._column <= MAX_COLUMNS:
                self._cells[self._column] = self._format("".join(self._value))
        elif tag == "row" and self._cells and self._rows <= MAX_ROWS:
            self.lines.append("\t".join(self._cells.get(column, "") for column in range(1, max(self._cells) + 1)))

    def _format(self, value: str) -> str:
        if self._type == "s":
            index = int(value) if value.isascii() and value.strip().isdecimal() else -1
            value = self._shared[index] if 0 <= index < len(self._shared) else "?"
        elif self._type == "b":
            value = "TRUE" if value.strip() == "1" else "FALSE"
        elif self._type == "n" and self._styles.is_date(self._style):
            value = format_date(value, from_1904=self._from_1904)
        return value.replace("\t", " ").replace("\n", " ")


def _column(reference: str, otherwise: int) -> int:
    """Return the column number of a cell, counted from 1."""
    found = _CELL.fullmatch(reference)
    if found is None:
        return otherwise
    number = 0
    for letter in found[1].upper():
        number = 26 * number + ord(letter) - ord("A") + 1
    return number
