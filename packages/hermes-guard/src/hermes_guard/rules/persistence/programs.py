"""Values that are programs: which of them everybody uses."""

from hermes_guard import lazy_re as re
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

EDITORS = re.compile(
    r"[\"']?(?:\S*/)?(?:vim?|nvim|nano|emacs|emacsclient|code|code-insiders|subl|micro|"
    r"helix|hx|cat|less|more|delta|bat|diff-so-fancy|true|false|:|true;|"
    r"cursor|idea|zed|mate|gedit|kate|notepad[\w.+-]*|most|ydiff|diff-highlight|tig|pico|joe|"
    r"ed|ex|kak|atom|mg|meld)?(?:[\"']?(?: [^;|&$`<>]*)?)\Z"
)
SSH = re.compile(r"(?:\S*/)?(?:ssh|plink|autossh)(?: [^;|&$`<>]*)?\Z")


def code(text: str, command: Command, context: Context) -> list[Finding]:
    """What the guard finds in a value that will be run."""
    return context.judge_code(text, command) if text.strip(HOLE).strip() else []
