"""The secrets that a program declares are hidden, those of its user are masked, and changes are noticed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hermes_text.secrets.store import SecretStore


class Sources:
    """Secrets that a test may change."""

    def __init__(self) -> None:
        self.moment = 0
        self.declared: dict[str, tuple[str, ...]] = {}
        self.marked: list[tuple[str, str, str]] | None = None
        self.file: dict[str, str] = {}

    def generation(self) -> int:
        return self.moment

    def required(self) -> Iterable[str]:
        return self.declared

    def lookup(self, name: str) -> tuple[str, ...]:
        return self.declared.get(name, ())

    def settings(self) -> Iterable[tuple[str, str, str]] | None:
        return self.marked

    def user_stamp(self) -> object:
        return len(self.file)

    def user_variables(self) -> Mapping[str, str]:
        return self.file

    def environ(self) -> Mapping[str, str]:
        return {"CI_TOKEN": "walrus-77-blue", "LEVEL": "information"}


def test_nothing_is_declared_until_the_generation_changes() -> None:
    sources = Sources()
    store = SecretStore(sources)
    assert store.hide("plum-otter-49") == "plum-otter-49"
    assert store.are_absent()
    sources.declared, sources.moment = {"ACME_KEY": ("plum-otter-49",)}, 1
    assert not store.are_absent()
    assert "otter" not in store.hide("plum-otter-49")


def test_a_change_of_the_variable_of_a_text_is_noticed_at_once() -> None:
    sources = Sources()
    sources.declared = {"ACME_KEY": ("plum-otter-49",)}
    store = SecretStore(sources)
    assert "otter" not in store.hide("plum-otter-49")
    sources.declared = {"ACME_KEY": ("lime-heron-50",)}
    assert store.spelled(["ACME_KEY"])
    assert "heron" not in store.hide("lime-heron-50")


def test_an_owner_has_only_its_own_settings() -> None:
    sources = Sources()
    sources.marked = [("web", "web.key", "plum-otter-49"), ("home", "home.key", "lime-heron-50")]
    store = SecretStore(sources)
    assert len(store.spelled()) == 2 * len(store.spelled((), "web")) > 0
    assert store.spelled((), "nobody") == ()


def test_the_users_own_are_those_of_the_file_the_environment_and_settings() -> None:
    sources = Sources()
    sources.marked = [("web", "web.key", "lime-heron-50")]
    store = SecretStore(sources)
    assert sorted(store.own) == ["lime-heron-50", "walrus-77-blue"]
    sources.file = {"ACME_KEY": "plum-otter-49"}
    assert set(store.own) == {"lime-heron-50", "walrus-77-blue", "plum-otter-49"}
