"""Checks words, names and the layout of packages: `python -m docs.conventions`.

It prints every problem, and exits with 1 when one is in a part of the repository that pyproject.toml lists as clean. A
part is a package, or one of the directories `bench`, `docs`, `examples` and `tests`; `docs` includes the Markdown files
at the root. Only the standard library is needed. The marker `conventions: allow` in a comment excuses its line, the
string that ends there, and in Markdown the line below. In the first line, it also excuses the name of the file.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
MARKER = "conventions: allow"

WORDS = {
    r"all the same": "anyway, or nothing",
    r"also if": "even if",
    r"anew": "again",
    r"anybody|nobody|somebody": "no one, a user, another process",
    r"becomes? of|became of": "the status, the result",
    r"(?<!when it )comes? to": "reaches, gets",
    r"desks?": "a session",
    r"ha(?:s|ve) a say": "applies, decides",
    r"(?:is|are) there to": "it does something",
    r"is told|are told": "learns, gets, is notified",
    r"look(?:s|ed|ing)? after": "manages",
    r"mend(?:s|ed|ing)?": "fix, repair",
    r"oversights?": "a problem",
    r"something else than": "not, or something other than",
    r"rooms": "packages, limits",
    r"strangers?": "untrusted",
    r"such that": "so that",
    r"to be had": "available",
    r"walls": "a sandbox",
    r"wakers?|awaken(?:s|ed)?": "a callback, lazy",
    r"what there is": "what exists",
    r"wherever from": "from any source",
    r"who(?:so)?ever": "anyone who, the caller, the user",
    r"whose word": "which setting",
}
"""What may not be in a text, as regular expressions of whole words, and what to write instead."""

NAME_WORDS = {
    "awaken dormant": "lazy",
    "desk desks": "a session",
    "keeping": "a store, a cache",
    "mend mended mending mends": "fix, repair",
    "mistake mistakes oversight oversights trouble troubles violation violations": "a problem",
    "placing": "a registration",
    "room rooms": "a limit, a budget",
    "sight": "visibility, a scope",
    "stranger strangers": "untrusted",
    "telling tellings": "a report",
    "waker wakers": "a callback, a notifier",
    "walls": "a sandbox",
    "wanting wantings": "a request",
}
"""What may not be a word of a name, be it of a module, a class, a function, a parameter or a variable."""

NOUN_WORDS = {
    "book books": "a ruleset",
    "failure failures": "an error, a problem",
    "ground grounds place places": "a directory, a location",
    "here there": "local, remote",
    "keep keeps stay stays": "persistent, a store",
    "lane lanes": "a queue, a group",
    "late": "lazy",
    "obeyed past stillness": "what it holds",
    "tell tells": "a report",
}
"""What may not be a word of the name of a module or a class, either."""

LIMIT_WORDS = {"most": "max, or a limit"}
"""What may not be a word of the name of a constant or a parameter, either."""

PARTICIPLES = "given heard kept said seen shown told wanted written"
"""Neither are these; nor do they end the name of a function that is no predicate."""

IDIOMS = "at_most in_place make_room"
"""Names in which such a word is ordinary English."""

FIELD_WORDS = (
    "binding bindings docstring docstrings editing embedding embeddings encoding encodings escaping finding findings "
    "listing listings logging pending posting postings pricing ranking rating ring scoring setting settings spelling "
    "spellings string strings testing timing timings warning warnings"
)
"""Words in -ing or -ings that are nouns of the field."""

PUBLIC_IN_SPITE_OF_THE_UNDERSCORE = "_asdict _current_frames _exit _fields _getframe _make _replace"
"""Names of the standard library that are documented."""


def _by_word(table: dict[str, str]) -> dict[str, str]:
    return {word: instead for words, instead in table.items() for word in words.split()}


NOT_CHECKED = "conventions.py generated labeled reference"
"""This file, pages that the benchmarks read, and pages that are generated from the packages."""

_NOT_CHECKED = frozenset(NOT_CHECKED.split())
_FIELD_WORDS, _PARTICIPLES = frozenset(FIELD_WORDS.split()), frozenset(PARTICIPLES.split())
_NAME_WORDS = _by_word(NAME_WORDS)
_NOUN_WORDS = _NAME_WORDS | _by_word(NOUN_WORDS | {PARTICIPLES: "a noun"})
_WORDS = {re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE): instead for pattern, instead in WORDS.items()}
_ANY_WORD = re.compile("|".join(rf"\b(?:{pattern})\b" for pattern in WORDS), re.IGNORECASE)
_ANY_NAME_WORD = re.compile("|".join(_NOUN_WORDS | LIMIT_WORDS), re.IGNORECASE)


class Problem(NamedTuple):
    """Something to change.

    Attributes:
        part: The package, or the top-level directory, that it is in.
        location: The file, relative to the repository, and the line.
        text: What is wrong and what to write instead.
    """

    part: str
    location: str
    text: str


def find_problems(root: Path) -> Iterator[Problem]:
    """Find every problem of a repository."""
    for package in sorted(file.parent for file in (root / "packages").glob("*/pyproject.toml")):
        source = package / "src" / package.name.replace("-", "_")
        modules = sorted(source.rglob("*.py"))
        for file in [*modules, *sorted(package.glob("*.md"))]:
            yield from _located(root, file, package.name, _word_problems(file))
        for file in modules:
            yield from _located(root, file, package.name, _definition_problems(file))
            yield from _located(root, file, package.name, _private_problems(file))
        for path in [*modules, *(each for each in sorted(source.rglob("*")) if each.is_dir())]:
            yield from _located(root, path, package.name, _module_problems(path))
        for path in sorted((package / "tests").rglob("*.py")):
            yield from _located(root, path, package.name, _file_problems(path))
        facade = source / "__init__.py"
        if facade.is_file():
            yield from _located(root, facade, package.name, _facade_problems(facade))
        if package.name.startswith("hermes-tools-"):
            yield from _located(root, source, package.name, _layout_problems(source, modules))
    for folder in ("bench", "docs", "examples", "tests"):
        files = [file for ending in ("md", "py") for file in sorted((root / folder).rglob(f"*.{ending}"))]
        for file in (each for each in files if not _NOT_CHECKED.intersection(each.parts)):
            yield from _located(root, file, folder, _file_problems(file))
            if folder != "tests":
                yield from _located(root, file, folder, _word_problems(file))
            if file.suffix == ".py" and folder != "tests":
                yield from _located(root, file, folder, _definition_problems(file))
    for file in sorted(root.glob("*.md")):
        yield from _located(root, file, "docs", _word_problems(file))


def _located(root: Path, path: Path, part: str, problems: Iterator[tuple[int, str]]) -> Iterator[Problem]:
    for line, text in problems:
        yield Problem(part, f"{path.relative_to(root)}:{line}" if line else str(path.relative_to(root)), text)


# -- words -----------------------------------------------------------------------------------------------------------


def _word_problems(file: Path) -> Iterator[tuple[int, str]]:
    text = file.read_text(encoding="utf-8")
    if not _ANY_WORD.search(text):
        return
    allowed = _allowed_lines(text, is_python=file.suffix == ".py")
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, instead in _WORDS.items() if number not in allowed else ():
            if found := pattern.search(line):
                yield number, f"{found[0]!r}: write {instead}, or say it another way"


def _allowed_lines(text: str, *, is_python: bool) -> set[int]:
    """Return the lines that a marker excuses: its own, the one below in Markdown, and in Python a string's lines."""
    marked = {number for number, line in enumerate(text.splitlines(), 1) if MARKER in line}
    if not is_python or not marked:
        return marked | {number + 1 for number in marked}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING and token.end[0] in marked:
            marked |= set(range(token.start[0], token.end[0]))
    return marked


