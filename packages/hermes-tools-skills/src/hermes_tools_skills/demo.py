"""The demo step of this family."""

from __future__ import annotations

import json

from hermes_core.demo import Demo, DemoStep


def demo_steps() -> list[DemoStep]:
    """Return the demo steps."""
    return [DemoStep(title="A skill", run=_read_skill, order=25)]


def _read_skill(demo: Demo) -> None:
    demo.say("A model reads skills level by level: first a list of names and descriptions, then the one that it needs:")
    demo.call("skills_list", {"category": "hermes"})
    answer = demo.call("skill_view", {"name": "write-a-policy"})
    demo.require("policy" in json.dumps(answer), "the skill was not read")
