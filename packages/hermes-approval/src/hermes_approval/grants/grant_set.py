"""The grants that hold somewhere, and what of them a child may use: never more than every ancestor allows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from threading import RLock

from hermes_approval.grants.grant import Grant, GrantRequest
from hermes_approval.grants.grant_store import GrantStore, SteadyClock
from hermes_core.errors import ConfigError

_Used = list[Grant]
_Chosen = list[tuple["GrantSet", _Used]]
"""For each set that has a say, its grant for each request."""


class GrantSet:
    """Grants, and a parent that has to agree to every use of them. Safe to use from every thread.

    To hold a set is to have its authority. For the set's own grants every request counts as asked in its `session`,
    when it has one, also a request that comes from a child: that is how a sub-agent may use what was allowed for the
    session that started it.

    Args:
        grants: The set's own, kept in memory. None is everything that the parent permits.
        parent: Who else has to permit every request.
        store: The user's `always` grants; only a set without a parent has one.
        session: The session that the set speaks for.
        clock: What time it is, in seconds since 1970; the system's clock when it is not given. A clock that goes back
            brings no expired grant back.

    Raises:
        ConfigError: it has both a parent and a store, or two grants with one id.
    """

    def __init__(
        self,
        grants: Iterable[Grant] | None = (),
        *,
        parent: GrantSet | None = None,
        store: GrantStore | None = None,
        session: str | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        if parent is not None and store is not None:
            raise ConfigError("a set of grants with a parent has no store: the parent's is enough.", key="store")
        self._parent = parent
        self._store = store
        self._session = session
        self._clock = clock if isinstance(clock, SteadyClock) else SteadyClock(clock)
        self._whole_parent = grants is None and parent is not None
        self._grants: dict[str, Grant] = {}
        self._gone: set[str] = set()
        # One for the whole tree: a use is counted in all of it, or nowhere.
        self._lock: RLock = parent._lock if parent is not None else RLock()
        for grant in grants or ():
            self._check_new(grant)
            self._grants[grant.id] = grant

    def permit(self, requests: Sequence[GrantRequest]) -> tuple[Grant, ...] | None:
        """The grant for each request of one call, used once; None, and nothing used, when one request has none.

        A grant that answers several requests of the call is used once, here and in every ancestor.

        Raises:
            ConfigError: the store's file cannot be read, so nothing is permitted.
            OSError: it cannot be written, so no use can be counted and nothing is permitted.
        """
        with self._lock:
            while True:
                chosen = self._choose_everywhere(requests)
                if chosen is None:
                    return None
                # Another process may have taken the last use since: then look at what is left.
                if all(level._consume_stored(used) for level, used in chosen):
                    break
            for level, used in chosen:
                level._consume_kept(used)
            return tuple(chosen[0][1])

    def peek(self, requests: Sequence[GrantRequest]) -> tuple[Grant, ...] | None:
        """What `permit` would return now; nothing is used.

        Raises:
            ConfigError: the store's file cannot be read.
        """
        with self._lock:
            chosen = self._choose_everywhere(requests)
            return None if chosen is None else tuple(chosen[0][1])

    def match(self, requests: Sequence[GrantRequest]) -> tuple[Grant | None, ...]:
        """Return the grant for each request of one call, None where there is none; nothing is used.

        Raises:
            ConfigError: the store's file cannot be read.
        """
        with self._lock:
            chosen = (self._choose_everywhere([request]) for request in requests)
            return tuple(each[0][1][0] if each else None for each in chosen)

    def use(self, id: str) -> bool:
        """Take one use of a grant, here and in every ancestor that has it; False when none is left.

        Raises:
            ConfigError: the store's file cannot be read.
            OSError: it cannot be written, so no use can be counted.
        """
        with self._lock:
            found = next((grant for grant in self._all() if grant.id == id and grant.live(self._clock())), None)
            if found is None or not self._consume_stored([found]):
                return False
            self._consume_kept([found])
            return True

    def add(self, grant: Grant) -> None:
        """Have one more grant. A set with a store writes `always` grants there; all others are kept in memory.

        In a child it permits nothing that the parent does not permit, and in a child with everything of its parent
        nothing that it did not permit before.

        Raises:
            ConfigError: its id is another grant's here, or was used up or revoked; the store's file cannot be read.
            OSError: the store's file cannot be written.
        """
        with self._lock:
            self._check_new(grant)
            if self._store is not None and grant.scope == "always":
                self._store.add(grant)
            else:
                self._grants[grant.id] = grant

    def revoke(self, id: str) -> bool:
        """Take a grant of this set away for good; False when the set has none of that id.

        Raises:
            ConfigError: the store's file cannot be read.
            OSError: the store's file cannot be written.
        """
        with self._lock:
            if self._grants.pop(id, None) is not None:
                self._gone.add(id)
                return True
            return self._store is not None and self._store.revoke(id)

    def list(self) -> tuple[Grant, ...]:
        """The set's own grants that hold now, with the uses that are left; its parent's, when it has everything of it.

        Raises:
            ConfigError: the store's file cannot be read.
        """
        with self._lock:
            if self._whole_parent and self._parent is not None:
                return self._parent.list()
            now = self._clock()
            return tuple(grant for grant in self._all() if grant.live(now))

    def child(self, grants: Iterable[Grant] | None = None, *, session: str | None = None) -> GrantSet:
        """A set for a sub-agent, a job or a worker: what these grants and this set both permit.

        Without grants it is everything that this set permits.

        Raises:
            ConfigError: two of the grants have one id.
        """
        return GrantSet(grants, parent=self, session=session, clock=self._clock)

    def end_session(self, session: str) -> None:
        """Forget the grants that hold in this session only."""
        with self._lock:
            for grant in tuple(self._grants.values()):
                if grant.scope != "always" and grant.session == session:
                    self.revoke(grant.id)

    def _check_new(self, grant: Grant) -> None:
        if grant.id in self._grants:
            raise ConfigError("there is a grant with this id already.", key=grant.id)
        if grant.id in self._gone:
            raise ConfigError("this grant was used up or revoked. Make a new one.", key=grant.id)

    def _all(self) -> tuple[Grant, ...]:
        stored = self._stored()
        return (*self._grants.values(), *(grant for grant in stored if grant.id not in self._grants))

    def _stored(self) -> tuple[Grant, ...]:
        if self._store is None:
            return ()
        try:
            return self._store.grants()
        except ConfigError as error:
            if isinstance(error.__cause__, PermissionError | NotADirectoryError):  # the session's own grants hold
                return ()
            raise

    def _choose_everywhere(self, requests: Sequence[GrantRequest]) -> _Chosen | None:
        """For this set and each ancestor a grant for each request; None when one of them has none."""
        chosen: _Chosen = []
        level: GrantSet | None = self
        while level is not None:
            if not level._whole_parent:
                used = level._choose(requests)
                if used is None:
                    return None
                chosen.append((level, used))
            level = level._parent
        return chosen

    def _choose(self, requests: Sequence[GrantRequest]) -> _Used | None:
        if not requests:
            return []
        now = self._clock()
        grants = sorted(self._all(), key=_spare)
        used: _Used = []
        for asked in requests:
            request = asked if self._session is None else replace(asked, session_id=self._session)
            grant = next((each for each in grants if each.matches(request, now)), None)
            if grant is None:
                return None
            used.append(grant)
        return used

    def _consume_stored(self, used: _Used) -> bool:
        ids = {grant.id for grant in used if grant.id not in self._grants}
        return not ids or self._store is None or self._store.consume(*ids)

    def _consume_kept(self, used: _Used) -> None:
        for grant in {grant.id: grant for grant in used if grant.id in self._grants}.values():
            left = grant.uses_left
            if left is None:
                continue
            if left > 1:
                self._grants[grant.id] = replace(grant, uses=left - 1)
            else:
                del self._grants[grant.id]
                self._gone.add(grant.id)


def _spare(grant: Grant) -> tuple[bool, int]:
    """What is used first: a grant without a number of uses, then the one with most of them."""
    left = grant.uses_left
    return left is not None, -(left or 0)
