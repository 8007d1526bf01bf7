"""Docstrings and signatures as Markdown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from types import ModuleType

_MAX_COLUMNS = 100  # as wide as a code block on the page


def module_doc(module: ModuleType) -> str:
    """Return the docstring of a public module without its marker."""
    text = (inspect.getdoc(module) or "").removeprefix("PUBLIC: ")
    return text[:1].upper() + text[1:]


def attributes(*classes: type) -> dict[str, str]:
    """Return the description of each attribute from the docstrings of some classes."""
    found: dict[str, str] = {}
    for cls in classes:
        for title, body in sections(cls)[1]:
            if title == "Attributes":
                found.update(items(body))
    return found


def sections(thing: object) -> tuple[str, list[tuple[str, str]]]:
    """Split a docstring into its text and its sections: `Args`, `Attributes`, `Returns`, `Raises`."""
    doc = inspect.getdoc(thing) or ""
    text, *rest = re.split(r"^(Args|Attributes|Returns|Raises):\n", doc, flags=re.MULTILINE)
    return text.strip(), list(zip(rest[::2], rest[1::2], strict=True))


def items(body: str) -> dict[str, str]:
    """Return the `name: text` items of a section; indented lines belong to the item above them."""
    found: dict[str, str] = {}
    name = ""
    for line in inspect.cleandoc(body).splitlines():
        match = re.match(r"(\*{0,2}\w+): (.*)", line)
        if match:
            name = match[1]
            found[name] = match[2]
        elif name:
            found[name] += f" {line.strip()}"
    return {key: value.strip() for key, value in found.items()}


def signature(function: Callable[..., object]) -> str:
    """Format the parameters of a function as in its source."""
    parts: list[str] = []
    star = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        star = star or parameter.kind is parameter.VAR_POSITIONAL
        parts.append(_parameter(parameter))
        if parameter.kind is parameter.POSITIONAL_ONLY:
            parts.append("/")
    return f"({', '.join(parts)})"


def wrapped(text: str) -> str:
    """Write each parameter of a long signature on its own line, as a formatter does."""
    if len(text) <= _MAX_COLUMNS:
        return text
    start, end = text.index("(") + 1, text.rindex(")", 0, (text + " -> ").rindex(" -> "))
    parts, depth = [""], 0
    for char in text[start:end]:
        depth += (char in "([{") - (char in ")]}")
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return text[:start] + "".join(f"\n    {part.strip()}," for part in parts) + "\n" + text[end:]


def _parameter(parameter: inspect.Parameter) -> str:
    text = str(parameter).partition(":")[0].partition("=")[0].strip()  # including stars
    annotated = parameter.annotation is not parameter.empty
    if annotated:
        annotation = getattr(parameter.annotation, "__forward_arg__", parameter.annotation)  # in named tuples
        text += f": {type_name(annotation)}"
    if parameter.default is not parameter.empty:
        # A default created by a factory has no source text.
        default = "..." if "factory" in repr(parameter.default) else repr(parameter.default)
        text += f" = {default}" if annotated else f"={default}"
    return text


def type_name(annotation: object) -> str:
    """Return an annotation as in the source."""
    return annotation if isinstance(annotation, str) else str(getattr(annotation, "__name__", annotation))


def members(cls: type) -> list[str]:
    """List the public methods and properties of a class, then the inherited ones, in source order."""
    package = cls.__module__.partition(".")[0]
    bases = [base for base in cls.__mro__ if base.__module__.startswith(package)]
    return [
        key
        for key, member in {key: found for base in bases for key, found in vars(base).items()}.items()
        if key[0] != "_" and (inspect.isfunction(member) or isinstance(member, (property, classmethod, staticmethod)))
    ]


def member(owner: str, key: str, cls: type) -> str:
    """Format a method or property as a section of a page."""
    member = inspect.getattr_static(cls, key)
    if isinstance(member, property):
        return f"#### {owner}.{key}\n\n{prose(member)}"
    function = getattr(cls, key)
    word = "async " if inspect.iscoroutinefunction(function) else ""
    returns = inspect.signature(function).return_annotation
    written = wrapped(f"{word}{key}{signature(function)} -> {type_name(returns)}")
    return f"#### {owner}.{key}\n\n```text\n{written}\n```\n\n{prose(function)}"


def prose(thing: object) -> str:
    """Format a docstring as Markdown: its text, then its sections as lists."""
    text, rest = sections(thing)
    parts = [text]
    for title, body in rest:
        named = items(body)
        listed = "\n".join(f"- `{name}`: {meaning}" for name, meaning in named.items())
        parts.append(f"{title}:\n\n{listed}" if named else f"{title}: {' '.join(body.split())}")
    return "\n\n".join(parts)
