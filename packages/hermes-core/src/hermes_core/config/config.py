"""`Config`: the user's settings, typed by what installed plugins declare, and the one way to change them."""

from __future__ import annotations

import copy
import json
import os
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from hermes_core.config.core_sections import CORE_SECTIONS, FAMILIAR_SECTIONS
from hermes_core.config.document import Document, Steps, key_of, parse_key, read_document
from hermes_core.config.dotenv import load_dotenv
from hermes_core.config.home import home_folder
from hermes_core.config.overrides import Override, find_overrides, named_variables, split
from hermes_core.config.problems import ConfigProblem
from hermes_core.config.reading import Reading, put, read_section
from hermes_core.config.sections import SectionSpec, Way
from hermes_core.config.settings import Settings, settings_of
from hermes_core.config.tool_session import settings_environ
from hermes_core.config.values import REQUIRED, example_line, near, typed, why_not
from hermes_core.errors import ConfigError, PluginError, did_you_mean
from hermes_schemas.plain_types import NotPlainError, converter
from hermes_text.secrets.names import all_masked, masked

if TYPE_CHECKING:
    from collections.abc import MutableMapping

Model = TypeVar("Model")

Key = str | tuple[str, ...]
"""A setting: `web.backend`, or its steps `("web", "backend")`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a value comes from: a default, a line of a file, or a variable."""

    kind: str
    file: str | None = None
    line: int | None = None
    variable: str | None = None

    def __str__(self) -> str:
        if self.variable:
            return f"env {self.variable}" + (f" ({Path(self.file).name})" if self.file else "")
        return f"{Path(self.file).name}:{self.line}" if self.file else self.kind


@dataclass(slots=True)
class _State:
    """One reading of the files and the environment."""

    document: Document
    environ: Mapping[str, str]
    names: list[str]
    sections: dict[str, Reading] = field(default_factory=dict)


def _overrides(spec: SectionSpec, state: _State) -> Sequence[Override]:
    """What the environment sets in a section. Raises `ConfigError` for a variable that cannot be read."""
    overrides, problems = find_overrides(spec, state.environ, state.names)
    for problem in problems:
        if problem.level == "error":
            raise problem.error()
    return overrides


