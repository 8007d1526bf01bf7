"""One permission as data: one rule of one tool, for which arguments, how long and how often."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from hermes_approval.grants.argument_patterns import ANY, Pattern, checked, covers, describe, matches
from hermes_approval.grants.canonical_json import format_value, text
from hermes_approval.grants.hidden_values import concealed, concealed_text
from hermes_core.errors import ConfigError
from hermes_core.findings import Facts
from hermes_schemas.readonly import ReadOnlyDict, thawed

Scope = Literal["once", "session", "always"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
REST = "*"
"""As the name of an argument: every argument without a pattern. As a rule: every rule, if arguments are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantRequest:
    """One rule that asks about a call. A call with findings of three rules has three requests.

    Attributes:
        tool: The tool.
        rule: The rule of the finding.
        args: The arguments.
        session_id: The session of the call.
        session_kind: The kind of that session.
        source: The plugin that the tool came from. If it is unknown, only grants for any source match.
        bound: What the call depends on besides its arguments.
        once: Why only this one call can be approved; then no grant that is bound to facts matches.
    """

    tool: str
    rule: str
    args: Mapping[str, Any]
    session_id: str
    session_kind: str = ""
    source: str = ""
    bound: Facts = ()
    once: str = ""


class _Arguments(ReadOnlyDict):
    """Checked patterns by argument, so that a copy of the grant does not check them again."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """One permission. It allows nothing that it does not name.

    Attributes:
        id: Its name in lists and in the file. The id of a used-up or revoked grant is never used again.
        tool: The one tool.
        rule: The one rule; `*` is every rule, and needs a pattern that names arguments.
        args: A pattern for each argument. A call with one argument more or less does not match; `{"*": {"any": true}}`
            allows other arguments.
        scope: `once` and `session` are kept in memory, `always` in the user's file.
        session: The session it was given in. `session` grants need one; they and `once` grants apply in no other.
        expires: When it expires, in seconds since 1970.
        uses: How often it may still be used; None for any number.
        by: Who gave it.
        at: When it was given, in seconds since 1970.
        reason: Why it was given.
        source: The one plugin whose tool is meant; empty for any, as in grants that were made by hand.
        bound: Facts besides the arguments, such as the directory, as labels and values. Only calls with the same facts
            match. None for grants that were made by hand: they apply wherever the arguments match.

    Raises:
        ConfigError: a field is invalid, or it allows more than a grant may.
    """

    id: str
    tool: str
    rule: str
    args: Mapping[str, Pattern]
    scope: Scope
    session: str | None = None
    expires: float | None = None
    uses: int | None = None
    by: str
    at: float
    reason: str = ""
    source: str = ""
    bound: Facts | None = None

    def __post_init__(self) -> None:
        for name in ("id", "tool", "rule", "by"):
            _check(_is_text(getattr(self, name)), name, "must be a non-empty text")
        for name in ("reason", "source"):
            _check(isinstance(getattr(self, name), str), name, "must be a text")
        _check(self.scope in SCOPES, "scope", f"must be one of {', '.join(SCOPES)}")
        _check(self.session is None or _is_text(self.session), "session", "must be the id of a session, or null")
        _check(self.session is not None or self.scope != "session", "session", "is required for the scope 'session'")
        _check(self.expires is None or _is_time(self.expires), "expires", "must be seconds since 1970, or null")
        _check(_is_time(self.at), "at", "must be seconds since 1970")
        _check(self.uses is None or _is_count(self.uses), "uses", "must be a whole number from 0 on, or null")
        _check(self.tool != REST, "tool", "must name one tool; no grant is for all of them")
        if type(self.args) is not _Arguments:
            object.__setattr__(self, "args", _checked_arguments(self.args))
        pinned = self.rule != REST or any(pattern != ANY for pattern in self.args.values())
        _check(pinned, "rule", "can only be '*' with a pattern for an argument")
        if self.bound is not None:
            object.__setattr__(self, "bound", _checked_facts(self.bound))

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def uses_left(self) -> int | None:
        """How often it may still be used; at most once for a `once` grant."""
        return self.uses if self.scope != "once" else min(1, 1 if self.uses is None else self.uses)

    def live(self, now: float) -> bool:
        """Return True if it is neither expired nor used up.

        A grant with an expiry from the future is not live: the clock was set back, so its age is unknown.
        """
        return (self.expires is None or self.at <= now < self.expires) and self.uses_left != 0

    def matches(self, request: GrantRequest, now: float) -> bool:
        """Return True if it allows this request now."""
        return (
            self.tool == request.tool
            and self.source in ("", request.source)
            and self.rule in (request.rule, REST)
            and self.live(now)
            and self._only_session() in (None, request.session_id)
            and self.holds_for(request)
            and self._matches_arguments(request.args)
        )

    def holds_for(self, request: GrantRequest) -> bool:
        """Return True if a call depends on the same facts as the approved one, or the grant names none."""
        if self.bound is None:
            return True
        if request.once:
            return False
        if set(self.bound) != set(request.bound):  # noqa: SIM103 - a statement of its own, which a test removes
            return False
        return True

    def covers(self, other: Grant) -> bool:
        """Return True if this grant certainly allows everything that the other one allows."""
        return not self._wider_in(other)

    def narrowed(
        self,
        *,
        args: Mapping[str, Pattern] | None = None,
        expires: float | None = None,
        uses: int | None = None,
        scope: Scope | None = None,
        session: str | None = None,
        source: str | None = None,
    ) -> Grant:
        """Return a new grant that allows less; what is not given stays the same.

        Raises:
            ConfigError: it might allow more.
        """
        grant = replace(
            self,
            id=new_id(),
            args=self.args if args is None else args,
            expires=self.expires if expires is None else expires,
            uses=self.uses if uses is None else uses,
            scope=self.scope if scope is None else scope,
            session=self.session if session is None else session,
            source=self.source if source is None else source,
        )
        wider = self._wider_in(grant)
        if wider:
            raise ConfigError(
                f"this might allow more than the grant {self.id}, which allows: {self.describe()}.", key=wider
            )
        return grant

    def describe(self, *, facts: bool = True, defaults: Collection[str] = ()) -> str:
        """Describe exactly what it allows in one line, without secrets; `facts` includes what it is bound to.

        Arguments in `defaults` are only counted if the grant requires exactly that value.
        """
        hidden = [name for name, pattern in self.args.items() if name in defaults and "equals" in pattern]
        rule = "any rule" if self.rule == REST else f"rule {_word(self.rule)}"
        named = [
            f"{_word(name)} {_described(name, pattern)}"
            for name, pattern in self.args.items()
            if name not in (REST, *hidden)
        ]
        if len(hidden) == 1:
            named.append("1 argument has its default value")
        elif hidden:
            named.append(f"{len(hidden)} arguments have default values")
        if REST in self.args:
            named.append("the other arguments are anything" if named else "the arguments are anything")
        arguments = "when " + ", ".join(named) if named else "without arguments"
        source = f" of plugin {_word(self.source)}" if self.source else ""
        only = "".join(f"; {describe_fact(*fact)}" for fact in self.bound or ()) if facts else ""
        return f"{_word(self.tool)}{source} ({rule}) {arguments}; {self._terms()}{only}"

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain JSON; source and facts only if it has any."""
        made = {each.name: thawed(getattr(self, each.name)) for each in fields(self)}
        if not self.source:
            del made["source"]
        if self.bound is None:
            del made["bound"]
        else:
            made["bound"] = [list(fact) for fact in self.bound]
        return made

    @classmethod
    def from_dict(cls, data: object, *, file: str | None = None, key: str = "grant") -> Grant:
        """Read a grant that `as_dict` wrote.

        Raises:
            ConfigError: it has another shape; the message says what is wrong, and where.
        """
        if not isinstance(data, Mapping):
            raise ConfigError(f"a grant is an object, not a {type(data).__name__}.", file=file, key=key)
        known = {each.name for each in fields(cls)}
        optional = {"session", "expires", "uses", "reason", "source", "bound"}
        unknown = sorted(map(str, set(data) - known))
        missing = sorted(known - optional - set(data))
        if unknown or missing:
            reason = "is not a field of a grant." if unknown else "is missing."
            raise ConfigError(reason, file=file, key=f"{key}.{(unknown or missing)[0]}")
        try:
            return cls(**data)
        except ConfigError as error:
            raise ConfigError(error.reason, file=file, key=f"{key}.{error.key}", example=error.example) from error

    def _pattern(self, argument: str) -> Pattern | None:
        return self.args.get(argument, self.args.get(REST))

    def _matches_arguments(self, args: Mapping[str, Any]) -> bool:
        for name, value in args.items():
            pattern = self._pattern(name)
            if pattern is None or not matches(pattern, value):
                return False
        # A missing argument has a default that no one approved.
        return all(name in args or pattern == ANY for name, pattern in self.args.items())

    def _only_session(self) -> str | None:
        return None if self.scope == "always" else self.session

    def _wider_in(self, other: Grant) -> str | None:
        """Return the first field in which the other grant may allow more; None if it certainly does not."""
        if self.tool != other.tool:
            return "tool"
        if self.source not in ("", other.source):
            return "source"
        if self.rule not in (other.rule, REST):
            return "rule"
        if self.bound is not None and (other.bound is None or set(self.bound) != set(other.bound)):
            return "bound"
        if SCOPES.index(other.scope) > SCOPES.index(self.scope):
            return "scope"
        if self._only_session() not in (None, other._only_session()):
            return "session"
        if not _at_most(other.expires, self.expires):
            return "expires"
        if not _at_most(other.uses_left, self.uses_left):
            return "uses"
        return None if self._covers_arguments(other) else "args"

    def _covers_arguments(self, other: Grant) -> bool:
        for name, narrow in other.args.items():
            wide = self._pattern(name)
            if wide is None or not covers(wide, narrow):
                return False
        # An argument that only this one names may be missing in the other, or have any value.
        return all(name in other.args or pattern == ANY for name, pattern in self.args.items())

    def _terms(self) -> str:
        uses, session = self.uses_left, self._only_session()
        terms = ["once"] if self.scope == "once" else []
        terms.append("in any session" if session is None else f"in the session {_word(session)}")
        if self.expires is not None:
            terms.append(f"until {_moment(self.expires)}")
        if uses is not None and not (self.scope == "once" and uses):
            terms.append(f"{uses} more time{'' if uses == 1 else 's'}")
        return ", ".join(terms)


