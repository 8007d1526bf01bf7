"""Extract the text of a Word document: paragraphs, headings and tables."""

from __future__ import annotations

from hermes_tools_terminal.documents.office_archive import Package


def extract_text(data: bytes) -> str:
    """Return the text of a Word document, one line for each paragraph.

    Raises:
        DocumentError: It is damaged or too large.
    """
    body = _Body()
    package = Package(data, "Word document")
    package.parse(package.main_part("word/document.xml"), body.start, body.end, body.letters)
    return "\n".join(body.lines)


class _Body:
    """Collects the lines of a document."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._paragraph: list[str] = []
        self._rows: list[list[list[str]]] = []
        """The cells of the current row of each open table; tables can be nested."""
        self._heading = 0
        self._in_text = False
        self._doubled = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "Fallback":  # an alternative to content already read
            self._doubled += 1
        elif tag == "t":
            self._in_text = not self._doubled
        elif tag == "pStyle":
            self._heading = _level(attributes.get("val", ""))
        elif tag == "tbl":
            self._rows.append([])
        elif tag == "tr" and self._rows:
            self._rows[-1] = []
        elif tag == "tc" and self._rows:
            self._rows[-1].append([])

    def letters(self, text: str) -> None:
        if self._in_text:
            self._paragraph.append(text)

    def end(self, tag: str) -> None:
        if tag == "Fallback":
            self._doubled -= 1
        elif tag == "t":
            self._in_text = False
        elif tag in {"tab", "br", "cr", "noBreakHyphen"} and not self._doubled:
            self._paragraph.append({"tab": "\t", "noBreakHyphen": "-"}.get(tag, "\n"))
        elif tag == "p" and not self._doubled:
            self._end_paragraph()
        elif tag == "tr" and self._rows:
            self._put(" | ".join(" ".join(cell) for cell in self._rows[-1]), outside=True)
            self._rows[-1] = []
        elif tag == "tbl" and self._rows:
            self._rows.pop()

    def _end_paragraph(self) -> None:
        text = "".join(self._paragraph)
        self._put("#" * self._heading + " " * bool(self._heading) + text)
        self._paragraph, self._heading = [], 0

    def _put(self, text: str, *, outside: bool = False) -> None:
        """Add a line to the document or to the open cell; a finished row goes to the enclosing table."""
        rows = self._rows[:-1] if outside else self._rows
        if rows and rows[-1]:
            rows[-1][-1] += [text.replace("\n", " ")] if text else []
        else:
            self.lines.append(text)


def _level(style: str) -> int:
    """Return the level of a heading, 1 to 6; 0 for other styles."""
    name = style.lower().replace(" ", "")
    if name == "title":
        return 1
    number = name.removeprefix("heading")
    return int(number) if name != number and number in {"1", "2", "3", "4", "5", "6"} else 0
