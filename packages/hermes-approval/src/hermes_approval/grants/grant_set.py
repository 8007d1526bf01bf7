"""The grants of a host, and of a child host only as far as every ancestor allows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from threading import RLock

from hermes_approval.grants.grant import Grant, GrantRequest
from hermes_approval.grants.grant_store import GrantStore, SteadyClock
from hermes_core.errors import ConfigError

_Used = list[Grant]
_Chosen = list[tuple["GrantSet", _Used]]


class GrantSet:
    """Grants, and a parent that has to allow every use of them. Safe to use from every thread.

    In a set with a `session`, all requests count as requests of that session, including those of children. So a
    sub-agent may use what was allowed for the session that started it.

    `ConfigError` is raised by every method that needs the store and cannot read its file, `OSError` by every method
    that cannot write it. Then nothing is allowed, used or changed.

    Args:
        grants: The set's own grants, kept in memory. None for everything that the parent allows.
        parent: The set that has to allow every request, too.
        store: The user's `always` grants; only for a set without a parent.
        session: The session that the set is for.
        clock: Returns seconds since 1970; the system's clock by default. Setting it back does not revive a grant.

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
            raise ConfigError("a set of grants with a parent cannot have a store: it uses the parent's.", key="store")
        self._parent = parent
        self._store = store
        self._session = session
        self._clock = clock if isinstance(clock, SteadyClock) else SteadyClock(clock)
        self._whole_parent = grants is None and parent is not None
        self._grants: dict[str, Grant] = {}
        self._gone: set[str] = set()
        # One lock for the whole tree: a use is counted in all of it, or nowhere.
        self._lock: RLock = parent._lock if parent is not None else RLock()
        for grant in grants or ():
            self._check_new(grant)
            self._grants[grant.id] = grant

    def permit(self, requests: Sequence[GrantRequest]) -> tuple[Grant, ...] | None:
        """Use and return the grant for each request of one call; None, with nothing used, if one is missing.

        A grant that answers several requests of the call is used once, here and in every ancestor.
        """
        with self._lock:
            while True:
                chosen = self._choose_everywhere(requests)
                if chosen is None:
                    return None
                # Another process may have taken the last use meanwhile: then try the grants that are left.
                if all(level._consume_stored(used) for level, used in chosen):
                    break
            for level, used in chosen:
                level._consume_in_memory(used)
            return tuple(chosen[0][1])

    def peek(self, requests: Sequence[GrantRequest]) -> tuple[Grant, ...] | None:
        """Return what `permit` would return now, without using it."""
        with self._lock:
            chosen = self._choose_everywhere(requests)
            return None if chosen is None else tuple(chosen[0][1])

    def match(self, requests: Sequence[GrantRequest]) -> tuple[Grant | None, ...]:
        """Return the grant for each request of one call, or None for requests without one; nothing is used."""
        with self._lock:
            chosen = (self._choose_everywhere([request]) for request in requests)
            return tuple(each[0][1][0] if each else None for each in chosen)

    def use(self, id: str) -> bool:
        """Use a grant once, here and in every ancestor that has it; False if no use is left."""
        with self._lock:
            found = next((grant for grant in self._all() if grant.id == id and grant.live(self._clock())), None)
            if found is None or not self._consume_stored([found]):
                return False
            self._consume_in_memory([found])
            return True

    def add(self, grant: Grant) -> None:
        """Add a grant. `always` grants go to the store if there is one, all others are kept in memory.

        In a child it allows nothing that the parent does not allow.

        Raises:
            ConfigError: another grant has its id, or it was used up or revoked.
        """
        with self._lock:
            self._check_new(grant)
            if self._store is not None and grant.scope == "always":
                self._store.add(grant)
            else:
                self._grants[grant.id] = grant

    def revoke(self, id: str) -> bool:
        """Remove a grant of this set for good; False if there is none with that id."""
        with self._lock:
            if self._grants.pop(id, None) is not None:
                self._gone.add(id)
                return True
            return self._store is not None and self._store.revoke(id)

    def list(self) -> tuple[Grant, ...]:
        """Return the live grants of the set with their remaining uses, or the parent's if the set allows everything."""
        with self._lock:
            if self._whole_parent and self._parent is not None:
                return self._parent.list()
            now = self._clock()
            return tuple(grant for grant in self._all() if grant.live(now))

    def child(self, grants: Iterable[Grant] | None = None, *, session: str | None = None) -> GrantSet:
        """Return a set for a sub-agent, a job or a worker: what these grants and this set both allow.

        Args:
            grants: The grants; everything that this set allows by default.
            session: The session that the set is for.
        """
        return GrantSet(grants, parent=self, session=session, clock=self._clock)

    def end_session(self, session: str) -> None:
        """Drop the grants that apply in this session only."""
        with self._lock:
            for grant in tuple(self._grants.values()):
                if grant.scope != "always" and grant.session == session:
                    self.revoke(grant.id)

    def _check_new(self, grant: Grant) -> None:
        if grant.id in self._grants:
            raise ConfigError("there is already a grant with this id.", key=grant.id)
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
            if isinstance(error.__cause__, PermissionError | NotADirectoryError):  # grants in memory still apply
                return ()
            raise

    def _choose_everywhere(self, requests: Sequence[GrantRequest]) -> _Chosen | None:
        """Return a grant for each request, for this set and each ancestor; None if one is missing."""
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

    def _consume_in_memory(self, used: _Used) -> None:
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
    """Sort grants with unlimited uses first, then those with the most uses left."""
    left = grant.uses_left
    return left is not None, -(left or 0)
