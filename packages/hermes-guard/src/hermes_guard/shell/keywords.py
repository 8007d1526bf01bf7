"""Tables of shell keywords, and what they mean for the structure of commands."""

from hermes_guard import lazy_re as re

#: Words that no simple command starts with.
KEYWORDS = frozenset(
    [
        *("if", "then", "else", "elif", "fi", "while", "until", "for", "do", "done", "case", "esac", "in", "function"),
        *("select", "time", "coproc", "and", "or", "not", "repeat"),
        *("export", "declare", "typeset", "local", "readonly", "unset"),
    ]
)
_BEHIND = r"(?=[ \t]+[^\s;&|<>)])"
_COMPOUND = r"[ \t]+(?:[{(]|(?:while|until|for|if|case|select)\b)"
#: Words before a command that do not change what it is, with their arguments: those of bash, fish and zsh.
PREFIXES = {
    # With other options it is the program of that name.
    "time": re.compile(r"(?:[ \t]+-p(?=[ \t]))?(?:[ \t]+--(?=[ \t]))?(?=[ \t])(?![ \t]+-)"),
    "coproc": re.compile(rf"[ \t]+(?:[A-Za-z_]\w*(?={_COMPOUND}))?"),
    **dict.fromkeys(("and", "or", "not"), re.compile(_BEHIND)),
    "repeat": re.compile(r"[ \t]+\d+" + _BEHIND),
}
#: Keywords after which another command may start.
OPENERS = frozenset({"if", "then", "else", "elif", "while", "until", "do", "!", "{", "fi", "done", "esac"})
#: Tokens that end a command, and words that may follow immediately; the grammar requires a separator between them.
CLOSERS = frozenset({"}", ")", "fi", "done", "esac"})
FOLLOWERS = frozenset({"}", "then", "else", "elif", "fi", "do", "done"})
#: How a keyword changes the nesting level.
LEVELS = {
    **dict.fromkeys(("if", "case", "for", "select", "while", "until"), 1),
    **dict.fromkeys(("fi", "esac", "done"), -1),
}
#: Keywords that open or end a compound command.
STRUCTURE = FOLLOWERS | LEVELS.keys()

#: Lines of plain words: each is a command that can be read without the grammar.
PLAIN_LINES = re.compile(
    rf"(?:[ \t]*+(?!(?:{'|'.join(sorted(KEYWORDS))})(?!\S))[A-Za-z0-9_./:,%@^-]++"
    r"(?:[ \t][ \t=+A-Za-z0-9_./:,%@^-]*+)?(?:\n|\Z))+"
)