class Config:
    """What `config.yaml`, `.env` and the environment say, read once; `reload` reads again.

    A variable wins over the file, the file over the default. Sections that no installed plugin declares are kept and
    can be read as they stand.
    """

    def __init__(
        self,
        home: str | os.PathLike[str] | None = None,
        sections: Iterable[SectionSpec] = (),
        environ: Mapping[str, str] | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        """Nothing is read before it is needed.

        Args:
            home: The folder with the files; `$HERMES_HOME` when it is not given.
            sections: What plugins declare, beside the sections of the core.
            environ: The environment; that of the process when it is not given. `.env` adds to it and never overrides.
            data: What stands in the place of `config.yaml` and `.env`, which are not read then.

        Raises:
            PluginError: two plugins declare the same section.
            ConfigError: there is no home folder, or a tool started this process and it asks for another session's.
        """
        self.home = Path(home_folder(home))
        self.file = self.home / "config.yaml"
        self.env_file = self.home / ".env"
        self.sections: dict[str, SectionSpec] = {}
        for spec in (*CORE_SECTIONS, *sections):
            holder = self.sections.setdefault(spec.name, spec)
            if holder is not spec:
                raise PluginError(f"the section {spec.name!r} belongs to {holder.owner}.", plugin=spec.owner)
        self._environ = environ
        self._data = data
        self._state: _State | None = None

    def declare(self, sections: Iterable[SectionSpec]) -> None:
        """Learn what plugins read, in the place of what was known of them before."""
        self.sections = {spec.name: spec for spec in (*sections, *CORE_SECTIONS)}
        if self._state is not None:
            self._state.sections.clear()

    # -- reading ---------------------------------------------------------------------------------------------

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment, with what `.env` adds to it.

        Raises:
            ConfigError: `.env` cannot be read.
        """
        return self._now().environ

    def get(self, key: Key) -> Any:
        """The value of a setting such as `web.backend`; None when it is not set and has no default.

        Raises:
            ConfigError: there is no such setting, or its section holds something that cannot be.
        """
        section, way = self._split(key)
        spec = self.sections.get(section)
        if spec is not None and spec.at(way) is None:
            raise self._no_such_key(spec, way)
        data = self._now().document.data
        if spec is None and _matching(data, section) not in data:
            raise self._nobody_knows(section, way)
        value = self._values(section)
        for step in way:
            if not isinstance(value, Mapping) or (step := _matching(value, step)) not in value:
                if spec is None:
                    raise self._nobody_knows(section, way)
                return None
            value = value[step]
        return copy.deepcopy(value)

    def section(self, name: str) -> dict[str, Any]:
        """A section with its defaults, the file's values and those of the environment.

        Raises:
            ConfigError: the section holds something that cannot be.
        """
        values = self._values(name)
        if not isinstance(values, Mapping):
            line = self._now().document.line_of((name,))
            raise ConfigError("is a value, not a section.", file=str(self.file), line=line, key=name)
        return copy.deepcopy(dict(values))

    def model(self, name: str, model: type[Model]) -> Model:
        """A section as an instance of a dataclass or a pydantic model.

        Raises:
            ConfigError: the section does not fit the model; secrets are not in the text.
        """
        values = self.section(name)
        if is_dataclass(model):
            try:
                return cast("Model", converter(model)(values))
            except (NotPlainError, ValueError):
                pass  # pydantic can convert more, and says what is wrong
        from pydantic import TypeAdapter, ValidationError

        try:
            return TypeAdapter(model).validate_python(values)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False, include_context=False)[0]
            steps = (name, *first["loc"])
            document = self._now().document
            line = document.line_of(steps)
            message = f"{first['msg'][0].lower()}{first['msg'][1:]}."
            file = str(document.file) if line else None
            # The cause would print what was given, and with it a secret.
            raise ConfigError(message, file=file, line=line, key=key_of(steps)) from None

    def stored(self, section: str) -> Any:
        """What the file says under a section, with neither defaults nor the environment; None when it says nothing.

        Raises:
            ConfigError: the file cannot be read.
        """
        data = self._now().document.data
        return copy.deepcopy(data.get(_matching(data, section)))

    def said(self, section: str) -> Any:
        """What the file says under a declared section, and the environment over it; None when neither says anything.

        Raises:
            ConfigError: the file or a variable cannot be read.
        """
        values = self.stored(section)
        for override in _overrides(self.sections[section], self._now()):
            values = put(values, override.way, override.value)
        return values

    def line_of(self, steps: Steps) -> int | None:
        """The line of an entry of the file, or of the nearest one around it."""
        return self._now().document.line_of(steps)

    def settings(self) -> Settings:
        """What the core itself reads, with the environment applied.

        Raises:
            ConfigError: a file or a variable says something that cannot be.
        """
        state = self._now()
        named = {*state.document.data, *(split(variable)[0] for variable in state.names)}
        return settings_of({spec.name: self._values(spec.name) for spec in CORE_SECTIONS if spec.name in named})

    def origin(self, key: Key) -> Origin:
        """Where the value of a setting comes from."""
        section, way = self._split(key)
        state = self._now()
        spec = self.sections.get(section)
        override = self._reading(spec).override_of(way) if spec else None
        if override is not None:
            file = None if override.variable in self._real_environ() else str(self.env_file)
            return Origin(kind="env", variable=override.variable, file=file)
        value: Any = state.document.data
        steps: Steps = ()
        for step in (section, *way):
            if not isinstance(value, Mapping) or (step := _matching(value, step)) not in value:
                return Origin(kind="default")
            value = value[step]
            steps = (*steps, step)
        if value is None and spec is not None:
            return Origin(kind="default")
        return Origin(kind="file", file=str(self.file), line=state.document.line_of(steps))

    def is_secret(self, key: Key) -> bool:
        """Whether a setting is declared as a secret."""
        section, way = self._split(key)
        spec = self.sections.get(section)
        return spec is not None and spec.is_secret(way)

    def shown(self, key: Key) -> Any:
        """The value of a setting as it may be shown: nothing secret is left in it."""
        section, way = self._split(key)
        return self.masked(section, way, self.get(key))

    def masked(self, section: str, way: Way, value: Any) -> Any:
        """A value of a section as it may be shown."""
        spec = self.sections.get(section)
        if spec is not None and spec.is_secret(way):
            return all_masked(value)
        if isinstance(value, dict) and spec is not None:
            return {key: self.masked(section, (*way, str(key)), item) for key, item in value.items()}
        return masked(value, way[-1] if way else section)

    def names(self) -> list[str]:
        """Every section that is declared or stands in the file."""
        stored = (str(name) for name in self._now().document.data)
        return list(dict.fromkeys((*self.sections, *stored)))

    def problems(self) -> list[ConfigProblem]:
        """Everything that is wrong or worth knowing, at once. Nothing is raised."""
        from hermes_core.config.checking import find_problems

        return find_problems(self.file, self.env_file, self.sections, self._real_environ())

    def require_valid(self) -> None:
        """Check every section of the file and every variable, also those that nothing reads in this run.

        Misspelled sections and keys are warned of, with the nearest name.

        Raises:
            ConfigError: a value does not fit its setting. A value that is missing is left to the plugin that needs it.
        """
        from hermes_core.config.checking import misspelled

        state = self._now()
        named = {*state.document.data, *(split(variable)[0] for variable in state.names)}
        problems = [
            problem
            for name, spec in self.sections.items()
            if name in named or name.lower().replace("-", "_") in named
            for problem in self._reading(spec).problems
        ]
        for problem in problems:
            if problem.level == "error" and problem.reason != REQUIRED:
                raise problem.error()
        unread = misspelled(state.document, state.names, self.sections)
        warnings = (*unread, *(problem for problem in problems if problem.level == "warning"))
        if warnings:
            from hermes_core.logs import log  # `logging` takes time to import

            for problem in warnings:
                log.warning("%s", problem)

    def reload(self) -> None:
        """Read the files and the environment again when they are next needed."""
        self._state = None

    # -- changing --------------------------------------------------------------------------------------------

    def set(self, key: Key, value: Any) -> Path:
        """Set one value, and leave everything else in the file as it is, comments included.

        A text is read as the type that the setting asks for. A secret goes to `.env`.

        Returns:
            The file that holds the value now.

        Raises:
            ConfigError: there is no such setting, the value does not fit, or the file is broken; nothing was changed.
        """
        from hermes_core.config.editing import with_value

        section, way = self._split(key)
        spec = self.sections.get(section)
        if spec is None:
            self._require_known(section)
        else:
            value = self._fitting(spec, way, value)
            if spec.is_secret(way):
                return self._set_secret(spec, way, value)
            self._refuse_secrets_within(spec, way, value)
        return self._change(
            section, lambda document: with_value(document, (section, *way), _plain(value, key_of((section, *way))))
        )

    def unset(self, key: Key) -> bool:
        """Take a value out of the file, or of `.env` when it is a secret; False when it was not there.

        Raises:
            ConfigError: a file is broken; nothing was changed.
        """
        from hermes_core.config.editing import without

        section, way = self._split(key)
        steps = (section, *way)
        spec = self.sections.get(section)
        removed = False
        if spec is not None and spec.is_secret(way):
            from hermes_core.config.writing import drop_variables

            removed = drop_variables(self.env_file, spec.variables(way))
            self.reload()
        if not _stands(read_document(self.file).data, steps):
            return removed

        def edit(document: Document) -> str | None:
            return without(document, steps) if _stands(document.data, steps) else None

        self._change(section, edit)
        return True

    # -- inside ----------------------------------------------------------------------------------------------

    def _now(self) -> _State:
        if self._state is None:
            if self._data is not None:
                document, dotenv = Document(file=self.file, data=copy.deepcopy(dict(self._data))), {}
            else:
                document, dotenv = read_document(self.file), load_dotenv(self.env_file)
            real = self._real_environ()
            # A view, not a copy: a variable that the process sets later counts as well.
            environ = ChainMap(cast("MutableMapping[str, str]", real), dotenv) if dotenv else real
            self._state = _State(document, environ, named_variables(environ))
        return self._state

    def _real_environ(self) -> Mapping[str, str]:
        return settings_environ(self._environ)

    def _reading(self, spec: SectionSpec) -> Reading:
        state = self._now()
        found = state.sections.get(spec.name)
        if found is None:
            found = read_section(spec, state.document, state.environ, state.names)
            state.sections[spec.name] = found
        return found

    def _values(self, section: str) -> Any:
        spec = self.sections.get(section)
        if spec is None:
            data = self._now().document.data
            value = data.get(_matching(data, section))
            return {} if value is None else value
        reading = self._reading(spec)
        for problem in reading.problems:
            if problem.level == "error":
                raise problem.error()
        return reading.values

    def _split(self, key: Key) -> tuple[str, Way]:
        section, *way = parse_key(key) if isinstance(key, str) else key
        return section, tuple(way)

    def _no_such_key(self, spec: SectionSpec, way: Way) -> ConfigError:
        for length in range(len(way)):
            part = spec.at(way[:length])
            if part is not None and spec.child(part, way[length]) is None:
                close = near(way[length], spec.properties(part))
                named = tuple(".".join((spec.name, *way[:length], name)) for name in close)
                return ConfigError("there is no such setting." + did_you_mean(named), key=".".join((spec.name, *way)))
        return ConfigError("there is no such setting.", key=".".join((spec.name, *way)))

    def _nobody_knows(self, section: str, way: Way) -> ConfigError:
        known = {*self.sections, *map(str, self._now().document.data)}
        if section in known or section in FAMILIAR_SECTIONS:
            reason = f"it is not in the file, and no installed plugin reads the section {section!r}."
            return ConfigError(reason, key=key_of((section, *way)))
        return ConfigError(
            f"there is no section {section!r}." + did_you_mean(near(section, known)), key=key_of((section, *way))
        )

    def _require_known(self, section: str) -> None:
        data = self._now().document.data
        if section not in FAMILIAR_SECTIONS and _matching(data, section) not in data:
            raise ConfigError(
                f"no installed plugin reads a section {section!r}." + did_you_mean(near(section, self.sections)),
                key=section,
            )

    def _fitting(self, spec: SectionSpec, way: Way, value: Any) -> Any:
        part = spec.at(way)
        if part is None:
            raise self._no_such_key(spec, way)
        if isinstance(value, str):
            value = typed(spec, part, value)
        reason = why_not(spec, way, value)
        if reason:
            raise ConfigError(
                reason,
                key=".".join((spec.name, *way)),
                example=example_line(spec, way),
            )
        return value

    def _change(self, section: str, edit: Callable[[Document], str | None]) -> Path:
        from hermes_core.config.writing import rewrite_document

        spec = self.sections.get(section)

        def errors(document: Document) -> set[str]:
            found = () if spec is None else read_section(spec, document, {}, ()).problems
            # Without their lines, which a change may move.
            return {str(replace(problem, line=None)) for problem in found if problem.level == "error"}

        def check(before: Document, after: Document) -> None:
            for problem in sorted(errors(after) - errors(before)):
                raise ConfigError(f"{problem} Nothing was changed.")

        with self._rereading():
            rewrite_document(self.file, edit, check)
        return self.file

    def _refuse_secrets_within(self, spec: SectionSpec, way: Way, value: Any) -> None:
        for secret in spec.ways():
            inner = secret[len(way) :]
            if secret[: len(way)] == way and spec.is_secret(secret) and _stands(value, inner):
                key = key_of((spec.name, *secret))
                raise ConfigError("is a secret, which goes to .env: set it by its own key.", key=key)

    def _set_secret(self, spec: SectionSpec, way: Way, value: Any) -> Path:
        from hermes_core.config.editing import without
        from hermes_core.config.writing import set_variable

        steps = (spec.name, *way)
        text = value if isinstance(value, str) else json.dumps(value)
        with self._rereading():
            document = read_document(self.file)  # a broken file is refused before anything is stored
            set_variable(self.env_file, spec.home_variable(way), text)
            if _stands(document.data, steps):  # it would stay there for all to read
                self._change(spec.name, lambda now: without(now, steps) if _stands(now.data, steps) else None)
        return self.env_file

    @contextmanager
    def _rereading(self) -> Iterator[None]:
        try:
            yield
        finally:
            self.reload()


def _matching(mapping: Mapping[Any, Any], step: str) -> Any:
    """The key that a step means: `123` may be a number in the file."""
    return step if step in mapping else next((key for key in mapping if str(key) == step), step)


def _stands(data: Any, steps: Steps) -> bool:
    for step in steps:
        if not isinstance(data, Mapping) or (step := _matching(data, step)) not in data:
            return False
        data = data[step]
    return True


def _plain(value: Any, key: str) -> Any:
    """A value as YAML holds it: tuples are lists, and what has no form there is refused."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item, key) for item in value]
    if isinstance(value, Mapping) and all(isinstance(name, (str, int)) for name in value):
        return {name: _plain(item, key) for name, item in value.items()}
    raise ConfigError(f"a {type(value).__name__} cannot stand in config.yaml.", key=key)
