"""Quote an edit the way a model does that remembers the file not quite right."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from bench.files.noisy.edits import Edit

_WORD: Final = re.compile(r"[A-Za-z_]\w+|\d+")
_COMMENT: Final = re.compile(r"\s*(?:#|//)(?=\s|$).*$")
_FOUND_EXACTLY: Final = frozenset({"clean", "first_indent_lost"})
"""Kinds of noise with which the quote is still a part of the file."""

_CURLY: Final = {'"': ("“", "”"), "'": ("‘", "’")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One call of `patch`, and what the file must be afterwards.

    Attributes:
        noise: The kind of mistake.
        edit: The edit that was quoted.
        text: The file before.
        old: The text that is looked for.
        new: What takes its place.
        expected: The file when the edit was applied as it was meant; the same as `text` when nothing may change.
    """

    noise: str
    edit: Edit
    text: str
    old: str
    new: str
    expected: str


class Draft:
    """An edit while noise is added to it: lines of the file, and the same lines as they are quoted."""

    def __init__(self, edit: Edit, rng: random.Random) -> None:
        self.edit = edit
        self.rng = rng
        self.before, self.after = list(edit.lines[: edit.at]), list(edit.lines[edit.at + self.size(edit) :])
        self.file = [list(part) for part in (edit.lead, edit.removed, edit.trail)]
        self.result = list(edit.added)
        self.lead, self.removed, self.added, self.trail = (
            list(part) for part in (edit.lead, edit.removed, edit.added, edit.trail)
        )
        self.finish: Callable[[str], str] = str
        self.finish_new: Callable[[str], str] | None = None
        self.untouched = False

    @staticmethod
    def size(edit: Edit) -> int:
        """How many lines of the file the edit quotes."""
        return len(edit.lead) + len(edit.removed) + len(edit.trail)

    def quoted(self) -> list[str]:
        """Return the quoted lines as the file has them."""
        return [line for part in self.file for line in part]

    def quote(self, change: Callable[[str], str]) -> None:
        """Change every quoted line, old and new."""
        for part in (self.lead, self.removed, self.added, self.trail):
            part[:] = map(change, part)

    def region(self, change: Callable[[str], str]) -> None:
        """Change every quoted line of the file, before and after the edit."""
        for part in (*self.file, self.result):
            part[:] = map(change, part)

    def context(self, fits: Callable[[str], bool]) -> tuple[list[str], int] | None:
        """Choose one quoted line that the edit does not change."""
        fitting = [(part, at) for part in (self.lead, self.trail) for at, line in enumerate(part) if fits(line)]
        return self.rng.choice(fitting) if fitting else None

    def case(self, noise: str) -> Case | None:
        """Build the case; None when the noise changed nothing."""
        edit = self.edit
        end = "\n" if edit.ended else ""
        text = "\n".join([*self.before, *self.quoted(), *self.after])
        expected = "\n".join([*self.before, *self.file[0], *self.result, *self.file[2], *self.after])
        if not (self.added or self.lead or self.trail):
            new = ""
        else:
            new = "\n".join([*self.lead, *self.added, *self.trail]) + end
        old = "\n".join([*self.lead, *self.removed, *self.trail]) + end
        old, new = self.finish(old), (self.finish_new or self.finish)(new)
        if old == new or not old.strip() or (noise not in _FOUND_EXACTLY and old in text and not self.untouched):
            return None
        return Case(noise=noise, edit=edit, text=text, old=old, new=new, expected=text if self.untouched else expected)


