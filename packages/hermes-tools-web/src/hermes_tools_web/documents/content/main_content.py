"""Decide which text of a page is its main content, and remove the rest.

trafilatura's selection is the anchor. Between its first and last block, everything stays that is not boilerplate;
outside, only what has a reason to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import accumulate, islice, pairwise

from hermes_tools_web.documents.content.boilerplate import (
    HEADINGS,
    MAIN_TAGS,
    PARTS,
    are_references,
    calls_itself_main,
    find_labels,
    find_lists_of_others,
    is_around,
    is_noise,
    is_within,
)
from hermes_tools_web.documents.content.text_runs import TOKEN, PageText, Run, ancestors
from hermes_tools_web.documents.content.vocabulary import BYLINE, NOISE_HEADING
from hermes_tools_web.documents.html_tree import Node, attr, drop, name_words, sweep
from hermes_tools_web.text import word_set

_MAX_DROPPED = 0.4
"""An element with this share of the page's own text is content, whatever its name."""
_FEW = 0.1
"""An element is unselected if less of it is selected."""
_GUIDED = 0.3
"""trafilatura found too little if it selected less of the own text."""
_GAP = 0.3
_ENOUGH = 0.5
_MAIN_ENOUGH = 0.25
_PROSE = 80
_LINKED = 0.35
_LITTLE = 400
_LINE = 200
_SHORT = 12
_PARAGRAPH = 120
_TITLED = 0.75
_BAR = 0.7
_MAX_HEAD = 30
"""How many runs may be between the title and the first selected one."""
_AUTHORS = word_set("author authors byline contributors")
_PARTS = word_set("div section ul ol aside table p form center figure menu")
_DATA = ("table", "pre", "ul", "ol", "dl")
_WHOLE = word_set("p blockquote li dd dt pre figure")
_LOOSE = word_set("div span p section header center figcaption address")
_LABELS = _LOOSE | {"li"}
_BOXES = word_set("body div section article main td center aside form fieldset details header footer nav")


def keep_main_content(root: Node, page: PageText, title: str) -> None:
    """Remove from a tree what is not main content."""
    content = _Content(root, page)
    content.drop_noise()
    content.choose(title)
    content.remove()


