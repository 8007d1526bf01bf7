"""The names by which commands and code reach the agent itself: its variables, its modules and its marks."""

from hermes_guard import lazy_re as re

MARK = "HERMES_TOOL_SESSION"
"""Tells processes that a tool of the agent started them."""

_SETTINGS = r"HERMES_(?:HOME|PLUGINS|LOCK|ALLOW_PRIVATE_URLS)"

VARIABLE = re.compile(rf"(?:{_SETTINGS}|{MARK}|HERMES_\w+?__\w+)\Z", re.IGNORECASE)
"""Variables that decide what the agent may do, or whose session a process belongs to."""

LIMITS = frozenset({"rttime", "rss", "locks"})
"""Limits that tell the same, as `prlimit` names them."""

AGENT_CODE = re.compile(
    # Its modules.
    r"\b(?:import|from)\b[\w., \t]{0,200}?\bhermes_core\b(?!/)|[\"']hermes_core(?:\.\w+)*[\"']"
    # Its variables: the mark, a setting that is changed, and every override of a setting.
    rf"|\b{MARK}\b|\bHERMES_[A-Z]{{1,40}}__[A-Z]"
    rf"|\b{_SETTINGS}[\"']?[ \t]{{0,8}}\]?[ \t]{{0,8}}(?::|=(?!=))"
    rf"|\b(?:putenv|setenv|setdefault|unsetenv|pop|delete)\W{{1,8}}{_SETTINGS}\b"
    # Its marks.
    r"|\bRLIMIT_RTTIME\b|\b(?:setrlimit|prlimit)\b[^\n]{0,80}?\bRLIMIT_(?:RSS|LOCKS)\b"
)
"""Code that starts an agent of its own, or takes from its processes what tells whose they are."""
