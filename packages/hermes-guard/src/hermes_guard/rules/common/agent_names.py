"""Names that refer to the agent itself: its environment variables, modules and process markers."""

from hermes_guard import lazy_re as re

MARK = "HERMES_TOOL_SESSION"
"""Marks processes that a tool of the agent started."""

_SETTINGS = r"HERMES_(?:HOME|PLUGINS|LOCK|ALLOW_PRIVATE_URLS)"

VARIABLE = re.compile(rf"(?:{_SETTINGS}|{MARK}|HERMES_\w+?__\w+)\Z", re.IGNORECASE)
"""Variables that decide what the agent may do, or which session a process belongs to."""

LIMITS = frozenset({"rttime", "rss", "locks"})
"""Resource limits that serve as the same marker, as `prlimit` names them."""

AGENT_CODE = re.compile(
    # Its modules.
    r"\b(?:import|from)\b[\w., \t]{0,200}?\bhermes_core\b(?!/)|[\"']hermes_core(?:\.\w+)*[\"']"
    # Its variables: the marker, a changed setting, and every override of a setting.
    rf"|\b{MARK}\b|\bHERMES_[A-Z]{{1,40}}__[A-Z]"
    rf"|\b{_SETTINGS}[\"']?[ \t]{{0,8}}\]?[ \t]{{0,8}}(?::|=(?!=))"
    rf"|\b(?:putenv|setenv|setdefault|unsetenv|pop|delete)\W{{1,8}}{_SETTINGS}\b"
    # Its markers.
    r"|\bRLIMIT_RTTIME\b|\b(?:setrlimit|prlimit)\b[^\n]{0,80}?\bRLIMIT_(?:RSS|LOCKS)\b"
)
"""Code that starts another agent, or removes the markers of its processes."""
