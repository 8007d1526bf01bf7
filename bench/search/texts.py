"""Short English texts to learn from what words mean: WordNet, descriptions of Debian's packages, made-up requests.

None of them is from an evaluation set. `made` puts words into the sentences that people ask in, so that a model that
learns from them finds out how little *could you please tell me* says.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from hermes_core.search import synonyms

_GLOSS = re.compile(r"^\d+ \d+ [nvasr] ([0-9a-f]{2}) (.*?) \d{3} .*\| (.*)$")
_EXAMPLE = re.compile(r';\s*(?=")')
_PACKAGE = re.compile(r"^Description-en: (.+)\n((?: .*\n)*)", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_SHORTEST, _LONGEST = 8, 130
"""Characters of a text."""
_MOST = {"glosses": 30_000, "examples": 22_000, "packages": 20_000, "sentences": 10_000, "made": 30_000}
_OF_THINGS = """
I'm looking for {a}.|Can you find me {a} with {b}?|What can you tell me about {a}?|Where can I get {a} or {b}?
Show me {a}.|I need some information about {a} for a project.|My wife asked me about {a}. Any idea?|Do you have {a}?
Which {a} has the best {b}?|How much is {a} and what are the details?|Give me a list of {a}.|{a} {b}|{a} {b} {c}
I am writing an article on {a} and wonder where to start.|I'm looking for {a} with {b}, any suggestions?
What's the {a} of {b} right now?|My friend told me about {a}. Is there any {b}?|How much {a} do I need for {b}?
We are planning {a} next weekend, what about {b} and {c}?|Find {a} near {b}.|Do I need {a} when I go for {b}?
I have a problem with my {a}, the {b} is not working.|Please compare {a} and {b} for me.|Is {a} good for {b}?
I want to learn about {a}, {b} and {c}.|Could you check the {a} for {b} in Paris?|I lost my {a} and need {b} quickly.
My son needs {a} for his {b} homework.|Recommend {a} under $50 with {b}.|Help me with {a}: {b}, {c}.
What happened to {a} since yesterday? I worry about {b}.|List all {a} with {b}.|Create {a} for {b}.
Update the {a} of {b}.|Remove {a} from {b}.|Search {a} by {b}.|Get {a} details including {b} and {c}.
Returns {a} and {b} for a given {c}.|Provides {a}, {b} and {c}.|Explore {a} and discover {b}.
Your personal {a} assistant for {b} and {c}.|Who is the {a} of {b}?|When is the next {a} in {b}?|Plan {a} with {b}.
Tell me if {a} affects {b}.|Make {a} out of {b}.|Generate {a} from {b}.|Track {a} and {b} over time.
"""
_OF_DEEDS = """
Can you please {v} the {a}?|I'd like to {v} the {a} today.|Could you help me {v} the {a}?|I want to {v} the {a}, please.
How do I {v} the {a}?|What is the best way to {v} the {a}?|I'm trying to {v} the {a} for my friends.
Show me how to {v} the {a}.|Please {v} the {a} for me.|We need to {v} the {a} before next week.
"""


def texts(wordnet: Path, debian: Path, ranks: dict[str, int]) -> list[str]:
    """All of them, each once, in the same order in every run.

    Args:
        wordnet: The folder with the files of WordNet.
        debian: Debian's file `Translation-en`.
        ranks: How common words are, the commonest 0.
    """
    entries = list(_entries(wordnet))
    packages = _PACKAGE.findall(debian.read_text(encoding="utf-8"))
    found = {
        "glosses": [f"{', '.join(names[:3])}: {gloss}" for _, names, gloss, _ in entries if names[0].islower()],
        "examples": [it for *_, examples in entries for it in examples],
        "packages": [title for title, _ in packages],
        "sentences": [_SENTENCE.split(text.split("\n .\n")[0].replace("\n ", " ").strip())[0] for _, text in packages],
        "made": list(_made(entries, ranks)),
    }
    return list(dict.fromkeys(it for kind, texts in found.items() for it in _thinned(texts, _MOST[kind])))


def _entries(wordnet: Path) -> Iterator[tuple[str, list[str], str, list[str]]]:
    """Kind, names, gloss and examples of everything in WordNet."""
    for kind in ("noun", "verb", "adj", "adv"):
        for line in (wordnet / f"data.{kind}").read_text(encoding="utf-8").splitlines():
            if found := _GLOSS.match(line):
                names = [it.split("(")[0].replace("_", " ") for it in found[2].split()[: 2 * int(found[1], 16) : 2]]
                gloss, *examples = _EXAMPLE.split(found[3])
                yield kind, names, gloss.strip(" ;"), [it.strip('"; ') for it in examples]


def _made(entries: Iterable[tuple[str, list[str], str, list[str]]], ranks: dict[str, int]) -> Iterator[str]:
    """Requests about common things, about things that belong to one topic, and for common deeds."""
    random_ = random.Random(0)
    nouns, verbs = (_common([names[0] for kind, names, *_ in entries if kind == it], ranks) for it in ("noun", "verb"))
    of_things, of_deeds = (it.strip().replace("\n", "|").split("|") for it in (_OF_THINGS, _OF_DEEDS))
    topics = [line.replace(":", "").split() for line in synonyms.lines("topics.txt")]
    for _ in range(8_000):
        yield random_.choice(of_things).format(**dict(zip("abc", random_.sample(nouns[:9_000], 3), strict=True)))
        yield random_.choice(of_deeds).format(v=random_.choice(verbs[:2_500]), a=random_.choice(nouns[:9_000]))
        for _ in range(2):
            yield random_.choice(of_things).format(
                **dict(zip("abc", random_.choices(random_.choice(topics), k=3), strict=True))
            )


def _common(names: list[str], ranks: dict[str, int]) -> list[str]:
    """Names in lower case, the commonest first, as their words are on average."""
    known = {it for it in names if all(word in ranks for word in it.split())}
    return sorted(known, key=lambda it: (sum(ranks[word] for word in it.split()) / len(it.split()), it))


def _thinned(texts: Iterable[str], most: int) -> list[str]:
    fit = {it for it in texts if _SHORTEST <= len(it) < _LONGEST and it.isascii()}
    return sorted(fit, key=lambda it: (zlib.crc32(it.encode()), it))[:most]
