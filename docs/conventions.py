"""Checks the words, the names and the layout that the packages share: `python -m docs.conventions`.

It prints every problem, and exits with 1 when one is in a part of the repository that pyproject.toml lists as clean. It
needs nothing but the standard library. The marker `conventions: allow` in a comment excuses its line, the string that
ends there, and in Markdown the line below.
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
    r"anybody|nobody|somebody": "no one, a user, another process",
    r"becomes? of|became of": "the status, the result",
    r"desks?": "a session",
    r"is told|are told": "learns, gets, is notified",
    r"mend(?:s|ed|ing)?": "fix, repair",
    r"oversights?": "a problem",
    r"rooms?": "a package, a limit",
    r"strangers?": "untrusted",
    r"such that": "so that",
    r"walls": "a sandbox",
    r"wakers?|awaken(?:s|ed)?": "a callback, lazy",
    r"wherever from": "from any source",
    r"who(?:so)?ever": "anyone who, the caller, the user",
    r"whose word": "which setting",
}
"""What may not be in a text, as regular expressions of whole words, and what to write instead."""

STEMS = (
    "desk desks given heard kept late lanes mistakes obeyed oversights past places room rooms said seen shown sight "
    "stillness told troubles waker wakers walls wanted written"
)
"""What may not be a part of a module's name. Gerunds are found by their ending."""

FIELD_WORDS = (
    "binding bindings docstring docstrings editing embedding embeddings encoding encodings escaping finding findings "
    "listing listings logging pending posting postings pricing ranking rating ring scoring setting settings spelling "
    "spellings string strings timing timings warning warnings"
)
"""Words in -ing or -ings that are nouns of the field."""

PUBLIC_IN_SPITE_OF_THE_UNDERSCORE = "_asdict _current_frames _exit _fields _getframe _make _replace"
"""Names of the standard library that are documented."""

_STEMS, _FIELD_WORDS = frozenset(STEMS.split()), frozenset(FIELD_WORDS.split())
_WORDS = {re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE): instead for pattern, instead in WORDS.items()}
_ANY_WORD = re.compile("|".join(rf"\b(?:{pattern})\b" for pattern in WORDS), re.IGNORECASE)


class Problem(NamedTuple):
    """Something to change.

    Attributes:
        part: The package, or the top-level directory, that it is in.
        place: The file, relative to the repository, and the line.
        text: What is wrong and what to write instead.
    """

    part: str
    place: str
    text: str


def find_problems(root: Path) -> Iterator[Problem]:
    """Find every problem of a repository."""
    for package in sorted(file.parent for file in (root / "packages").glob("*/pyproject.toml")):
        source = package / "src" / package.name.replace("-", "_")
        modules = sorted(source.rglob("*.py"))
        for file in [*modules, *package.glob("README.md")]:
            yield from _located(root, file, package.name, _word_problems(file))
        for file in modules:
            yield from _located(root, file, package.name, _private_problems(file))
        for path in [*modules, *(each for each in sorted(source.rglob("*")) if each.is_dir())]:
            yield from _located(root, path, package.name, _name_problems(path.stem))
        facade = source / "__init__.py"
        if facade.is_file():
            yield from _located(root, facade, package.name, _facade_problems(facade))
        if package.name.startswith("hermes-tools-"):
            yield from _located(root, source, package.name, _layout_problems(source, modules))
    for folder in ("docs", "examples"):
        files = [file for file in sorted((root / folder).rglob("*.md")) if "reference" not in file.parts]
        for file in files:  # the reference is generated from the packages
            yield from _located(root, file, folder, _word_problems(file))


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


def _name_problems(name: str) -> Iterator[tuple[int, str]]:
    words = name.strip("_").split("_")
    for word in words:
        if word in _STEMS:
            yield 0, f"the name {name!r}: {word!r} is no word of the field"
    if re.search("ings?$", words[-1]) and words[-1] not in _FIELD_WORDS:
        yield 0, f"the name {name!r} is a gerund: a module is a noun"


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
        print(f"{each.place}: {each.text}" + (f" ({each.part} is listed as clean)" if each.part in clean else ""))
    for part, count in sorted(Counter(each.part for each in problems).items()):
        print(f"{part:24}{count:>5} problems{', but is listed as clean' if part in clean else ''}")
    return int(any(each.part in clean for each in problems))


if __name__ == "__main__":
    sys.exit(main())
