"""How a text looks that is a statement for a database."""

from hermes_guard import lazy_re as re

#: How a statement begins that can destroy something. What stands in its strings is told by the reader of SQL.
DESTRUCTIVE = re.compile(
    r"\s*(?:--[^\n]*\n\s*|/\*(?:(?!\*/).)*\*/\s*)?"
    r"(?:drop|truncate|delete|update|alter|grant|revoke|begin|set|copy|with|do|create|shutdown|purge|call|exec|flush"
    r"\w*)\s+\S",
    re.IGNORECASE | re.DOTALL,
)