def new_id() -> str:
    """Return a globally unique id."""
    return f"g-{os.urandom(10).hex()}"


def describe_fact(label: str, value: str) -> str:
    """Describe a fact that a grant is bound to in one line, without secrets."""
    name = format_value(label)[1:-1]
    return f"{name}: {format_value(concealed_text(value))[1:-1]}" if value else name


def _checked_facts(facts: object) -> Facts:
    rule = "must be a list of labels and values, or null"
    _check(isinstance(facts, list | tuple), "bound", rule)
    pairs = [pair for pair in facts if isinstance(pair, list | tuple)]  # type: ignore[attr-defined]  # checked above
    right = all(len(pair) == 2 and _is_text(pair[0]) and isinstance(pair[1], str) for pair in pairs)
    _check(right and len(pairs) == len(facts), "bound", rule)  # type: ignore[arg-type]  # checked above
    return tuple((text(label), text(value)) for label, value in pairs)


def _checked_arguments(args: object) -> _Arguments:
    if not isinstance(args, Mapping):
        raise ConfigError(
            "must be an object with a pattern for each argument.", key="args", example='{"path": {"any": true}}'
        )
    for name in args:
        _check(_is_text(name), "args", "must have the names of arguments as keys")
    made = {text(name): checked(pattern, key=f"args.{name}") for name, pattern in args.items()}
    _check(made.get(REST, ANY) == ANY, f"args.{REST}", 'can only be {"any": true}')
    return _Arguments(made)


def _check(right: bool, key: str, rule: str) -> None:
    if not right:
        raise ConfigError(f"{rule}.", key=key)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15  # not a NaN either


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _at_most(value: float | None, limit: float | None) -> bool:
    return limit is None or (value is not None and value <= limit)


def _described(name: str, pattern: Pattern) -> str:
    if "equals" in pattern:
        return describe({"equals": concealed(pattern["equals"], name)})
    return concealed_text(describe(pattern))


def _word(name: str) -> str:
    plain = name.isascii() and name.replace("_", "").replace(".", "").replace("-", "").replace(":", "").isalnum()
    return name if plain else format_value(name)


def _moment(seconds: float) -> str:
    from datetime import UTC, datetime

    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):  # a year beyond the calendar
        return f"{seconds:.0f} seconds after 1970"
