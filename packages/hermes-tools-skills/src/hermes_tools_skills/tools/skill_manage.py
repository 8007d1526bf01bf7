"""The tool `skill_manage`."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from hermes_core import Finding, ToolContext, ToolDeniedError, ToolError, ToolFailedError, tool
from hermes_tools_skills.audit_log import record_change, store_draft
from hermes_tools_skills.changes import Action, Change, ChangeRequest, plan_change
from hermes_tools_skills.installed import accept_digest
from hermes_tools_skills.library import FOLDER
from hermes_tools_skills.review import TRUST, Review, review_skill
from hermes_tools_skills.scanner import ContentError, hash_content
from hermes_tools_skills.session_library import library_for_call
from hermes_tools_skills.settings import SkillsSettings
from hermes_tools_skills.skill import SkillError
from hermes_tools_skills.store import SkillStore

_APPROVED = "hermes_skills_approved"
_MAX_SPAN = 8_000
_FIELDS = frozenset(field.name for field in fields(ChangeRequest))
_log = logging.getLogger("hermes")


def assess(args: Mapping[str, Any], ctx: ToolContext) -> Iterator[Finding]:
    """Return findings about a change that the user must approve; the details are for the user only."""
    request = ChangeRequest(**{name: value for name, value in args.items() if name in _FIELDS})
    try:
        with _prepared(ctx, request) as (store, change, version):
            review = _review(change, version)
            digest = hash_content(version)
            if review.action == "ask":
                _report(store, change, version, review, "needs approval")
    except ToolError:
        return  # the tool reports the error
    settings = ctx.settings(FOLDER, SkillsSettings)
    bound = (("with this content of the skill", digest),)
    if settings.write_approval:
        yield Finding(
            rule="skills.change",
            severity="ask",
            reason=f"changes the skill {change.skill} ({change.action})",
            effects=frozenset({"write"}),
            span=change.diff()[:_MAX_SPAN],
            bound=bound,
        )
    if review.action == "ask":
        yield Finding(
            rule="skills.dangerous",
            severity="ask",
            reason=f"writes the skill {change.skill}, in which the scan found: {', '.join(review.classes)}",
            effects=frozenset({"write"}),
            span=f"{review.describe()}\n{change.diff()}"[:_MAX_SPAN],
            bound=bound,
            once="The scan found something dangerous in this version.",
        )
    ctx.session.state.setdefault(_APPROVED, {})[ctx.call.id] = digest


@tool(
    toolset="skills",
    emoji="🛠️",
    effects=["read", "write", "delete"],
    assess=assess,
    timeout=120,
    argument_aliases={"skill": "name", "path": "file_path"},
    keywords=["skill", "create", "save", "learn", "procedure", "update", "improve", "remember how"],
)
def skill_manage(
    ctx: ToolContext,
    action: Annotated[
        Action,
        Field(
            description="create: a new skill. patch: replace text (preferred for changes). edit: replace all of "
            "SKILL.md. delete: the whole skill. write_file, remove_file: a supporting file."
        ),
    ],
    name: Annotated[
        str, Field(description="The name: lower-case letters, digits, '.', '_' and '-', at most 64; or the skill's id.")
    ],
    content: Annotated[
        str | None,
        Field(
            description="create, edit: the complete SKILL.md: '---', name, description (what it does and when to use "
            "it), '---', then the instructions in Markdown."
        ),
    ] = None,
    category: Annotated[str | None, Field(description="create: the category, such as devops.")] = None,
    old_string: Annotated[
        str | None, Field(description="patch: the exact text to replace, with enough context to be unique.")
    ] = None,
    new_string: Annotated[
        str | None, Field(description="patch: the replacement text; empty to delete old_string.")
    ] = None,
    replace_all: Annotated[bool, Field(description="patch: replace all occurrences instead of exactly one.")] = False,
    file_path: Annotated[
        str | None,
        Field(
            description="patch, write_file, remove_file: a file in references/, templates/, scripts/ or assets/, such "
            "as references/api.md. patch changes SKILL.md without it."
        ),
    ] = None,
    file_content: Annotated[str | None, Field(description="write_file: the complete content of the file.")] = None,
) -> dict[str, Any]:
    """Create, change and delete skills: instructions that you and later sessions reuse.

    Create a skill when a task was hard (five or more calls, errors you had to work around, or corrections by the user)
    and will come again; ask the user first. Patch a skill at once when its instructions were wrong, outdated or
    incomplete. Do not create skills for single facts or simple tasks. Write how to do the task: steps, exact commands,
    pitfalls, and how to check the result; no secrets. Read a skill with skill_view before you edit it. Every change is
    scanned; if it is blocked, tell the user instead of rewording it.
    """
    request = ChangeRequest(
        action=action,
        name=name,
        content=content,
        category=category,
        old_string=old_string,
        new_string=new_string,
        replace_all=replace_all,
        file_path=file_path,
        file_content=file_content,
    )
    approved = ctx.session.state.get(_APPROVED, {}).pop(ctx.call.id, "")
    with _prepared(ctx, request) as (store, change, version):
        digest = hash_content(version)
        review = _review(change, version)
        needs_approval = review.action == "ask" or ctx.settings(FOLDER, SkillsSettings).write_approval
        if review.action == "block":
            raise _refusal(change, review, _report(store, change, version, review, "blocked"))
        if needs_approval and digest != approved:
            raise ToolFailedError(
                f"The skill {change.skill} changed in the meantime. Nothing was written.", hint="Try again."
            )
        record_change(
            store.root, change.action, change.skill, file=change.file, digest=digest, verdict=review.verdict,
            findings=review.findings, outcome="allowed", session=ctx.session.id,
        )  # fmt: skip
        _apply(store, change, version, digest)
    return _result(change)


@contextmanager
def _prepared(ctx: ToolContext, request: ChangeRequest) -> Iterator[tuple[SkillStore, Change, Path]]:
    """Plan a change under the lock, and prepare the version that it leads to."""
    library = library_for_call(ctx)
    store = SkillStore(library.directory)
    try:
        store.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        with store.locked():
            change = plan_change(library, request)
            with store.draft(change) as version:
                yield store, change, version
    except (OSError, ContentError, SkillError) as error:
        raise ToolFailedError(f"The skill could not be changed: {error}.", hint="Nothing was written.") from error


def _review(change: Change, version: Path) -> Review:
    """Scan the new version; a removal needs no scan."""
    return review_skill(version, trust=TRUST) if change.file else Review(action="allow", verdict="safe")


def _apply(store: SkillStore, change: Change, version: Path, digest: str) -> None:
    is_update = bool(change.file) and change.action != "create"
    if is_update:
        accept_digest(store.root, change.directory, digest)
    store.apply(change, version)
    if is_update:
        accept_digest(store.root, change.directory, digest, only=True)


def _report(store: SkillStore, change: Change, version: Path, review: Review, outcome: str) -> str:
    """Store everything about a version that is not in place for the user, and return the id of the draft."""
    facts = {"file": change.file, "verdict": review.verdict, "findings": review.findings, "outcome": outcome}
    report = {"action": change.action, "skill": change.skill, **facts, "diff": change.diff()}
    draft = store_draft(store.root, version, change.skill, report)
    record_change(store.root, change.action, change.skill, **facts, draft=draft)
    _log.warning("A change of the skill %s: %s (draft %s)\n%s", change.skill, outcome, draft, review.describe())
    return draft


def _refusal(change: Change, review: Review, draft: str) -> ToolDeniedError:
    return ToolDeniedError(
        f"The change of the skill {change.skill} was blocked by the security scan: {', '.join(review.classes)}.",
        hint="Do not reword it to pass the scan. Tell the user, who can see the details and the draft.",
        draft=draft,
    )


_DONE = {
    "create": "Created the skill {skill}.",
    "patch": "Patched {file} of the skill {skill}.",
    "edit": "Replaced the instructions of the skill {skill}.",
    "delete": "Deleted the skill {skill}.",
    "write_file": "Wrote {file} of the skill {skill}.",
    "remove_file": "Removed {file} of the skill {skill}.",
}


def _result(change: Change) -> dict[str, Any]:
    result: dict[str, Any] = {
        "success": True,
        "message": _DONE[change.action].format(skill=change.skill, file=change.file),
        "name": change.skill,
        "path": str(change.directory / change.file),
    }
    if change.action == "patch":
        result["replacements"] = change.count
        result["diff"] = change.diff()
        if change.strategy != "exact":
            result["strategy"] = change.strategy
    return result
