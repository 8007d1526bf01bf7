"""The tool `skill_view`."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field

from hermes_core import Finding, ToolContext, ToolDeniedError, ToolError, ToolFailedError, tool
from hermes_text.terminal import clean
from hermes_tools_skills.frontmatter import FrontmatterError, parse_frontmatter
from hermes_tools_skills.library import Library
from hermes_tools_skills.load_review import review_loaded
from hermes_tools_skills.readiness import check_readiness, user_environ
from hermes_tools_skills.resources import list_resources, read_resource, require_inside
from hermes_tools_skills.scanner import ContentError, hash_content
from hermes_tools_skills.session_library import library_for_call
from hermes_tools_skills.skill import FILES, Skill, SkillError, read_text

_REVIEWED = "hermes_skills_reviewed"
_MAX_SPAN = 8_000
_log = logging.getLogger("hermes")
_SHOWN_FIELDS = ("license", "compatibility", "version", "allowed-tools")


def assess(args: Mapping[str, Any], ctx: ToolContext) -> Iterator[Finding]:
    """Ask about a skill in which the scan finds something dangerous."""
    try:
        library = library_for_call(ctx)
        skill = library.find(args["name"])
        digest = hash_content(skill.directory)
        review = review_loaded(skill)
    except (ToolError, SkillError, ContentError):
        return  # the tool reports the error
    ctx.session.state.setdefault(_REVIEWED, {})[ctx.call.id] = digest, review
    if review.action == "ask":
        yield Finding(
            rule="skills.dangerous",
            severity="ask",
            reason=f"reads the skill {skill.id}, in which the scan found: {', '.join(review.classes)}",
            effects=frozenset({"read"}),
            span=review.describe()[:_MAX_SPAN],
            bound=(("with this content of the skill", digest),),
        )


@tool(
    toolset="skills",
    emoji="📖",
    effects=["read"],
    assess=assess,
    max_result_size_chars=100_000,
    argument_aliases={"skill": "name", "path": "file_path"},
    keywords=["skill", "read", "load", "instructions", "procedure", "how-to", "workflow"],
)
def skill_view(
    ctx: ToolContext,
    name: Annotated[
        str, Field(description="The name or id of the skill, such as deploy, devops/deploy or plugin:deploy.")
    ],
    file_path: Annotated[
        str | None,
        Field(description="A file of the skill instead of its instructions, such as references/api.md."),
    ] = None,
) -> dict[str, Any]:
    """Read the instructions of a skill, or one file of it. Do this before a task that the skill covers.

    The result has the instructions, the directory of the skill, and its other files without their contents. Read a file
    only when the instructions refer to it: call skill_view again with file_path. Paths in the instructions are relative
    to skill_dir. If setup_needed is true, tell the user what is missing.
    """
    library = library_for_call(ctx)
    skill = library.find(name)
    _require_usable(skill, ctx)
    if file_path is not None and file_path.strip() not in ("", skill.file.name, FILES[0]):
        return {"success": True, "name": skill.id, "file": file_path, **read_resource(skill, file_path)}
    return view_skill(skill, library, session=ctx.session.id)


def _require_usable(skill: Skill, ctx: ToolContext) -> None:
    """Raise an error unless the skill is as it was when it was assessed, and may be used."""
    digest, review = ctx.session.state.get(_REVIEWED, {}).pop(ctx.call.id, ("", None))
    try:
        if review is None:
            review_loaded(skill)  # raises the reason
        present = hash_content(skill.directory)
    except (SkillError, ContentError) as error:
        raise ToolDeniedError(
            f"The skill {skill.id} cannot be used: {error}",
            hint="Tell the user, who can inspect it and install it again.",
        ) from None
    if review is None or present != digest:
        raise ToolFailedError(f"The skill {skill.id} is being changed.", hint="Try again.")
    if review.action == "block":
        _log.warning("The skill %s was not loaded:\n%s", skill.id, review.describe())
        raise ToolDeniedError(
            f"The skill {skill.id} was not loaded: {', '.join(review.classes)}.", hint="Tell the user about it."
        )


def view_skill(skill: Skill, library: Library, *, session: str = "") -> dict[str, Any]:
    """Return the instructions of a skill, with its files, metadata and readiness.

    Raises:
        ToolFailedError: SKILL.md can no longer be read.
    """
    require_inside(skill, skill.file.name)  # it may have become a link since it was found
    try:
        text, _ = read_text(skill.file)
        front = parse_frontmatter(text)
    except (SkillError, FrontmatterError) as error:
        raise ToolFailedError(f"The skill {skill.id} can no longer be read: {error}") from None
    resources = list_resources(skill)
    result: dict[str, Any] = {
        "success": True,
        "name": skill.id,
        "description": skill.description,
        "content": _expand(front.body.lstrip("\r\n"), skill, session),
        "skill_dir": str(skill.directory),
        "path": str(skill.file),
        **check_readiness(skill, library.home, user_environ(library.home)).describe(),
    }
    lists = {"tags": skill.tags, "related_skills": skill.related, "notes": skill.notes}
    result |= {key: list(value) for key, value in lists.items() if value}
    if resources.files:
        result["linked_files"] = resources.grouped()
        result["usage_hint"] = "Read a file with skill_view(name, file_path)."
    if resources.omitted:
        result["linked_files_omitted"] = resources.omitted
    shown = {key: skill.frontmatter[key] for key in _SHOWN_FIELDS if skill.frontmatter.get(key)}
    if metadata := _plain_metadata(skill.frontmatter):
        shown["metadata"] = metadata
    return result | shown


def _plain_metadata(data: Mapping[str, Any]) -> dict[str, str]:
    metadata = data.get("metadata")
    entries = metadata.items() if isinstance(metadata, Mapping) else ()
    return {clean(key): clean(value) for key, value in entries if isinstance(value, str)}


def _expand(body: str, skill: Skill, session: str) -> str:
    return body.replace("${HERMES_SKILL_DIR}", str(skill.directory)).replace("${HERMES_SESSION_ID}", session)
