"""The tool `skills_categories`."""

from __future__ import annotations

from typing import Any

from hermes_core import ToolContext, tool
from hermes_tools_skills.session_library import library_for_call


@tool(
    toolset="skills",
    emoji="🗂️",
    effects=["read"],
    keywords=["skill", "category", "instructions", "procedures", "how-to", "workflow"],
)
def skills_categories(ctx: ToolContext) -> dict[str, Any]:
    """List the categories of skills, with the number of skills in each. Skills are instructions for particular tasks.

    Use it at the start of a task that a skill may cover. Then call skills_list with a category or a query.
    """
    listing = library_for_call(ctx).listing()
    categories = [{"name": name or "(none)", "skills": count} for name, count in listing.categories.items()]
    return {"success": True, "categories": categories, "count": len(listing.skills)}
