"""The text of a Word document: paragraphs, headings and tables of its body."""

from __future__ import annotations

from hermes_tools_terminal.documents.office_archive import Package


def text_of(data: bytes) -> str:
    """The text of a Word document, one paragraph a line.

    Raises:
        DocumentError: it is damaged or too big.
    """
    body = _Body()
    package = Package(data, "Word document")
    package.parse(package.main_part("word/document.xml"), body.start, body.end, body.letters)
    return "\n".join(body.lines)


class _Body:
    """Collects the lines of a document's body."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._paragraph: list[str] = []
        self._rows: list[list[list[str]]] = []
        """For each open table, the cells of the row that is read: a table may be in another one's cell."""
        self._heading = 0
        self._in_text = False
        self._doubled = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "Fallback":  # what is in it was told in another form already
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
        """Add a line to the body, or to the cell that is open; what a row says goes to the table around it."""
        rows = self._rows[:-1] if outside else self._rows
        if rows and rows[-1]:
            rows[-1][-1] += [text.replace("\n", " ")] if text else []
        else:
            self.lines.append(text)


def _level(style: str) -> int:
    """1 to 6 for a heading, 0 for anything else."""
    name = style.lower().replace(" ", "")
    if name == "title":
        return 1
    number = name.removeprefix("heading")
    return int(number) if name != number and number in {"1", "2", "3", "4", "5", "6"} else 0
