"""The words of the shell that stand where a command may start, and what they mean for the structure around them."""

from hermes_guard import lazy_re as re

#: Words that no plain command starts with.
KEYWORDS = frozenset(
    [
        *("if", "then", "else", "elif", "fi", "while", "until", "for", "do", "done", "case", "esac", "in", "function"),
        *("select", "time", "coproc", "and", "or", "not", "repeat"),
        *("export", "declare", "typeset", "local", "readonly", "unset"),
    ]
)
_BEHIND = r"(?=[ \t]+[^\s;&|<>)])"
_COMPOUND = r"[ \t]+(?:[{(]|(?:while|until|for|if|case|select)\b)"
#: Words before a command that change nothing about what it is, with what belongs to them: those of bash, fish and zsh.
PREFIXES = {
    # With other options it is the program of that name.
    "time": re.compile(r"(?:[ \t]+-p(?=[ \t]))?(?:[ \t]+--(?=[ \t]))?(?=[ \t])(?![ \t]+-)"),
    "coproc": re.compile(rf"[ \t]+(?:[A-Za-z_]\w*(?={_COMPOUND}))?"),
    **dict.fromkeys(("and", "or", "not"), re.compile(_BEHIND)),
    "repeat": re.compile(r"[ \t]+\d+" + _BEHIND),
}
#: After these words, when they stand where a command may, another command may stand.
OPENERS = frozenset({"if", "then", "else", "elif", "while", "until", "do", "!", "{", "fi", "done", "esac"})
#: What ends a command by itself, and words that may follow it at once; the grammar wants a sign between them.
CLOSERS = frozenset({"}", ")", "fi", "done", "esac"})
FOLLOWERS = frozenset({"}", "then", "else", "elif", "fi", "do", "done"})
#: How much deeper or flatter the commands behind a word stand.
LEVELS = {
    **dict.fromkeys(("if", "case", "for", "select", "while", "until"), 1),
    **dict.fromkeys(("fi", "esac", "done"), -1),
}
#: Words that open or end a compound command.
STRUCTURE = FOLLOWERS | LEVELS.keys()

#: Lines of plain words: each is a command that needs no grammar.
PLAIN_LINES = re.compile(
    rf"(?:[ \t]*+(?!(?:{'|'.join(sorted(KEYWORDS))})(?!\S))[A-Za-z0-9_./:,%@^-]++"
    r"(?:[ \t][ \t=+A-Za-z0-9_./:,%@^-]*+)?(?:\n|\Z))+"
)
