"""Finds everything that is wrong with the user's settings, and stops at nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hermes_core.config.layers import named_variables, plain, problem_in, read_section, split_variable
from hermes_core.config.problems import ConfigProblem, near
from hermes_core.config.sections import SectionSpec
from hermes_files import FileError
from hermes_files.dotenv import others_may_read, parse_dotenv
from hermes_files.text_file import read_text
from hermes_files.yaml_document import Document, describe_repeated, key_of, parse_document

FAMILIAR_SECTIONS = frozenset(
    """
    _config_version agent approvals auxiliary browser checkpoints clarify code_execution command_allowlist
    compression context context_file_max_chars cron curator delegation discord display fallback_model
    file_read_max_chars gateway hooks honcho human_delay image_gen lsp mcp mcp_servers memory messaging model
    model_aliases moa network onboarding personalities platform_toolsets platforms privacy prompt_caching
    provider_routing providers quick_commands security session_reset sessions skills slack smart_model_routing stt
    streaming telegram terminal timezone tool_loop_guardrails tool_output tools tts updates video_gen vision voice
    web whatsapp worktree x_search
    """.split()  # noqa: SIM905 - a list of sixty lines would bury the code around it
)
"""Sections that agents of this kind commonly have: without a plugin that reads them they do nothing, and no harm."""


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
        reason = describe_repeated(steps, first)
        found.append(ConfigProblem(file=str(file), line=line, key=key_of(steps), reason=reason))
    found += _secrets_in_file(document, sections)
    dotenv: dict[str, str] = {}
    found += _in_dotenv(env_file, dotenv)
    environ = {**dotenv, **environ}
    names = named_variables(environ)
    for spec in sections.values():
        found += read_section(spec, document, environ, names).problems
    found += find_unread(document, names, sections)
    return sorted(found, key=lambda each: (each.file != str(file), each.file is None, each.line or 0))


def find_unread(
    document: Document, names: Iterable[str], sections: Mapping[str, SectionSpec]
) -> Iterator[ConfigProblem]:
    """Yield sections of the file and variables that no plugin reads."""
    for name in document.data:
        if name not in sections:
            reason = "no installed plugin reads it."
            yield ConfigProblem.at(document, (name,), reason=reason, **_severity(str(name), sections))
    known = {plain(section) for section in sections}
    for variable in names:
        section, *keys = split_variable(variable)
        if section not in known:
            reason = f"{variable} has no effect: no installed plugin reads the section {section!r}."
            yield problem_in(variable, (section, *keys), reason, **_severity(section, known))


def _severity(section: str, known: Iterable[str]) -> dict[str, Any]:
    if section in FAMILIAR_SECTIONS:
        return {"level": "note"}
    return {"level": "warning", "nearest": near(section, {*known, *FAMILIAR_SECTIONS})}


def _secrets_in_file(document: Document, sections: Mapping[str, SectionSpec]) -> Iterator[ConfigProblem]:
    for spec in sections.values():
        for path in spec.paths():
            steps = (spec.name, *path)
            if steps in document.lines and spec.is_secret(path):
                level = "warning" if others_may_read(document.file) else "note"
                reason = f"a secret is safer in .env, where 'hermes config set {key_of(steps)} VALUE' puts it."
                yield ConfigProblem.at(document, steps, level=level, reason=reason)


def _in_dotenv(file: Path, values: dict[str, str]) -> Iterator[ConfigProblem]:
    try:
        assignments = parse_dotenv(file, read_text(file) or "")
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
