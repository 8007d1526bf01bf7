"""Expands one word as written into the words that a shell would produce."""

from typing import TYPE_CHECKING, Protocol

from hermes_guard import lazy_re as re
from hermes_guard.shell.arithmetic import calculate, changes
from hermes_guard.shell.arrays import elements, subscript
from hermes_guard.shell.backslash_escapes import unescape
from hermes_guard.shell.brace_expansion import expand_braces
from hermes_guard.shell.parameter_expansion import operated, parameter
from hermes_guard.shell.quotes import UnclosedError, ansi_end, closing
from hermes_guard.shell.scope import Scope
from hermes_guard.shell.word import HOLE, Word

if TYPE_CHECKING:
    from hermes_guard.shell.command import Command


class Fields:
    """The words under construction."""

    __slots__ = ("buffer", "commands", "glob", "one", "open", "quoted", "source", "span", "splits", "words")

    def __init__(self, source: str, span: tuple[int, int], *, one: bool) -> None:
        self.words: list[Word] = []
        #: True for a single word, whatever is expanded.
        self.one = one
        self.source, self.span = source, span
        self.commands: tuple[Command, ...] = ()
        self._reset()

    def _reset(self) -> None:
        self.buffer: list[str] = []
        self.glob = self.quoted = self.splits = self.open = False

    def flush(self) -> None:
        """End a word."""
        if self.open:
            word = Word(
                "".join(self.buffer), self.source, self.span, self.glob, self.quoted, self.splits, self.commands
            )
            self.words.append(word)
        self._reset()

    def add(self, text: str) -> None:
        """Add text to the word."""
        self.buffer.append(text)
        self.open = True

    def add_value(self, value: str, *, split: bool) -> None:
        """Add the value of an unquoted expansion."""
        if HOLE in value:
            self.splits = True
        if any(char in value for char in "*?["):
            self.glob = True
        if not split or not any(char in value for char in " \t\n"):
            if value:
                self.add(value)
            return
        if value[0] in " \t\n":
            self.flush()
        pieces = value.split()
        for number, piece in enumerate(pieces):
            if number:
                self.flush()
                self.splits = HOLE in piece
            self.add(piece)
        if pieces and value[-1] in " \t\n":
            self.flush()


_PLAIN = re.compile(r"[A-Za-z0-9_./:=@%+,^#{}!\]-]+")
_WHOLE = re.compile(r"[A-Za-z0-9_./:=@%+,^\]-]*\Z")
_QUOTED_PLAIN = re.compile(r"[^\"\\$`\ue000]+")
_VARIABLE = re.compile(r"[A-Za-z_]\w*|\d|[@*#?$!-]")
_ALL_ELEMENTS = re.compile(r"\$\{(?:[A-Za-z_]\w*\[[@*]\]|[@*])[^{}]*\}\Z")
#: The maximum nesting of expansions, as in `${a:-${b:-c}}`.
MAX_EXPANSIONS = 16
#: The maximum number of names looked up in one expression, and the nesting of names in their values.
_NAMES, _NAME_LEVELS = 16, 4
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
#: Longer expressions are not calculated.
_LONGEST_SUM = 64
#: bash expands `of=~/x` like an assignment.
_OPERAND = re.compile(r"[A-Za-z_]\w*=~")
#: A comparison operator with a subscript that may run something, as in `[[ 'a[$(cmd)]' -eq 0 ]]`.
_COMPARED = re.compile(r"\s-(?:eq|ne|lt|le|gt|ge)\s")
_RUNNING_SUBSCRIPT = re.compile(r"\w\[[^\]]*(?:\$\(|`)")
#: An extended pattern that matches any name, or most, as in `/@(*)` and `/+([a-z])`.
_ANY_NAME = re.compile(r"[@+*?]\((?:[*?|]|\[[^\]\s]*\])+\)")
_NUMBER = re.compile(r"-?\d{1,18}\Z")
#: `"..."` joins these elements to one word.
_STAR = re.compile(r"(?:[A-Za-z_]\w*\[\*\]|\*)")
_USER = re.compile(r"~([A-Za-z_][\w.-]*|\+|-|)(?=/|:|\Z)")


class Runner(Protocol):
    """Reads the code inside of substitutions."""

    def substitute(self, code: str, at: int | None, scope: Scope) -> "tuple[str, tuple[Command, ...]]":
        """Read `$(code)` and return its output, with holes, and its commands."""

    def find(self, rule: str, reason: str, span: tuple[int, int] | None) -> None:
        """Record a finding of the reader itself."""