class _Content:
    """The runs of a page with the decision about each."""

    def __init__(self, root: Node, page: PageText) -> None:
        self.root = root
        self.page = page
        self.runs = page.runs
        self.noise = [False] * len(page.runs)
        self.kept = [False] * len(page.runs)
        self.whole = page.weight(root)
        self.places = [_place(run.owner) for run in page.runs]
        self._tables: set[Node | None] | None = None

    def drop_noise(self) -> None:
        """Mark what surrounds the content, by names and words; never most of what trafilatura selected."""
        end = 0
        for node in self.root.iter(*PARTS):
            first, after = self.page.span(node)
            if first == after or first < end or node.tag in ("html", "body", "main"):
                continue
            if not is_around(node, self.page):
                continue
            if self.page.weight(node).own >= _MAX_DROPPED * max(1, self.whole.own):
                continue
            if any(run.selected and run.prose for run in self.page.within(node)):
                continue
            self._mark(first, after)
            end = after
        for first, after in find_lists_of_others(self.page, self.whole.own):
            self._mark(first, after)
        for at in find_labels(self.runs):
            self.noise[at] = True
        posts = {self.places[at][1:] for at, run in enumerate(self.runs) if run.selected and run.prose}
        times = Counter(run.text for run in self.runs if not run.selected)
        for at, run in enumerate(self.runs):
            comment = run.comment and bool(posts) and self.places[at][1:] not in posts
            repeated = times[run.text] > 2 and run.owner.tag in _LABELS and not run.prose
            if comment or repeated or is_noise(run):
                self.noise[at] = True

    def _mark(self, first: int, end: int) -> None:
        self.noise[first:end] = [True] * (end - first)

    def choose(self, title: str) -> None:
        """Decide which runs stay."""
        seeds = [at for at, run in enumerate(self.runs) if run.selected and not self.noise[at]]
        frame = self._frame()
        first, end = self.page.span(frame)
        inner = [run for at, run in enumerate(self.runs) if first <= at < end and not self.noise[at]]
        linked = sum(run.linked for run in inner)
        own = sum(run.size for run in inner) - linked
        found = sum(self.runs[at].size - self.runs[at].linked for at in seeds)
        short = linked <= own < (_LITTLE if frame.tag == "body" else 2 * _LITTLE)
        index = linked > own and sum(self.runs[at].size for at in seeds if self.runs[at].prose) < _PARAGRAPH
        if short or index or found < max(1, _GUIDED * own):
            self.kept[first:end] = [not noise for noise in self.noise[first:end]]
            self._trim_bars()
            prose = [at for at in range(first, end) if self.kept[at] and self.runs[at].prose]
            if prose and not short:
                self._drop_labels(first, prose[0], prose[-1])
        else:
            self._extend(seeds, frame, title)
        if not any(self.kept[at] and run.owner.tag == "h1" for at, run in enumerate(self.runs)):
            heading = self._find_title(title, self.kept.index(True) if any(self.kept) else 0)
            if heading is not None:
                self.kept[heading] = True
        self._drop_empty_headings()

    def _frame(self) -> Node:
        """Return the element that the page marks as its main content, or the body."""
        best: Node | None = None
        size = 0
        for node in self.root.iter(*MAIN_TAGS):
            if not calls_itself_main(node):
                continue
            weight = self.page.weight(node)
            sure = node.tag == "main" or attr(node, "role") == "main"
            if weight.own >= max(1, (_MAIN_ENOUGH if sure else _ENOUGH) * self.whole.own) and (
                weight.selected >= _ENOUGH * self.whole.selected and (best is None or (sure and weight.own > size))
            ):
                best, size = node, weight.own
        body = self.root.find("body")
        return best if best is not None else body if body is not None else self.root

    def _extend(self, seeds: list[int], frame: Node, title: str) -> None:
        """Keep the selected runs, what is between them, and what belongs to them."""
        first, end = self.page.span(frame)
        prose = [at for at in seeds if self.runs[at].prose]
        places, boxes = {self.places[at] for at in prose}, {_box(self.runs[at].owner) for at in prose}
        within = {self.runs[at].owner for at in seeds if self.runs[at].owner.tag in _WHOLE}
        around = {node for owner in within for node in owner.iterancestors(*_WHOLE)}
        texts = {self.runs[at].text for at in seeds}
        for at in range(first, end):
            run = self.runs[at]
            if run.selected or self.noise[at] or run.text in texts:
                continue
            nested = run.owner in around or any(node in within for node in ancestors(run.owner))
            if nested or self._belongs(at, places, boxes):
                seeds.append(at)
        for at in seeds:
            self.kept[at] = True
        anchors = sorted(at for at in seeds if self.runs[at].density <= _LINKED) or sorted(seeds)
        for at in seeds:
            if not anchors[0] <= at <= anchors[-1] and self._is_bar(self.runs[at]):
                self.kept[at] = False
        start = next((at for at in anchors if self.runs[at].prose), anchors[0])
        heading = self._find_title(title, start)
        if heading is not None and sum(not noise for noise in self.noise[heading:start]) <= _MAX_HEAD:
            anchors = [heading, *(at for at in anchors if at > heading)]
            for at in range(heading):
                self.kept[at] = self.kept[at] and self.runs[at].prose
        linked = self._link_lists(anchors[0], anchors[-1])
        marked = calls_itself_main(frame)
        most = max(_LITTLE, _GAP * sum(self.runs[at].size for at in anchors))
        for before, after in pairwise(anchors):
            gap = [at for at in range(before + 1, after) if not (self.noise[at] or linked[at])]
            size, linked_size = sum(self.runs[at].size for at in gap), sum(self.runs[at].linked for at in gap)
            # Otherwise it was left out for a reason.
            if size <= most or (marked and linked_size < _FEW * size):
                for at in gap:
                    self.kept[at] = True
        last = next((at for at in reversed(anchors) if self.runs[at].prose), anchors[-1])
        self._drop_labels(anchors[0], start, last)

    def _drop_labels(self, first: int, start: int, last: int) -> None:
        """Remove the short texts around an article, such as its author and date, unless every post has them."""
        places = Counter(place for place, kept in zip(self.places, self.kept, strict=True) if kept)
        later = {place for place, kept in zip(self.places[start:], self.kept[start:], strict=True) if kept}
        headed = False
        for at in range(first, len(self.runs)):
            run = self.runs[at]
            place = self.places[at]
            below, headed = headed, run.owner.tag in HEADINGS[1:] and run.density <= _BAR and bool(run.text)
            if below or not self.kept[at] or run.owner.tag == "h1":
                continue
            said = run.selected and run.text.endswith((".", "!", "?"))
            dated = run.size < 120 and not said and BYLINE.match(run.text) is not None
            named = at < start and (dated or run.density > _BAR)
            if len(place) > 1 and (place in later if named else places[place] > 1):
                continue
            if start <= at <= last:
                label = dated and not run.selected and run.owner.tag in _LOOSE
            else:
                label = dated or (not run.selected and self._is_label(run))
            if label:
                self.kept[at] = False

    def _is_label(self, run: Run) -> bool:
        if run.owner.tag in HEADINGS:
            return run.density > _BAR
        if run.owner.tag == "p" and not attr(run.owner, "class"):
            return False
        return run.owner.tag in _LABELS and not run.prose and not is_within(run.owner, "table", "pre", "dl")

    def _belongs(self, at: int, places: set[tuple[str, ...]], boxes: set[Node | None]) -> bool:
        """Return whether an unselected run belongs to the selected ones: it has the same place, or is data there."""
        run, owner = self.runs[at], self.runs[at].owner
        data = next((node for node in ancestors(owner) if node.tag in _DATA), None)
        if data is not None:
            data = next((node for node in reversed([*ancestors(data)]) if node.tag in ("ul", "ol", "dl")), data)
            box = _box(data)
            near = box in boxes or any(above in boxes for above in _above(box))
            return near and (self.page.weight(data).density <= _LINKED or are_references(data))
        if owner.tag == "p" and not run.linked and _box(owner) in boxes:
            return not BYLINE.match(run.text)
        return run.prose and (_box(owner) in boxes or (len(self.places[at]) > 1 and self.places[at] in places))

    def _link_lists(self, first: int, last: int) -> list[bool]:
        """Mark elements with mostly links that trafilatura did not select."""
        linked = [False] * len(self.runs)
        end = 0
        for node in self.root.iter(*_PARTS):
            start, after = self.page.span(node)
            if start < max(first, end) or after > last + 1 or start == after:
                continue
            weight = self.page.weight(node)
            if (
                weight.text >= 15
                and weight.density >= 0.6
                and not weight.titles
                and weight.own <= 0.2 * self.whole.own
                and weight.selected < _FEW * weight.text
                and not are_references(node)
                and not name_words(node) & _AUTHORS
            ):
                linked[start:after] = [True] * (after - start)
                end = after
        return linked

    def _trim_bars(self) -> None:
        """Remove links before the first and after the last text of a page that has text."""
        prose = [at for at, run in enumerate(self.runs) if self.kept[at] and run.prose]
        own = sum(run.size - run.linked for at, run in enumerate(self.runs) if self.kept[at])
        linked = sum(run.linked for at, run in enumerate(self.runs) if self.kept[at])
        if not prose or own < _PROSE * 3 or linked > own:
            return
        for at in (*range(prose[0]), *range(prose[-1] + 1, len(self.runs))):
            if self._is_bar(self.runs[at]):
                self.kept[at] = False

    def _is_bar(self, run: Run) -> bool:
        """Return whether a run is only links, and not among the references of an article."""
        if run.density <= _BAR or run.owner.tag in HEADINGS or next(run.owner.iterancestors("dl"), None) is not None:
            return False
        if next(run.owner.iterancestors("table"), None) in self._data_tables():
            return False
        lists = [node for node in ancestors(run.owner) if node.tag in ("ul", "ol")]
        return not (lists and are_references(lists[-1]))

    def _data_tables(self) -> set[Node | None]:
        if self._tables is None:
            self._tables = {next(head.iterancestors("table"), None) for head in self.root.iter("th")} - {None}
        return self._tables

    def _find_title(self, title: str, end: int) -> int | None:
        """Return the run above the first text that is the heading of the page."""
        words = set(TOKEN.findall(title.casefold()))
        best, score = None, 0.0
        for at in range(end):
            run = self.runs[at]
            if not run.text or run.size > _LINE or NOISE_HEADING.fullmatch(run.text):
                continue
            if run.owner.tag not in HEADINGS and (self.noise[at] or run.size < _SHORT):
                continue
            said = set(TOKEN.findall(run.text.casefold()))
            if len(said & words) < _TITLED * len(said) and run.owner.tag != "h1":
                continue
            found = len(said & words) / max(1, len(words)) + (run.owner.tag == "h1") * 0.2
            if found >= max(score, 0.01):
                best, score = at, found
        return best

    def _drop_empty_headings(self) -> None:
        """Remove headings with nothing below them, except titles."""
        below = "h9"
        for at in range(len(self.runs) - 1, -1, -1):
            run = self.runs[at]
            if not self.kept[at]:
                continue
            if run.owner.tag not in HEADINGS:
                below = "h9"
            elif below <= run.owner.tag != "h1" and below != "h9":
                self.kept[at] = False
            else:
                below = run.owner.tag

    def remove(self) -> None:
        """Remove the other runs, and the elements that have no other."""
        counts = [0, *accumulate(self.kept)]
        inner = [self.root]
        while inner:
            for node in inner.pop():
                first, end = self.page.span(node)
                if first == end or counts[end] - counts[first] == end - first:
                    continue
                if counts[end] == counts[first]:
                    drop(node)
                else:
                    inner.append(node)
        for at, run in enumerate(self.runs):
            if self.kept[at]:
                continue
            for node, is_tail in run.pieces:
                if is_tail:
                    node.tail = None
                else:
                    node.text = None
            for image in run.images:
                drop(image)
        sweep(self.root)


def _box(node: Node) -> Node | None:
    """Return the element around a paragraph and its neighbours."""
    return next((above for above in ancestors(node) if above.tag in _BOXES), None)


def _above(node: Node | None) -> Iterator[Node]:
    """Yield the two elements around another."""
    yield from islice(node.iterancestors(), 2) if node is not None else ()


def _place(node: Node) -> tuple[str, ...]:
    """Return the tags from a run up to the nearest element with a class, and that class."""
    place: list[str] = []
    for at in ancestors(node):
        place.append(at.tag)
        if attr(at, "class"):
            return (*place, attr(at, "class"))
    return ()
