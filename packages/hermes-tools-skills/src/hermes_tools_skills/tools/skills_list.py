"""The tool `skills_list`."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from pydantic import Field

from hermes_core import ToolContext, ToolInputError, tool
from hermes_core.errors import did_you_mean
from hermes_schemas import nearest
from hermes_tools_skills.library import Listing
from hermes_tools_skills.search import search_skills
from hermes_tools_skills.session_library import library_for_call
from hermes_tools_skills.skill import Skill

_MAX_DESCRIPTION = 300
"""How many characters of a description are listed; skill_view shows all of it."""

_LIMIT = 100
_NO_CATEGORY = "(none)"


@tool(
    toolset="skills",
    emoji="📚",
    effects=["read"],
    keywords=["skill", "find", "search", "instructions", "procedures", "how-to", "workflow"],
)
def skills_list(
    ctx: ToolContext,
    category: Annotated[
        str | None, Field(description="Only skills of this category, such as devops. See skills_categories.")
    ] = None,
    query: Annotated[
        str | None,
        Field(description="Only skills with any of these words in name, tags, category or description; best first."),
    ] = None,
    limit: Annotated[int, Field(ge=1, le=500, description="The maximum number of skills.")] = _LIMIT,
    offset: Annotated[int, Field(ge=0, description="How many skills to skip.")] = 0,
) -> dict[str, Any]:
    """List skills with name and description. Skills are instructions for particular tasks.

    Use it before a task that a skill may cover, and read matching skills with skill_view before you start. If there are
    more skills than the limit, the result says so: pass a category, a query or an offset.
    """
    listing = library_for_call(ctx).listing()
    found = _choose(listing, category, query)
    shown = found[offset : offset + limit]
    result: dict[str, Any] = {
        "success": True,
        "skills": describe_skills(shown, listing),
        "categories": [name or _NO_CATEGORY for name in listing.categories],
        "count": len(shown),
        "total": len(found),
    }
    if offset + len(shown) < len(found):
        result["next_offset"] = offset + len(shown)
        result["hint"] = f"{len(found) - offset - len(shown)} more skills: pass a category, a query or the offset."
    elif shown:
        result["hint"] = "Read a skill with skill_view before you use it."
    else:
        result["hint"] = _explain_nothing(listing, category, query)
    if listing.problems:
        result["note"] = (
            f"Not all skills could be loaded: 'hermes skills check' shows {len(listing.problems)} problems."
        )
    return result


def _choose(listing: Listing, category: str | None, query: str | None) -> list[Skill]:
    found = list(listing.skills)
    if category is not None:
        wanted = "" if category == _NO_CATEGORY else category.strip().strip("/")
        found = [skill for skill in found if skill.category == wanted or skill.category.startswith(f"{wanted}/")]
        if not found:
            near = nearest(category, listing.categories, 3)
            raise ToolInputError(
                f"There is no category {category!r}.{did_you_mean(near)}",
                categories=[name or _NO_CATEGORY for name in listing.categories],
            )
    return search_skills(found, query) if query and query.strip() else found


def describe_skills(skills: list[Skill], listing: Listing) -> list[dict[str, Any]]:
    """Describe skills in a line each; those whose name is not unique with their id."""
    names = Counter(skill.name for skill in listing.skills)
    rows = []
    for skill in skills:
        row = {"name": skill.name if names[skill.name] == 1 else skill.id, "description": skill.description}
        if len(skill.description) > _MAX_DESCRIPTION:
            row["description"] = skill.description[: _MAX_DESCRIPTION - 3] + "..."
        rows.append({**row, "category": skill.category} if skill.category else row)
    return rows


def _explain_nothing(listing: Listing, category: str | None, query: str | None) -> str:
    if query and listing.skills:
        scope = f" in {category}" if category else ""
        return f"No skill{scope} matches. Try other words, or list the categories with skills_categories."
    return "There are no more skills." if listing.skills else "There are no skills. skill_manage can create one."
