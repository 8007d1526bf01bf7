"""The section `tools` of `config.yaml`: what may stand there, for checks, completions and documentation."""

from __future__ import annotations

from hermes_core.config.sections import SectionSpec
from hermes_core.search.config import MOST_MATCHES

TOOLS_SECTION = SectionSpec(
    name="tools",
    schema={
        "type": "object",
        "description": "How models are shown their tools.",
        "properties": {
            "tool_search": {
                "type": ["object", "boolean", "string"],
                "pattern": "^(auto|on|off|true|false|yes|no)$",
                "description": "Whether tools are hidden behind tool search; true means auto, false means off.",
                "examples": ["auto"],
                "properties": {
                    "enabled": {
                        "enum": ["auto", "on", "off", True, False],
                        "default": "auto",
                        "description": "auto hides tools when their definitions are long, on always, off never.",
                    },
                    "threshold_pct": {
                        "type": "number",
                        "minimum": 0,
                        "maximum": 100,
                        "default": 10.0,
                        "description": "From how many percent of the context window on auto hides them.",
                    },
                    "search_default_limit": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MOST_MATCHES,
                        "default": 5,
                        "description": "How many tools a search finds when the model does not say.",
                    },
                    "max_search_limit": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MOST_MATCHES,
                        "default": 20,
                        "description": "How many tools a search finds at most.",
                    },
                    "usage_prior": {
                        "type": "boolean",
                        "default": False,
                        "description": "Whether tools that the audit log knows well come a little earlier.",
                    },
                },
            }
        },
    },
)

SEARCH_SECTIONS = (TOOLS_SECTION,)
