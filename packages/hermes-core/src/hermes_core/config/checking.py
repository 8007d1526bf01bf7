"""Looks for everything that is wrong with the user's settings, and stops at nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hermes_core.config.core_sections import FAMILIAR_SECTIONS
from hermes_core.config.document import Document, key_of, parse_document, twice
from hermes_core.config.dotenv import others_may_read, parse_dotenv
from hermes_core.config.overrides import named_variables, unclaimed
from hermes_core.config.problems import ConfigProblem
from hermes_core.config.reading import read_section
from hermes_core.config.sections import SectionSpec
from hermes_core.config.texts import read_text
from hermes_core.config.values import near
from hermes_core.errors import ConfigError


def find_problems(
    file: Path, env_file: Path, sections: Mapping[str, SectionSpec], environ: Mapping[str, str]
) -> list[ConfigProblem]:
    """What is wrong with the file, then with `.env`, then with the environment."""
    found: list[ConfigProblem] = []
    try:
        document = parse_document(file, read_text(file))
    except ConfigError as error:
        found.append(ConfigProblem.from_error(error, "config.yaml"))
        document = Document(file=file)
    found += _in_document(document, sections)
    dotenv: dict[str, str] = {}
    found += _in_dotenv(env_file, dotenv)
    environ = {**dotenv, **environ}
    names = named_variables(environ)
    for spec in sections.values():
        found += read_section(spec, document, environ, names).problems
    found += unclaimed(names, sections)
    return sorted(found, key=lambda each: (each.file != str(file), each.file is None, each.line or 0))


def misspelled(
    document: Document, names: Sequence[str], sections: Mapping[str, SectionSpec]
) -> Iterator[ConfigProblem]:
    """Sections that nothing reads and that look like one that something does; others may belong to another plugin."""
    for problem in (*_in_document(document, sections), *unclaimed(names, sections)):
        if problem.level == "warning" and problem.nearest:
            yield problem


def _in_document(document: Document, sections: Mapping[str, SectionSpec]) -> Iterator[ConfigProblem]:
    file = str(document.file)
    for steps, line, first in document.repeated:
        yield ConfigProblem(file=file, line=line, key=key_of(steps), reason=twice(steps, first))
    for name in document.data:
        if name not in sections:
            familiar = name in FAMILIAR_SECTIONS
            yield ConfigProblem(
                level="note" if familiar else "warning",
                file=file,
                line=document.line_of((name,)),
                key=str(name),
                reason="no installed plugin reads it.",
                nearest=() if familiar else near(str(name), {*sections, *FAMILIAR_SECTIONS}),
            )
    for spec in sections.values():
        for way in spec.ways():
            if document.places.get((spec.name, *way)) is not None and spec.is_secret(way):
                key = key_of((spec.name, *way))
                yield ConfigProblem(
                    level="warning" if others_may_read(document.file) else "note",
                    file=file,
                    line=document.line_of((spec.name, *way)),
                    key=key,
                    reason=f"a secret is safer in .env, where 'hermes config set {key} VALUE' puts it.",
                )


def _in_dotenv(file: Path, values: dict[str, str]) -> Iterator[ConfigProblem]:
    try:
        text = read_text(file)
        if text is None:
            return
        lines: dict[str, int] = {}
        for each in parse_dotenv(file, text):
            values[each.name] = each.value
            first = lines.setdefault(each.name, each.line)
            if first != each.line:
                yield ConfigProblem(
                    level="warning",
                    file=str(file),
                    line=each.line,
                    key=each.name,
                    reason=f"stands here again, and this line wins; the first is line {first}.",
                    source=".env",
                )
    except ConfigError as error:
        yield ConfigProblem.from_error(error, ".env")
        return
    if others_may_read(file):
        yield ConfigProblem(
            level="warning",
            file=str(file),
            reason=f"other users may read it. Run: chmod 600 {file}",
            source=".env",
        )
