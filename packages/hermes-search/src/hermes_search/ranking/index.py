"""`ToolIndex` finds the tools of a catalog for a question in plain words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from hermes_search.ranking import embeddings as vectors
from hermes_search.ranking.clauses import clauses, combine_scores, first_request, requests_in
from hermes_search.ranking.fusion import Vectors, certain, fuse_scores, needed, reached
from hermes_search.ranking.numpy_vectors import NumpyVectors
from hermes_search.ranking.operation_verbs import opening, operation, opposed, requested_operation, sides
from hermes_search.ranking.packed_vectors import PackedVectors
from hermes_search.ranking.postings import Posting, Weights, build
from hermes_search.ranking.query import Query, read_query
from hermes_search.ranking.scoring import CLOSER, best, boost_named, complete, explain, name_of_words, score
from hermes_search.ranking.stems import stem
from hermes_search.ranking.tool_fields import Fields, read_fields
from hermes_search.ranking.word_vectors import NOTHING, word_vectors
from hermes_search.ranking.words import Spelling, is_unspaced, split


@dataclass(frozen=True, slots=True)
class Hit:
    """A tool that was found.

    Attributes:
        name: The tool's name.
        score: How well it matches. Compare scores only within one answer.
        why: Where it matched, such as `name: create, issue`; `related` lists words whose synonyms or topic matched,
            `meaning` marks a tool with none of the words but a similar meaning.
    """

    name: str
    score: float
    why: tuple[str, ...] = ()


_IDENTIFIER = re.compile(r"\w+(?:[._:/-]+\w+)+|[a-z0-9]+[A-Z]\w*")
_SQUASHED = re.compile(r"[\W_]+")
_NAMED = 256
"""How many characters of a question may contain names of tools."""
_WHOLE = 4_000
"""The maximum length of a question that is one name."""
_SIGNIFICANT = 5
"""The minimum length of words of descriptions that are recognized if misspelled."""
_USUAL = 5
"""The default number of hits."""
_OFTEN = 10**12
"""More calls than any tool has; avoids infinity and huge integers."""


class _Answer(NamedTuple):
    """The parsed question, and the scores of tools for it."""

    read: Query
    scores: dict[int, float]


class ToolIndex:
    """An immutable index of tools. Make a new one when the tools change.

    Words are compared by BM25F over name, keywords, description and parameters, after stemming, with synonyms and
    tolerance for misspellings. With the extra `search`, embeddings of a small static model are used as well.
    """

    def __init__(
        self,
        definitions: Iterable[Mapping[str, Any]],
        *,
        embeddings: bool | None = None,
        keywords: Mapping[str, Iterable[str]] | None = None,
        usage: Mapping[str, float] | None = None,
        weights: Weights | None = None,
    ) -> None:
        """Index definitions in OpenAI's format, wrapped or flat. Those without a name are skipped.

        Args:
            definitions: The tools. A definition may have `keywords`: other words of users for what it does.
            embeddings: Whether to use embeddings: True requires the extra, None uses them if it is installed.
            keywords: More keywords, by the tool's name.
            usage: How often each tool was called; frequently called ones rank a little higher.
            weights: The ranking parameters.

        Raises:
            VectorsUnavailableError: `embeddings` is True, and the extra is not installed.
        """
        self._weights = weights or Weights()
        more = keywords or {}
        tools: dict[str, Fields] = {}
        for definition in definitions:
            fields = read_fields(definition, more)
            if fields is not None:
                tools.setdefault(fields.name, fields)
        # Sorted, so that the order of the tools does not change the answers.
        tools = dict(sorted(tools.items()))
        self._names = list(tools)
        self._postings: dict[str, Posting] = build(list(tools.values()), self._weights)
        self._name_words = [name_of_words(it.words[0], self._postings) for it in tools.values()]
        self._squashed: dict[str, list[int]] = {}
        for number, name in enumerate(self._names):
            self._squashed.setdefault(_squash(name), []).append(number)
        self._priors = _priors(self._names, usage or {}, self._weights.usage)
        self._operations = [operation(split(name)) for name in tools]
        self._sides = [sides(it.words[0]) for it in tools.values()]
        self._vectors = None
        use_numpy = embeddings or (embeddings is None and vectors.installed())
        if use_numpy:
            self._vectors = Vectors(vectors.load_model(), [it.text for it in tools.values()])
        arithmetic = NumpyVectors if use_numpy else PackedVectors
        self._tool_vectors: NumpyVectors | PackedVectors = arithmetic(it.first_words() for it in tools.values())

    def __len__(self) -> int:
        return len(self._names)

    @property
    def embeddings(self) -> bool:
        """True if embeddings are used."""
        return self._vectors is not None

    def search(self, query: str, limit: int | float | None = 5) -> list[Hit]:
        """Return the tools that match a question best, best first; equal ones by name.

        Args:
            query: The question in plain words, or a tool's name. Anything but a text finds nothing.
            limit: The maximum number of hits; five by default.
        """
        limit = _counted(limit, len(self._names))
        if limit < 1 or not isinstance(query, str) or not query.strip():
            return []
        hits = self._hits(query, CLOSER, min(limit, CLOSER))
        if hits and limit > CLOSER:
            # More candidates may change the order, but the first hits must not depend on the limit.
            known = {hit.name for hit in hits}
            more = [hit for hit in self._hits(query, limit, limit) if hit.name not in known][: limit - len(hits)]
            hits += [replace(hit, score=min(hit.score, hits[-1].score)) for hit in more]
        return hits

    def _hits(self, query: str, depth: int, limit: int) -> list[Hit]:
        """Return the best hits from `depth` candidates of each score."""
        found_clauses = clauses(query)
        asked = requests_in(found_clauses)
        # The verb of the first of several requests does not apply to the others.
        whole = self._answered(query, depth, opening(first_request(found_clauses) or query) if len(asked) < 2 else [])
        parts = [self._answered(request, depth, opening(request)) for request in asked]
        scores = combine_scores(whole.scores, [(it.scores, it.read.promise) for it in parts]) if parts else whole.scores
        otherwise = "meaning" if scores else "name"
        scores = scores or self._containing(query, depth)
        for tool, prior in self._priors.items():
            if tool in scores:
                scores[tool] *= prior
        named = self._raise_named(query, scores)
        hits: list[Hit] = []
        for tool in best(scores, limit):
            best_for = max([whole, *parts], key=lambda it: it.scores.get(tool, 0.0))
            why = explain(tool, best_for.read.terms, self._postings) or ("name" if tool in named else otherwise,)
            hits.append(Hit(self._names[tool], round(scores[tool], 6), why))
        return hits

    def _answered(self, query: str, depth: int, first: list[str]) -> _Answer:
        """Return the scores for a question that begins with these words."""
        read = read_query(query, self._postings, len(self._names), self._near, self._weights)
        scores = score(read.terms, self._postings, len(self._names))
        return _Answer(read, self._combine(query, read, scores, depth, first))

    def _combine(
        self, query: str, read: Query, scores: dict[int, float], depth: int, first: list[str]
    ) -> dict[int, float]:
        """Return the combined scores of the best tools by words and by meaning."""
        for tool in complete(read.whole, self._postings):
            scores[tool] = scores.get(tool, 0.0) + self._weights.whole * read.promise
        candidates = best(scores, depth)
        boost_named(scores, candidates, read.terms, self._name_words, self._weights)
        meant = self._tool_vectors.add_words([*read.stems, *read.pairs])
        likeness, nearest = self._tool_vectors.nearest(NOTHING if meant is None else meant, depth)
        tools = list(dict.fromkeys([*candidates, *nearest]))
        words = {tool: scores.get(tool, 0.0) for tool in tools}
        matched = reached(words, read.promise, self._weights)
        cosines = None if self._vectors is None else self._vectors.likeness(query, tools)
        if cosines is not None and meant is None:
            cosines = certain(cosines, scores)
        found = fuse_scores(words, tools if cosines is None else cosines, matched, likeness, cosines, self._weights)
        self._mark_down(found, first, self._weights.clash * needed(matched, self._weights))
        return found

    def _mark_down(self, found: dict[int, float], first: list[str], clash: float) -> None:
        """Lower the scores of tools that do something that was not requested, such as deleting."""
        requested, requested_sides = requested_operation(first), sides(map(stem, first))
        unlike = [tool for tool in found if self._operations[tool] not in ("", requested)] if requested else []
        if requested_sides:
            unlike += [tool for tool in found if self._sides[tool] and opposed(requested_sides, self._sides[tool])]
        for tool in dict.fromkeys(unlike):
            found[tool] -= min(clash, 0.5 * found[tool])

    def _near(self, word: str) -> list[str]:
        """Return index keys for an unknown word: joined words of a name, or a similar spelling."""
        if word in self._joined:
            return list(self._joined[word])
        key = stem(word)
        if key in word_vectors():
            return []
        guesses = [stem(it) for it in self._spelling.near(word)]
        return guesses or self._elsewhere.near(key) or self._elsewhere.akin(key)

    @cached_property
    def _joined(self) -> dict[str, tuple[str, ...]]:
        """Two or three neighboring words in names, joined: *checkin* is in `check_in_guest`."""
        found: dict[str, tuple[str, ...]] = {}
        for name in self._names:
            words = split(name)
            for neighbours in [*zip(words, words[1:], words[2:], strict=False), *pairwise(words)]:
                found.setdefault("".join(neighbours), tuple(map(stem, neighbours)))
        return found

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(word for name in self._names for word in split(name))

    @cached_property
    def _elsewhere(self) -> Spelling:
        """The other words of the tools. There are so many that short ones resemble any misspelling."""
        return Spelling(key for key in self._postings if len(key) >= _SIGNIFICANT or is_unspaced(key))

    def _containing(self, query: str, depth: int) -> dict[int, float]:
        """Return tools whose names contain the query: the last resort."""
        part = _squash(query[:_NAMED])
        found = [number for name, numbers in self._squashed.items() if part in name for number in numbers]
        scores = {number: 1.0 / (1 + len(self._names[number])) for number in found}
        return {number: scores[number] for number in best(scores, depth)}

    def _raise_named(self, query: str, scores: dict[int, float]) -> set[int]:
        """Rank tools that the question names before all others, and exact spellings first."""
        named: set[int] = set()
        text = query[:_WHOLE].strip()
        top = max(scores.values(), default=1.0)
        for rank, name in enumerate([text, *_IDENTIFIER.findall(text[:_NAMED])]):
            for tool in self._squashed.get(_squash(name), ()):
                exact = 2.0 if self._names[tool] in (name, query) else 1.0
                whole = 2.0 if rank == 0 else 0.0
                scores[tool] = top * (1.5 + exact + whole) + scores.get(tool, 0.0) / (1.0 + top)
                named.add(tool)
        return named


def _squash(name: str) -> str:
    """Return a name without separators and case, or the name itself if it has only separators."""
    return _SQUASHED.sub("", name).casefold() or name.strip()


def _counted(limit: object, number: int) -> int:
    """Return the limit as an integer between 0 and the number of tools."""
    if isinstance(limit, str):
        limit = float(limit) if limit.strip().isdecimal() else None
    if not isinstance(limit, int | float) or (isinstance(limit, float) and math.isnan(limit)):
        limit = _USUAL
    return int(min(max(limit, 0), number))


def _priors(names: list[str], usage: Mapping[str, float], share: float) -> dict[int, float]:
    """Return the factors for usage; logarithmic, so that a frequent tool does not hide the others."""
    counts: dict[int, float] = {}
    for number, name in enumerate(names):
        count = usage.get(name, 0)
        if isinstance(count, int | float) and count > 0:
            counts[number] = float(min(count, _OFTEN))
    most = math.log1p(max(counts.values(), default=1.0))
    return {number: 1.0 + share * math.log1p(count) / most for number, count in counts.items()}
