"""Rewrites loops and functions that bash reads and the grammar does not, as others that mean the same."""

from typing import NamedTuple

from hermes_guard import lazy_re as re

#: The signs of a masked text: a brace that it shows is no part of a word.
_TOKEN = re.compile(r"\n|;;?&?|&&|\|\|?|[&(){}]|[^\s;&|(){}]+")
_SEPARATORS = frozenset({"", "\n", ";", "&"})
_SIGNS = _SEPARATORS | {";;", ";&", ";;&", "&&", "|", "||", "(", ")"}
#: After these words another command may start.
_OPENERS = frozenset({"if", "then", "else", "elif", "while", "until", "do", "{"})
#: What ends each compound command. Loops with a list are not here: their end depends on how their body starts.
_ENDS = {"if": "fi", "while": "done", "until": "done", "case": "esac", "{": "}"}
_LISTS = frozenset({"for", "select"})
#: Words that bash needs no blank behind when a parenthesis follows.
_GLUED = re.compile(r"(?:for(?=\(\()|(?:if|then|else|elif|while|until|do)(?=\())")
#: Longer texts that are no complete shell code are not worth the time.
_MAX_LENGTH = 8_192
_CLOSERS = frozenset({"fi", "done", "esac", "}"})


class _Open(NamedTuple):
    """A compound command that has not ended."""

    end: str
    #: What is written instead of its end.
    instead: str = ""
    #: Braces were put around it.
    wrapped: bool = False


def rewrite(text: str, masked: str) -> str | None:
    """The text in words that the grammar knows; None when there is nothing to rewrite.

    `for x in y; { ...; }` gets its `do` and `done`, `for((...))` and `while((...))` get their blank, and a function
    that is one loop its braces.
    """
    if len(text) > _MAX_LENGTH:
        return None
    rewriter = _Rewriter(text)
    for token in _TOKEN.finditer(masked):
        rewriter.step(token.group(), token.start())
    return rewriter.result()


class _Rewriter:
    """A text on its way from sign to sign."""

    __slots__ = ("before", "edits", "function", "header", "opened", "ready", "text", "wrap")

    def __init__(self, text: str) -> None:
        self.text = text
        #: Where each edit starts and ends, and what is written there.
        self.edits: list[tuple[int, int, str]] = []
        self.opened: list[_Open] = []
        #: The sign before, and whether a command may start here.
        self.before = ""
        self.ready = True
        #: Words of the list of a loop that were passed; None outside of it.
        self.header: int | None = None
        #: How much of the beginning of a function was passed: 1 is its name behind `function`, 2 all of it.
        self.function = 0
        #: The next compound command is the body of a function that has no braces.
        self.wrap = False

    def step(self, word: str, at: int) -> None:
        """Take one sign."""
        if self.function and word not in {"(", ")", "\n"}:
            self._function(word, at)
        if self.header is not None:
            self._list(word, at)
        elif word in _SIGNS:
            if word == ")" and self.before == "(":
                self.function = 2
            elif word == "(" and self.text.startswith("((", at - 1):
                # `((a); (b))` is no arithmetic.
                self.edits.append((at, at, " "))
            self.ready = True
        elif self.ready:
            self._command(word, at)
        self.before = word

    def _function(self, word: str, at: int) -> None:
        """The name of a function, or the start of its body."""
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
        """The words of a loop before its body."""
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
        """The first word of a command."""
        glued = _GLUED.match(self.text, at)
        # What is masked behind it is the command, or the list of a loop.
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
        """The rewritten text."""
        if not self.edits:
            return None
        pieces: list[str] = []
        last = 0
        for start, end, written in self.edits:
            pieces += [self.text[last:start], written]
            last = end
        return "".join(pieces) + self.text[last:]
