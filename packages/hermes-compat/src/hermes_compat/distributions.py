"""Toolset distributions: how likely each toolset is to be offered in one run of a batch."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hermes_core.errors import ConfigError, did_you_mean
from hermes_schemas import nearest

_SECTION = "toolset_distributions"
_EXAMPLE = "{web: 90, terminal: 25}"


class UnknownDistributionError(ConfigError):
    """Raised when a toolset distribution does not exist."""

    code = "unknown_distribution"

    def __init__(self, name: str, near: Iterable[str] = ()) -> None:
        self.name = name
        self.near = tuple(near)
        super().__init__(f"Unknown toolset distribution {name!r}." + did_you_mean(self.near))


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """For each toolset, the percent chance of being offered, in order."""

    name: str
    description: str = ""
    chances: Mapping[str, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "chances", MappingProxyType(dict(self.chances)))


_BUILT_IN: Mapping[str, tuple[str, Mapping[str, float]]] = {
    "default": (
        "Every common toolset, always.",
        {"web": 100, "vision": 100, "image_gen": 100, "terminal": 100, "file": 100, "moa": 100, "browser": 100},
    ),
    "image_gen": (
        "Mostly generating and judging images.",
        {"image_gen": 90, "vision": 90, "web": 55, "terminal": 45, "moa": 10},
    ),
    "research": (
        "Reading the web, with some vision and reasoning.",
        {"web": 90, "browser": 70, "vision": 50, "moa": 40, "terminal": 10},
    ),
    "science": (
        "Sources, computing and files.",
        {"web": 94, "terminal": 94, "file": 94, "vision": 65, "browser": 50, "image_gen": 15, "moa": 10},
    ),
    "development": (
        "Writing software, with some help from other models.",
        {"terminal": 80, "file": 80, "moa": 60, "web": 30, "vision": 10},
    ),
    "safe": (
        "No shell and no files.",
        {"web": 80, "browser": 70, "vision": 60, "image_gen": 60, "moa": 50},
    ),
    "balanced": (
        "Every common toolset, half of the time.",
        {"web": 50, "vision": 50, "image_gen": 50, "terminal": 50, "file": 50, "moa": 50, "browser": 50},
    ),
    "minimal": ("Only the web.", {"web": 100}),
    "terminal_only": ("A shell and files.", {"terminal": 100, "file": 100}),
    "terminal_web": ("A shell, files and the web.", {"terminal": 100, "file": 100, "web": 100}),
    "creative": ("Images first.", {"image_gen": 90, "vision": 90, "web": 30}),
    "reasoning": ("Several models thinking together.", {"moa": 90, "web": 30, "terminal": 20}),
    "browser_use": ("A browser, with search and vision.", {"browser": 100, "web": 80, "vision": 70}),
    "browser_only": ("Only a browser.", {"browser": 100}),
    "browser_tasks": ("Tasks done in a browser.", {"browser": 97, "vision": 12, "terminal": 15}),
    "terminal_tasks": (
        "Tasks done in a shell.",
        {"terminal": 97, "file": 97, "web": 97, "browser": 75, "vision": 50, "image_gen": 10},
    ),
    "mixed_tasks": (
        "Tasks that need a browser and a shell.",
        {"browser": 92, "terminal": 92, "file": 92, "web": 35, "vision": 15, "image_gen": 15},
    ),
}


class Distributions:
    """The built-in distributions and those of the configuration, which replace built-in ones with the same name."""

    def __init__(self, extra: Mapping[str, object] | None = None) -> None:
        self._known = {
            name: Distribution(name=name, description=description, chances=chances)
            for name, (description, chances) in _BUILT_IN.items()
        }
        for name, spec in (extra or {}).items():
            distribution = _parse(name, spec)
            self._known[distribution.name] = distribution

    def names(self) -> list[str]:
        """Return the name of every distribution, sorted."""
        return sorted(self._known)

    def get(self, name: str) -> Distribution:
        """Return the distribution with this name."""
        try:
            return self._known[name]
        except KeyError:
            near = nearest(name, self._known)
            raise UnknownDistributionError(name, near) from None

    def validate(self, name: str, is_known: Callable[[str], bool]) -> list[str]:
        """Return the problems of a distribution here, one sentence each."""
        return [
            f"Distribution {name!r} names toolset {toolset!r} ({chance:g} %), which is unknown."
            for toolset, chance in self.get(name).chances.items()
            if not is_known(toolset)
        ]

    def sample(
        self,
        name: str,
        *,
        seed: int | str | None = None,
        rng: random.Random | None = None,
        is_known: Callable[[str], bool] | None = None,
    ) -> tuple[str, ...]:
        """Draw each toolset by its chance, and return the drawn ones in the distribution's order.

        The same seed gives the same result everywhere; 5 and "5" are the same seed. Unknown toolsets are left out. If
        none is drawn, the most likely toolset is taken, so that a run has tools whenever possible.
        """
        if seed is not None and rng is not None:
            raise ValueError("Give sample() a seed or an rng, not both.")
        if rng is None:
            rng = random.Random() if seed is None else _generator(seed)  # noqa: S311 - chance, not a secret
        return _roll(self.get(name), rng, is_known)

    def sample_many(
        self,
        name: str,
        count: int,
        seed: int | str,
        *,
        start: int = 0,
        is_known: Callable[[str], bool] | None = None,
    ) -> Iterator[tuple[str, ...]]:
        """Yield samples `start` to `start + count` of a batch, which depend only on seed and index.

        A batch that stopped after 40 runs continues with `start=40`, and gets the samples it would have got.
        """
        distribution = self.get(name)
        return (_roll(distribution, _generator(seed, index), is_known) for index in range(start, start + count))


def _generator(seed: int | str, index: int | None = None) -> random.Random:
    """Return a random generator. Hashing separates -1 from 1, and makes neighboring indexes unrelated."""
    text = f"{seed}" if index is None else f"{seed}\n{index}"
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return random.Random(int.from_bytes(digest, "big"))  # noqa: S311 - chance, not a secret


def _roll(distribution: Distribution, rng: random.Random, is_known: Callable[[str], bool] | None) -> tuple[str, ...]:
    # Unknown toolsets are drawn, too: installing a family must not change the results of others.
    rolled = [(toolset, chance, rng.random() * 100 < chance) for toolset, chance in distribution.chances.items()]
    valid = [roll for roll in rolled if is_known is None or is_known(roll[0])]
    chosen = tuple(toolset for toolset, _, came_up in valid if came_up)
    if chosen:
        return chosen
    possible = [(toolset, chance) for toolset, chance, _ in valid if chance > 0]
    return (max(possible, key=lambda pair: pair[1])[0],) if possible else ()


def _parse(name: object, spec: object) -> Distribution:
    key = f"{_SECTION}.{name}"
    if not isinstance(name, str) or not name.strip():
        raise ConfigError(f"a distribution needs a name, not {name!r}.", key=_SECTION, example=f"mine: {_EXAMPLE}")
    if not isinstance(spec, Mapping):
        raise ConfigError(
            f"expected toolsets with a percent chance each, not {type(spec).__name__}.", key=key, example=_EXAMPLE
        )
    description: object = ""
    chances: object = spec
    if "toolsets" in spec or "description" in spec:
        extra = [str(word) for word in spec if word not in ("description", "toolsets")]
        if extra or "toolsets" not in spec:
            reason = f"unknown key {extra[0]!r} beside `toolsets`." if "toolsets" in spec else "`toolsets` is missing."
            raise ConfigError(reason, key=key, example=f"{{description: Mine, toolsets: {_EXAMPLE}}}")
        description, chances = spec.get("description") or "", spec["toolsets"]
    if not isinstance(description, str):
        raise ConfigError(f"expected a text, not {description!r}.", key=f"{key}.description", example="Mostly the web")
    if not isinstance(chances, Mapping) or not chances:
        raise ConfigError("expected at least one toolset with its percent chance.", key=key, example=_EXAMPLE)
    checked = dict(_chance(key, toolset, chance) for toolset, chance in chances.items())
    if not any(checked.values()):
        raise ConfigError("every chance is 0, so no toolset could be drawn.", key=key, example=_EXAMPLE)
    return Distribution(name=name, description=description, chances=checked)


def _chance(key: str, toolset: object, chance: object) -> tuple[str, float]:
    if not isinstance(toolset, str) or not toolset.strip():
        raise ConfigError(f"expected the name of a toolset, not {toolset!r}.", key=key, example=_EXAMPLE)
    # This also refuses NaN, for which every comparison is false.
    if isinstance(chance, bool) or not isinstance(chance, (int, float)) or not 0 <= chance <= 100:
        raise ConfigError(
            f"expected a percent chance from 0 to 100, not {chance!r}.",
            key=f"{key}.{toolset}",
            example=f"{toolset}: 50",
        )
    return toolset, chance