# -- names -----------------------------------------------------------------------------------------------------------


def _module_problems(path: Path) -> Iterator[tuple[int, str]]:
    """Find what is wrong with the name of a module or a directory of modules."""
    yield from _file_problems(path)
    last = path.stem.strip("_").split("_")[-1]
    if re.search("ings?$", last) and last not in _FIELD_WORDS and not _is_allowed(path):
        yield 0, f"the name {path.stem!r} is a gerund: a module is a noun"


def _file_problems(path: Path) -> Iterator[tuple[int, str]]:
    for word in [] if _is_allowed(path) else _wrong_words(path.stem.replace("-", "_"), _NOUN_WORDS):
        yield 0, f"the name {path.stem!r}: write {_NOUN_WORDS[word]} instead of {word!r}"


def _is_allowed(path: Path) -> bool:
    """Whether the first line of a file, or of the module of a directory, excuses its name."""
    file = path / "__init__.py" if path.is_dir() else path
    return file.is_file() and MARKER in file.read_text(encoding="utf-8").partition("\n")[0]


def _definition_problems(file: Path) -> Iterator[tuple[int, str]]:
    """Find wrong words in the names that a module defines, where each one is first written."""
    text = file.read_text(encoding="utf-8")
    if not _ANY_NAME_WORD.search(text):
        return
    found: dict[tuple[str, str], int] = {}
    for node in ast.walk(ast.parse(text)):
        name, table = _defined_name(node)
        for word in _wrong_words(name, table):
            line = getattr(node, "lineno", 0)
            why = f"write {table[word]} instead of {word!r}"
            found[name, why] = min(line, found.get((name, why), line))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_participle(name):
            found[name, "the name of a function is a verb, or begins with is_ or has_"] = node.lineno
    allowed = _allowed_lines(text, is_python=True)
    for (name, why), line in sorted(found.items(), key=lambda each: each[1]):
        if line not in allowed:
            yield line, f"the name {name!r}: {why}"