def cases(edits: Iterable[Edit], number: int, seed: int) -> list[Case]:
    """Make so many cases, all kinds of noise in turn.

    Args:
        edits: The edits.
        number: How many cases.
        seed: Decides which edit gets which noise.
    """
    rng = random.Random(seed)
    pool = list(edits)
    rng.shuffle(pool)
    found: list[Case] = []
    kinds = list(NOISES)
    wanted = -(-number // len(kinds))
    for index, kind in enumerate(kinds):
        made = 0
        for edit in pool[index * 37 :] + pool[: index * 37]:
            draft = Draft(edit, rng)
            case = draft.case(kind) if NOISES[kind](draft) else None
            if case is not None:
                found.append(case)
                made += 1
                if made == wanted:
                    break
    return found


def _clean(draft: Draft) -> bool:
    return bool(draft)


def _trailing_blanks_lost(draft: Draft) -> bool:
    for part in draft.file:
        part[:] = [line + draft.rng.choice(["", "  ", " "]) for line in part]
    return True


def _trailing_blanks_added(draft: Draft) -> bool:
    for part in (draft.lead, draft.removed, draft.trail):
        part[:] = [line + draft.rng.choice(["", "  ", "\t"]) for line in part]
    return True


def _indent_lost(draft: Draft) -> bool:
    quoted = [line for line in (*draft.lead, *draft.removed, *draft.trail, *draft.added) if line.strip()]
    least = min((len(line) - len(line.lstrip()) for line in quoted), default=0)
    draft.quote(lambda line: line[least:] if line.strip() else line)
    return least > 0


def _indent_added(draft: Draft) -> bool:
    indents = [line for line in (*draft.lead, *draft.removed, *draft.trail) if line.startswith("\t")]
    shift = "\t" if indents else " " * draft.rng.choice([2, 4, 8])
    draft.quote(lambda line: shift + line if line.strip() else line)
    return True


def _indent_halved(draft: Draft) -> bool:
    """Two blanks for each level instead of four."""
    quoted = [line for line in (*draft.lead, *draft.removed, *draft.trail, *draft.added) if line.strip()]
    if any(_indent(line) % 4 or line.startswith("\t") for line in quoted):
        return False
    draft.quote(lambda line: " " * (_indent(line) // 2) + line.lstrip(" ") if line.strip() else line)
    return True


def _tabs_and_blanks(draft: Draft) -> bool:
    quoted = [line for line in (*draft.lead, *draft.removed, *draft.trail, *draft.added) if line.strip()]
    if any(line.startswith("\t") for line in quoted):
        draft.quote(lambda line: line.replace("\t", "    "))
    elif all(_indent(line) % 4 == 0 for line in quoted):
        draft.quote(lambda line: "\t" * (_indent(line) // 4) + line.lstrip(" ") if line.strip() else line)
    else:
        return False
    return True


def _first_indent_lost(draft: Draft) -> bool:
    draft.finish = str.lstrip
    first = (draft.lead or draft.removed or draft.trail or [""])[0]
    if not draft.lead and draft.removed and draft.added and _indent(draft.removed[0]) != _indent(draft.added[0]):
        return False
    return first[:1] in {" ", "\t"} and len(draft.lead + draft.removed + draft.trail) > 1


def _curly_in_quote(draft: Draft) -> bool:
    draft.quote(_curled)
    return True


def _curly_in_file(draft: Draft) -> bool:
    draft.region(_curled)
    left = "".join([*draft.quoted(), *draft.result])
    return not any(mark in left for mark in _CURLY)  # a file has one kind or the other


def _hard_blanks_in_quote(draft: Draft) -> bool:
    draft.quote(lambda line: re.sub(r"(?<=\S) (?=\S)", "\u00a0", line))
    return True


def _hard_blanks_in_file(draft: Draft) -> bool:
    part = draft.rng.choice([draft.file[0], draft.file[2]])
    part[:] = [re.sub(r"(?<=\S) (?=\S)", "\u00a0", line) for line in part]
    return True


def _dashes(draft: Draft) -> bool:
    if draft.rng.random() < 0.5:
        draft.quote(lambda line: line.replace("-", "–"))
    else:
        for part in (draft.file[0], draft.file[2]):
            part[:] = [line.replace(" - ", " – ").replace(" -- ", " — ") for line in part]
    return True


def _decomposed(draft: Draft) -> bool:
    accented = str.maketrans("eaou", "éâöü")
    for part, quoted in ((draft.file[0], draft.lead), (draft.file[2], draft.trail)):
        forms = ("NFC", "NFD") if draft.rng.random() < 0.5 else ("NFD", "NFC")
        for at, line in enumerate(part):
            if _COMMENT.search(line) or draft.rng.random() < 0.5:
                changed = line.translate(accented)
                part[at] = _normalized(forms[0], changed)
                quoted[at] = _normalized(forms[1], changed)
    return True


def _normalized(form: str, text: str) -> str:
    return unicodedata.normalize("NFC" if form == "NFC" else "NFD", text)


def _escaped(draft: Draft) -> bool:
    everything = "\n".join([*draft.lead, *draft.removed, *draft.trail, *draft.added])
    if "\\" in everything or ("\n" not in everything and '"' not in everything):
        return False
    draft.finish = lambda text: text.replace("\n", "\\n").replace("\t", "\\t")
    return "\n" in "\n".join([*draft.lead, *draft.removed, *draft.trail])


def _escaped_quotes(draft: Draft) -> bool:
    if any("\\" in line for line in (*draft.lead, *draft.removed, *draft.trail, *draft.added)):
        return False
    draft.quote(lambda line: line.replace('"', '\\"'))
    return True


def _numbered(draft: Draft, width: int, *, new: bool) -> bool:
    first = draft.edit.at + 1

    def number(text: str) -> str:
        ended = text.endswith("\n")
        lines = text.removesuffix("\n").split("\n") if text else []
        return "\n".join(f"{first + at:{width}d}|{line}" for at, line in enumerate(lines)) + "\n" * ended

    draft.finish = number
    if not new:
        draft.finish_new = str
    return True


def _blank_lines_dropped(draft: Draft) -> bool:
    for part in (draft.lead, draft.trail):
        part[:] = [line for line in part if line.strip()]
    return True


def _blank_line_added(draft: Draft) -> bool:
    part = draft.rng.choice([draft.lead, draft.trail])
    if len(part) < 2:
        return False
    part.insert(draft.rng.randrange(1, len(part)), "")
    return True


def _inner_blanks(draft: Draft) -> bool:
    found = draft.context(lambda line: " " in line.strip())
    if found is None:
        return False
    part, at = found
    part[at] = re.sub(r"(?<=\S) (?=\S)", draft.rng.choice(["", "  "]), part[at], count=1)
    return True


def _token_misremembered(draft: Draft) -> bool:
    found = draft.context(lambda line: bool(_WORD.search(line)))
    if found is None:
        return False
    part, at = found
    part[at] = _with_other_word(part[at], draft)
    return True


def _line_misremembered(draft: Draft) -> bool:
    """A quoted line that the edit changes has another word in it than the file has."""
    words = [at for at, line in enumerate(draft.removed) if _WORD.search(line)]
    if not words:
        return False
    at = draft.rng.choice(words)
    draft.removed[at] = _with_other_word(draft.removed[at], draft)
    return True


def _line_omitted(draft: Draft) -> bool:
    part = draft.rng.choice([draft.lead, draft.trail])
    if len(part) < 3:
        return False
    return bool(part.pop(draft.rng.randrange(1, len(part) - 1)).strip())


def _lines_swapped(draft: Draft) -> bool:
    part = draft.rng.choice([draft.lead, draft.trail])
    if len(part) < 2:
        return False
    at = draft.rng.randrange(len(part) - 1)
    part[at], part[at + 1] = part[at + 1], part[at]
    return True


def _comment_dropped(draft: Draft) -> bool:
    found = draft.context(lambda line: bool(_COMMENT.search(line)))
    if found is None:
        return False
    part, at = found
    part[at] = _COMMENT.sub("", part[at])
    if not part[at].strip():
        del part[at]
    return True


def _case_changed(draft: Draft) -> bool:
    found = draft.context(lambda line: bool(re.search("[a-zA-Z]", line)))
    if found is None:
        return False
    part, at = found
    word = draft.rng.choice(re.findall(r"[A-Za-z_]+", part[at]))
    part[at] = part[at].replace(word, word.swapcase() if draft.rng.random() < 0.3 else word.capitalize(), 1)
    return True


def _elided(draft: Draft) -> bool:
    part = max(draft.lead, draft.trail, key=len)
    if len(part) < 3:
        return False
    part[1 : len(part) - 1] = [" " * _indent(part[1]) + "..."]
    return True


def _crlf_in_quote(draft: Draft) -> bool:
    draft.finish = lambda text: text.replace("\n", "\r\n")
    return True


def _repeated(draft: Draft) -> bool:
    draft.file[1][:] = draft.result
    draft.untouched = True
    return True


def _repeated_with_indent(draft: Draft) -> bool:
    return _repeated(draft) and _indent_lost(draft)


def _gone(draft: Draft) -> bool:
    for part in draft.file:
        part.clear()
    draft.untouched = True
    return _is_nowhere(draft)


def _gone_but_neighbor(draft: Draft) -> bool:
    """The target is gone, and something takes its place that only has other names in it."""
    words = [word for line in draft.removed for word in _WORD.findall(line)]
    if not words:
        return False
    word = draft.rng.choice(words)
    other = _other_word(word, draft)
    for part in draft.file:
        part[:] = [re.sub(rf"\b{word}\b", other, line) for line in part]
    draft.untouched = True
    return _is_nowhere(draft)


def _changed_meanwhile(draft: Draft) -> bool:
    """One line that the edit removes says something else by now."""
    at = [at for at, line in enumerate(draft.file[1]) if _WORD.search(line)]
    if not at:
        return False
    chosen = draft.rng.choice(at)
    draft.file[1][chosen] = _with_other_word(draft.file[1][chosen], draft)
    draft.untouched = True
    return _is_nowhere(draft)


def _duplicated(draft: Draft) -> bool:
    draft.after += ["", *draft.quoted(), ""]
    draft.untouched = True
    return True


def _is_nowhere(draft: Draft) -> bool:
    text = "\n".join([*draft.before, *draft.quoted(), *draft.after])
    return "\n".join([*draft.lead, *draft.removed, *draft.trail]) not in text


def _with_other_word(line: str, draft: Draft) -> str:
    found = draft.rng.choice(list(_WORD.finditer(line)))
    return line[: found.start()] + _other_word(found[0], draft) + line[found.end() :]


def _other_word(word: str, draft: Draft) -> str:
    """A word that a model may take for another: from the same file, or nearly the same."""
    if word.isdigit():
        return str(int(word) + draft.rng.choice([1, 2, 10]))
    if draft.rng.random() < 0.5:
        others: list[str] = _WORD.findall("\n".join(draft.edit.lines[max(0, draft.edit.at - 40) : draft.edit.at + 60]))
        return draft.rng.choice([other for other in others if other != word and not other.isdigit()] or [word + "s"])
    return draft.rng.choice([word + "s", word + "_id", "_" + word, word[:-1] + "x"])


def _curled(line: str) -> str:
    line = re.sub(r"(?<=\w\w)'(?=\w)", "’", line)
    for straight, (opening, closing) in _CURLY.items():
        if line.count(straight) % 2 == 0:
            parts = line.split(straight)
            marks = [opening, closing] * (len(parts) // 2)
            line = "".join(part + mark for part, mark in zip(parts, [*marks, ""], strict=True))
    return line


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


NOISES: Final[dict[str, Callable[[Draft], bool]]] = {
    "clean": _clean,
    "trailing_blanks_lost": _trailing_blanks_lost,
    "trailing_blanks_added": _trailing_blanks_added,
    "indent_lost": _indent_lost,
    "indent_added": _indent_added,
    "indent_halved": _indent_halved,
    "tabs_and_blanks": _tabs_and_blanks,
    "first_indent_lost": _first_indent_lost,
    "curly_in_quote": _curly_in_quote,
    "curly_in_file": _curly_in_file,
    "hard_blanks_in_quote": _hard_blanks_in_quote,
    "hard_blanks_in_file": _hard_blanks_in_file,
    "dashes": _dashes,
    "decomposed": _decomposed,
    "escaped": _escaped,
    "escaped_quotes": _escaped_quotes,
    "line_numbers": lambda draft: _numbered(draft, 0, new=True),
    "line_numbers_padded": lambda draft: _numbered(draft, 6, new=True),
    "line_numbers_old_only": lambda draft: _numbered(draft, 0, new=False),
    "blank_lines_dropped": _blank_lines_dropped,
    "blank_line_added": _blank_line_added,
    "inner_blanks": _inner_blanks,
    "token_misremembered": _token_misremembered,
    "line_misremembered": _line_misremembered,
    "line_omitted": _line_omitted,
    "lines_swapped": _lines_swapped,
    "comment_dropped": _comment_dropped,
    "case_changed": _case_changed,
    "elided": _elided,
    "crlf_in_quote": _crlf_in_quote,
    "repeated": _repeated,
    "repeated_with_indent": _repeated_with_indent,
    "gone": _gone,
    "gone_but_neighbor": _gone_but_neighbor,
    "changed_meanwhile": _changed_meanwhile,
    "duplicated": _duplicated,
}
