"""Rewrites loops and functions that bash accepts and the grammar does not into equivalent ones."""

from typing import NamedTuple

from hermes_guard import lazy_re as re

#: The tokens of a masked text: its visible braces are not part of a word.
_TOKEN = re.compile(r"\n|;;?&?|&&|\|\|?|[&(){}]|[^\s;&|(){}]+")
_SEPARATORS = frozenset({"", "\n", ";", "&"})
_SIGNS = _SEPARATORS | {";;", ";&", ";;&", "&&", "|", "||", "(", ")"}
#: Words after which another command may start.
_OPENERS = frozenset({"if", "then", "else", "elif", "while", "until", "do", "{"})
#: The end of each compound command. Loops with a list are not included: their end depends on how their body starts.
_ENDS = {"if": "fi", "while": "done", "until": "done", "case": "esac", "{": "}"}
_LISTS = frozenset({"for", "select"})
#: Words that need no blank before a parenthesis in bash.
_GLUED = re.compile(r"(?:for(?=\(\()|(?:if|then|else|elif|while|until|do)(?=\())")
#: Longer texts that are not complete shell code are not worth the time.
_MAX_LENGTH = 8_192
_CLOSERS = frozenset({"fi", "done", "esac", "}"})


class _Open(NamedTuple):
    """A compound command that is still open."""

    end: str
    #: The replacement for its end.
    instead: str = ""
    #: True when braces were added around it.
    wrapped: bool = False


def rewrite(text: str, masked: str) -> str | None:
    """Return the text in a form that the grammar accepts; None when there is nothing to rewrite.

    `for x in y; { ...; }` gets its `do` and `done`, `for((...))` and `while((...))` get their blank, and a function
    that consists of one loop gets its braces.
    """
    if len(text) > _MAX_LENGTH:
        return None
    rewriter = _Rewriter(text)
    for token in _TOKEN.finditer(masked):
        rewriter.step(token.group(), token.start())
    return rewriter.result()


class _Rewriter:
    """Rewrites a text token by token."""

    __slots__ = ("before", "edits", "function", "header", "opened", "ready", "text", "wrap")

    def __init__(self, text: str) -> None:
        self.text = text
        #: The start, the end and the replacement of each edit.
        self.edits: list[tuple[int, int, str]] = []
        self.opened: list[_Open] = []
        #: The previous token, and whether a command may start here.
        self.before = ""
        self.ready = True
        #: The number of words read of a loop's list; None outside of it.
        self.header: int | None = None
        #: How much of a function's head was read: 1 for its name after `function`, 2 for all of it.
        self.function = 0
        #: The next compound command is a function body without braces.
        self.wrap = False

    def step(self, word: str, at: int) -> None:
        """Process one token."""
        if self.function and word not in {"(", ")", "\n"}:
            self._function(word, at)
        if self.header is not None:
            self._list(word, at)
        elif word in _SIGNS:
            if word == ")" and self.before == "(":
                self.function = 2
            elif word == "(" and self.text.startswith("((", at - 1):
                # `((a); (b))` is not arithmetic.
                self.edits.append((at, at, " "))
            self.ready = True
        elif self.ready:
            self._command(word, at)
        self.before = word

    def _function(self, word: str, at: int) -> None:
        """Process the name of a function, or the start of its body."""
        if self.function == 1:
            self.function = 2
            self.ready = False
            return
        self.function = 0
        self.ready = True
        if word in _LISTS or (word in _ENDS and word != "{") or _GLUED.match(self.text, at):
            self.edits.append((at, at, "{ "))
            self.wrap = True
        elif self.text.startswith(("[[", "(("), at):
            self.edits += [(at, at, "{ "), (at + len(word), at + len(word), ";}")]

    def _list(self, word: str, at: int) -> None:
        """Process the words of a loop before its body."""
        assert self.header is not None
        ends = self.before in _SEPARATORS
        if word == "{" or (word == "do" and (ends or self.header <= 1)):
            if word == "{" or not ends:
                self.edits.append((at, at + len(word), "do" if ends else ";do"))
            self._open(_Open("done") if word == "do" else _Open("}", "done"))
            self.header = None
            self.ready = True
        elif word not in _SEPARATORS:
            self.header += 1

    def _command(self, word: str, at: int) -> None:
        """Process the first word of a command."""
        glued = _GLUED.match(self.text, at)
        # The masked text after it is the command, or the list of a loop.
        covered = glued is not None and len(word) > len(glued.group())
        if glued:
            self.edits.append((glued.end(), glued.end(), " "))
            word = glued.group()
        self.ready = not covered and (word in _OPENERS or word in _CLOSERS)
        if glued and word == "for":
            self.header = 1
        elif word in _LISTS:
            self.header = 0
        elif word == "function":
            self.function = 1
        elif word in _ENDS:
            self._open(_Open(_ENDS[word]))
        elif word in _CLOSERS and self.opened and self.opened[-1].end == word:
            self._close(self.opened.pop(), word, at)

    def _open(self, opened: _Open) -> None:
        self.opened.append(opened._replace(wrapped=self.wrap))
        self.wrap = False

    def _close(self, opened: _Open, word: str, at: int) -> None:
        end = at + len(word)
        if opened.instead:
            self.edits.append((at, end, opened.instead if self.before in _SEPARATORS else ";" + opened.instead))
        if opened.wrapped:
            self.edits.append((end, end, ";}"))

    def result(self) -> str | None:
        """Return the rewritten text."""
        if not self.edits:
            return None
        pieces: list[str] = []
        last = 0
        for start, end, written in self.edits:
            pieces += [self.text[last:start], written]
            last = end
        return "".join(pieces) + self.text[last:]