def _defined_name(node: ast.AST) -> tuple[str, dict[str, str]]:
    """Return the name that a node of the syntax tree defines, and the words that it may not have."""
    if isinstance(node, ast.ClassDef):
        return node.name, _NOUN_WORDS
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return node.name, _NAME_WORDS
    if isinstance(node, ast.arg):
        return node.arg, _NAME_WORDS | LIMIT_WORDS
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id, _NAME_WORDS | LIMIT_WORDS if node.id.isupper() else _NAME_WORDS
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return node.attr, _NAME_WORDS
    return "", {}


def _wrong_words(name: str, table: dict[str, str]) -> list[str]:
    for idiom in IDIOMS.split():
        name = re.sub(idiom, "", name, flags=re.IGNORECASE)
    return [word for word in _split(name) if word in table]


def _is_participle(name: str) -> bool:
    words = _split(name)
    return words[-1] in _PARTICIPLES and words[0] not in {"is", "has", "are", "was", "were", "test"}


def _split(name: str) -> list[str]:
    """Split a name, in either style, into its words."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)] or [""]


def _facade_problems(file: Path) -> Iterator[tuple[int, str]]:
    """Find public names that a façade writes more than once: in imports, in `__all__`, in a table."""
    found: Counter[str] = Counter()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.List | ast.Tuple):
            found.update(_strings(node.elts))
        elif isinstance(node, ast.Dict):
            found.update(_strings(node.keys))
    names = sorted(name for name, times in found.items() if times > 1)
    if names:
        yield 0, f"{len(names)} names are written more than once, such as {names[0]}"


def _strings(nodes: list[ast.expr] | list[ast.expr | None]) -> Iterator[str]:
    return (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


# -- private names ---------------------------------------------------------------------------------------------------


def _private_problems(file: Path) -> Iterator[tuple[int, str]]:
    """Find private names of other modules: those that are imported, and attributes that this module does not define."""
    text = file.read_text(encoding="utf-8")
    if not re.search(r"\b(?!self\b|cls\b)\w+(?:\(\)|\])?\._[a-z]|^\s*from hermes_\S+ import .*\b_", text, re.MULTILINE):
        return
    nodes = list(ast.walk(ast.parse(text)))
    defined = set(PUBLIC_IN_SPITE_OF_THE_UNDERSCORE.split())
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            defined.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node.value):
            defined.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            defined.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):  # in __slots__
            defined.add(node.value)
    allowed = _allowed_lines(text, is_python=True)
    for node in nodes:
        names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("hermes_"):
            continue
        if isinstance(node, ast.Attribute) and not _is_self(node.value) and node.attr not in defined:
            names = [node.attr]
        line = getattr(node, "lineno", 0)
        for name in names:
            if re.match("_[a-z]", name, re.IGNORECASE) and line not in allowed:
                yield line, f"{name} is private to another module"


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


# -- the layout of a family ------------------------------------------------------------------------------------------


def _layout_problems(source: Path, modules: list[Path]) -> Iterator[tuple[int, str]]:
    for name in ("plugin.py", "settings.py", "tools"):
        if not (source / name).exists():
            yield 0, f"a family has {name}"
    if not (source / "cli").is_dir() and not (source / "cli.py").is_file():
        yield 0, "a family has cli.py, or the directory cli"
    for module in source.glob("*_cli.py"):
        yield 0, f"{module.name} belongs into the directory cli"
    for module in modules:
        hooks = re.findall(r"^@hookimpl\b[^\n]*\ndef (hermes_\w+)", module.read_text(encoding="utf-8"), re.MULTILINE)
        if hooks and module != source / "plugin.py":
            yield 0, f"{module.relative_to(source)} implements hooks, which belong into plugin.py"
        if "hermes_providers" in hooks and not (source / "providers").is_dir():
            yield 0, "a family that registers providers has the directory providers"


def main(root: Path = ROOT) -> int:
    """Print all problems, those of clean parts last, and return 1 when there are any of those."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    clean = set(project["tool"]["hermes-tools"]["clean"])
    problems = sorted(find_problems(root), key=lambda each: (each.part in clean, each.part))
    for each in problems:
        print(f"{each.location}: {each.text}" + (f" ({each.part} is listed as clean)" if each.part in clean else ""))
    for part, count in sorted(Counter(each.part for each in problems).items()):
        print(f"{part:24}{count:>5} problems{', but is listed as clean' if part in clean else ''}")
    return int(any(each.part in clean for each in problems))


if __name__ == "__main__":
    sys.exit(main())
