"""Finds everything that is wrong with the user's settings, and stops at nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hermes_core.config.layers import named_variables, problem_at, read_section, unclaimed, unread
from hermes_core.config.problems import ConfigProblem
from hermes_core.config.sections import SectionSpec
from hermes_files import FileError
from hermes_files.dotenv import others_may_read, parse_dotenv
from hermes_files.text_file import read_text
from hermes_files.yaml_document import Document, describe_repeated, key_of, parse_document


def find_problems(
    file: Path, env_file: Path, sections: Mapping[str, SectionSpec], environ: Mapping[str, str]
) -> list[ConfigProblem]:
    """Return what is wrong with the file, then with `.env`, then with the environment."""
    found: list[ConfigProblem] = []
    try:
        document = parse_document(file, read_text(file))
    except FileError as error:
        found.append(ConfigProblem.from_error(error, "config.yaml"))
        document = Document(file=file)
    for steps, line, first in document.repeated:
        found.append(
            ConfigProblem(file=str(file), line=line, key=key_of(steps), reason=describe_repeated(steps, first))
        )
    found += unread_sections(document, sections)
    found += _secrets_in_file(document, sections)
    dotenv: dict[str, str] = {}
    found += _in_dotenv(env_file, dotenv)
    environ = {**dotenv, **environ}
    names = named_variables(environ)
    for spec in sections.values():
        found += read_section(spec, document, environ, names).problems
    found += unclaimed(names, sections)
    return sorted(found, key=lambda each: (each.file != str(file), each.file is None, each.line or 0))


def find_misspelled(
    document: Document, names: Sequence[str], sections: Mapping[str, SectionSpec]
) -> Iterator[ConfigProblem]:
    """Yield sections that nothing reads and that look like one that something does; others may be another plugin's."""
    for problem in (*unread_sections(document, sections), *unclaimed(names, sections)):
        if problem.level == "warning" and problem.nearest:
            yield problem


def unread_sections(document: Document, sections: Mapping[str, SectionSpec]) -> Iterator[ConfigProblem]:
    """Yield sections of the file that no plugin reads."""
    for name in document.data:
        if name not in sections:
            yield problem_at(document, (name,), reason="no installed plugin reads it.", **unread(str(name), sections))


def _secrets_in_file(document: Document, sections: Mapping[str, SectionSpec]) -> Iterator[ConfigProblem]:
    for spec in sections.values():
        for way in spec.ways():
            steps = (spec.name, *way)
            if steps in document.lines and spec.is_secret(way):
                level = "warning" if others_may_read(document.file) else "note"
                reason = f"a secret is safer in .env, where 'hermes config set {key_of(steps)} VALUE' puts it."
                yield problem_at(document, steps, level=level, reason=reason)


def _in_dotenv(file: Path, values: dict[str, str]) -> Iterator[ConfigProblem]:
    try:
        text = read_text(file)
        assignments = parse_dotenv(file, text or "")
    except FileError as error:
        yield ConfigProblem.from_error(error, ".env")
        return
    warning: dict[str, Any] = {"level": "warning", "file": str(file), "source": ".env"}
    lines: dict[str, int] = {}
    for each in assignments:
        values[each.name] = each.value
        first = lines.setdefault(each.name, each.line)
        if first != each.line:
            reason = f"occurs here again, and this line wins; the first is line {first}."
            yield ConfigProblem(line=each.line, key=each.name, reason=reason, **warning)
    if others_may_read(file):
        yield ConfigProblem(reason=f"other users may read it. Run: chmod 600 {file}", **warning)