class Expander:
    """Expands words of one text; `base` is its start in the judged text, None when it is not part of it."""

    __slots__ = ("base", "level", "origin", "runner", "scope")

    def __init__(self, runner: Runner, scope: Scope, base: int, origin: tuple[int, int] | None) -> None:
        self.runner, self.scope, self.base, self.origin = runner, scope, base, origin
        #: The number of surrounding expansions.
        self.level = 0

    def words(self, source: str, at: int) -> list[Word]:
        """Return the words of an argument, with brace expansion and splitting."""
        span = self.origin or (self.base + at, self.base + at + len(source))
        if _WHOLE.match(source):
            return [Word(source, source, span)]
        if "{" in source and ("," in source or ".." in source):
            pieces = expand_braces(source)
            if pieces is None:
                return [Word(HOLE, source, span, splits=True)]
            if len(pieces) != 1:
                return [word for piece in pieces for word in self._fields(piece, None, span, split=True)]
        return self._fields(source, at, span, split=True)

    def word(self, source: str, at: int | None) -> Word:
        """Return one word, as in an assignment or a redirection, without splitting."""
        start = self.base + (at or 0)
        span = self.origin or (start, start + len(source))
        if _WHOLE.match(source):
            return Word(source, source, span)
        words = self._fields(source, at, span, split=False)
        return words[0] if words else Word("", source, span, quoted=True)

    def value(self, source: str) -> str:
        """Return the text of a part inside of an expansion."""
        if "$" not in source and "`" not in source:
            return self.word(source, None).raw
        if self._too_deep():
            return HOLE
        self.level += 1
        try:
            return self.word(source, None).raw
        finally:
            self.level -= 1

    def _too_deep(self) -> bool:
        if self.level < MAX_EXPANSIONS:
            return False
        self.runner.find("shell.too-deep", "expansions are nested too deeply to read", self.origin)
        return True

    def body(self, source: str, at: int | None) -> Word:
        """Return the text of a here-document or of arithmetic: as in double quotes, but quotes are literal."""
        start = self.base + (at or 0)
        fields = Fields(source, self.origin or (start, start + len(source)), one=True)
        fields.open = True
        self._double(source, 0, len(source), at, fields)
        fields.flush()
        return fields.words[0]

    def _fields(self, source: str, at: int | None, span: tuple[int, int], *, split: bool) -> list[Word]:
        fields = Fields(source, span, one=not split)
        if "(" in source and split and not any(sign in source for sign in "'\"\\$`"):
            source = _ANY_NAME.sub("*", source)
        index, size = 0, len(source)
        if source[:1] == "~":
            index = self._tilde(source, 0, fields)
        while index < size:
            found = _PLAIN.match(source, index)
            if found:
                fields.add(found.group())
                index = found.end()
                if (
                    index < size
                    and source[index] == "~"
                    and (source[index - 1] in "=:" if not split else _OPERAND.match(source))
                ):
                    index = self._tilde(source, index, fields)
                continue
            char = source[index]
            try:
                index = self._special(char, source, index, at, fields, split=split)
            except UnclosedError:
                fields.add(HOLE)
                break
        fields.flush()
        return fields.words

    def _special(self, char: str, source: str, index: int, at: int | None, fields: Fields, *, split: bool) -> int:
        if char == "\\":
            following = source[index + 1 : index + 2]
            if following != "\n":
                fields.add(following)
                fields.quoted = True
            return index + 2
        if char == "'":
            end = closing(source, index)
            fields.add(source[index + 1 : end - 1])
            fields.quoted = True
            return end
        if char == '"':
            end = closing(source, index)
            if source[index + 1 : end - 1] not in {"$@", "$*"} or not self._positions(
                fields, star=source[index + 2] == "*"
            ):
                fields.open = not _ALL_ELEMENTS.match(source, index + 1, end - 1)
                fields.quoted = True
                self._double(source, index + 1, end - 1, at, fields)
            return end
        if char == "$":
            return self._dollar(source, index, at, fields, split=split, quoted=False)
        if char == "`":
            return self._backtick(source, index, at, fields, split=split, quoted=False)
        if char in "<>" and source[index + 1 : index + 2] == "(":
            return self._process(source, index, at, fields)
        if char == "~" and split and index and not fields.open:
            # After a blank from an expansion, bash keeps the tilde, but the author means the home directory.
            return self._tilde(source, index, fields)
        if char == HOLE:
            fields.splits = True
        elif char in "*?[":
            fields.glob = True
        fields.add(char)
        return index + 1

    def _positions(self, fields: Fields, *, star: bool) -> bool:
        self.scope.use("@")
        if self.scope.positions is None:
            return False
        self._elements(self.scope.positions, fields, split=False, quoted=True, star=star)
        return True

    @property
    def _separator(self) -> str:
        """The separator between the elements of `"$*"`."""
        separators = self.scope.lookup("IFS")
        if separators is None or HOLE in separators:
            return HOLE
        return " " if "IFS" in self.scope.removed else separators[:1]

    def _tilde(self, source: str, index: int, fields: Fields) -> int:
        found = _USER.match(source, index)
        if not found:
            fields.add("~")
            return index + 1
        user = found.group(1)
        home = self.scope.lookup("HOME") or HOLE
        self.scope.use({"": "HOME", "+": "PWD", "-": "OLDPWD"}.get(user, "HOME"))
        if user == "+":
            home = self.scope.lookup("PWD") or HOLE
        elif user == "-":
            home = HOLE
        elif user:
            home = "/root" if user == "root" else home if home.endswith("/" + user) else "/home/" + user
        # `~/x` is not `//x` when the home is the root.
        fields.add("" if home == "/" and source[found.end() : found.end() + 1] == "/" else home)
        return found.end()

    def _double(self, source: str, index: int, end: int, at: int | None, fields: Fields) -> None:
        while index < end:
            found = _QUOTED_PLAIN.match(source, index, end)
            if found:
                fields.add(found.group())
                index = found.end()
                continue
            char = source[index]
            if char == "\\":
                following = source[index + 1 : index + 2]
                if following != "\n":
                    fields.add(following if following in '$`"\\' else char + following)
                index += 2
            elif char == "$":
                try:
                    index = self._dollar(source, index, at, fields, split=False, quoted=True)
                except UnclosedError:
                    fields.add(HOLE)
                    return
            elif char == "`":
                try:
                    index = self._backtick(source, index, at, fields, split=False, quoted=True)
                except UnclosedError:
                    fields.add(HOLE)
                    return
            else:
                fields.add(char)
                index += 1

    def _dollar(self, source: str, index: int, at: int | None, fields: Fields, *, split: bool, quoted: bool) -> int:
        following = source[index + 1 : index + 2]
        if following == "(":
            end = closing(source, index)
            if source.startswith("$((", index) and closing(source, index + 2) == end - 1:
                value = self.arithmetic(source[index + 3 : end - 2])
            else:
                value = self._substitute(source[index + 2 : end - 1], None if at is None else at + index + 2, fields)
        elif following == "{":
            end = closing(source, index)
            inside = source[index + 2 : end - 1]
            found = elements(inside, self, lambda value, rest: operated(value, rest, self))
            if found is not None:
                self._elements(found, fields, split=split, quoted=quoted, star=_STAR.match(inside) is not None)
                return end
            value = parameter(inside, self)
            fields.commands += self.scope.made.get(inside, ())
            fields.glob = fields.glob or inside in self.scope.patterns
        elif following == "[" and (end := self._bracket(source, index + 1)):
            value = self.arithmetic(source[index + 2 : end - 1])
        elif following == "'" and not quoted:
            end = ansi_end(source, index + 2)
            fields.add(unescape(source[index + 2 : end - 1]).replace("\0", ""))
            fields.quoted = True
            return end
        elif following == '"' and not quoted:
            return index + 1
        else:
            variable = _VARIABLE.match(source, index + 1)
            if not variable:
                fields.add("$")
                return index + 1
            end = variable.end()
            value = self._variable(variable.group(), fields, quoted=quoted)
        if quoted:
            fields.add(value)
        else:
            separators = self.scope.variables.get("IFS", "") if split else ""
            if separators:
                self.scope.use("IFS")
            for separator in separators[:8]:
                value = value.replace(separator, " ")
            fields.add_value(value, split=split)
        return end

    def _variable(self, name: str, fields: Fields, *, quoted: bool) -> str:
        self.scope.use(name)
        if name in {"@", "*"}:
            between = self._separator if quoted and name == "*" else " "
            return HOLE if self.scope.positions is None else between.join(self.scope.positions)
        known = self.scope.lookup(name)
        fields.commands += self.scope.made.get(name, ())
        fields.glob = fields.glob or name in self.scope.patterns
        return HOLE if known is None else known

    def _bracket(self, source: str, index: int) -> int:
        """Return the end of the old arithmetic syntax `$[1+1]`; 0 when there is none."""
        if source.count("$[") > MAX_EXPANSIONS:
            self.runner.find("shell.too-deep", "there are too many expansions to read", self.origin)
            return 0
        end = subscript(source, index)
        return end if end > index else 0

    def _elements(self, found: list[str], fields: Fields, *, split: bool, quoted: bool, star: bool) -> None:
        if fields.one or (star and quoted):
            found = [(self._separator if star else " ").join(found)]
        for number, value in enumerate(found):
            if number:
                fields.flush()
            if quoted:
                fields.quoted = True
                fields.add(value)
            else:
                fields.add_value(value, split=split)

    def arithmetic(self, expression: str, at: int | None = None) -> str:
        """Return the value of an arithmetic expression, or a hole; what it runs and changes is tracked."""
        if self._too_deep():
            return HOLE
        self.level += 1
        try:
            text = self.body(expression, at).raw
            value = self._calculated(text)
            if value is None:
                self.subscripts(text)
                for name, result in changes(text).items():
                    value = self._calculated(result)
                    self.scope.assign(name, HOLE if value is None else str(value))
        finally:
            self.level -= 1
        return HOLE if value is None else str(value)

    def _calculated(self, text: str) -> int | None:
        def known(found: re.Match[str]) -> str:
            self.scope.use(found.group())
            value = self.scope.lookup(found.group()) or ""
            return value if _NUMBER.match(value) else found.group()

        return calculate(_IDENTIFIER.sub(known, text) if len(text) < _LONGEST_SUM else text)

    def key(self, name: str, source: str) -> str:
        """Return the key of an element; a numeric key is calculated, and what that runs is tracked."""
        text = self.value(source)
        if _NUMBER.match(text) or "A" in self.scope.attributes.get(name, ""):
            return text
        number = self.arithmetic(text)
        return text if number == HOLE else number

    def subscripts(self, expression: str, level: int = 0) -> None:
        """Read what arithmetic runs through the values of its variables: `x='a[$(cmd)]'; ((x))`."""
        for name in dict.fromkeys(_IDENTIFIER.findall(expression)[:_NAMES]):
            self.scope.use(name)
            for value in self.scope.state(self.scope.references.get(name, name)):
                text = (
                    value if isinstance(value, str) else " ".join(value.values() if isinstance(value, dict) else value)
                )
                if "$(" in text or "`" in text:
                    self.body(text, None)
                elif text != expression and level < _NAME_LEVELS and _IDENTIFIER.search(text):
                    self.subscripts(text, level + 1)

    def tested(self, source: str, at: int) -> None:
        """Read what `[[ ... ]]` runs: its substitutions, and subscripts of what it compares as numbers."""
        self.word(source, at)
        if _COMPARED.search(source) or " -v " in source:
            self.subscripts(source)
            if _RUNNING_SUBSCRIPT.search(source):
                self.body(source, None)

    def _substitute(self, code: str, at: int | None, fields: Fields) -> str:
        value, commands = self.runner.substitute(code, None if at is None else self.base + at, self.scope)
        fields.commands += commands
        return value

    def _backtick(self, source: str, index: int, at: int | None, fields: Fields, *, split: bool, quoted: bool) -> int:
        end = closing(source, index)
        code = source[index + 1 : end - 1]
        plain = re.sub(r"\\([\\`$])", r"\1", code)
        value = self._substitute(plain, None if at is None or plain != code else at + index + 1, fields)
        if quoted:
            fields.add(value)
        else:
            fields.add_value(value, split=split)
        return end

    def _process(self, source: str, index: int, at: int | None, fields: Fields) -> int:
        end = closing(source, index + 1)
        where = None if at is None else self.base + at + index + 2
        value, commands = self.runner.substitute(source[index + 2 : end - 1], where, self.scope)
        text = None if HOLE in value else value
        fields.flush()
        word = Word(HOLE, source, fields.span, commands=commands, process=source[index], text_inside=text)
        fields.words.append(word)
        return end
