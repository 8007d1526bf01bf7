"""`Config`: the user's settings, typed by the schemas of installed plugins."""

from __future__ import annotations

import copy
import json
import os
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from hermes_core.config import section_reader
from hermes_core.config.core_settings import Settings
from hermes_core.config.home import home_folder
from hermes_core.config.sections import CORE_SECTIONS, SectionSpec, settings_of
from hermes_core.config.setting_problems import ConfigProblem, example_line, near, why_not
from hermes_core.config.tool_session import refuse_inside, settings_environ
from hermes_core.errors import ConfigError, PluginError, did_you_mean
from hermes_files import FileError, dotenv, yaml_document
from hermes_files.yaml_document import Document, Steps, find_entry, key_of, parse_key
from hermes_schemas.plain_types import NotPlainError, converter
from hermes_text.secrets.secret_names import all_masked, masked

if TYPE_CHECKING:
    from collections.abc import MutableMapping

Model = TypeVar("Model")

Key = str | tuple[str, ...]
"""A setting: `web.backend`, or its steps `("web", "backend")`."""


@contextmanager
def config_errors() -> Iterator[None]:
    """Raise a `ConfigError` in place of each `FileError`. Also works as a decorator."""
    try:
        yield
    except FileError as error:
        raise ConfigError(**vars(error)) from error


class Origin(NamedTuple):
    """The source of a value: a line of a file, a variable, or a default."""

    file: str | None = None
    line: int | None = None
    variable: str | None = None

    def __str__(self) -> str:
        if self.variable:
            return f"env {self.variable}" + (f" ({Path(self.file).name})" if self.file else "")
        return f"{Path(self.file).name}:{self.line}" if self.file else "default"


@dataclass(slots=True)
class _State:
    document: Document
    environ: Mapping[str, str]
    names: list[str]
    sections: dict[str, section_reader.Reading] = field(default_factory=dict)


class Config:
    """The settings in `config.yaml`, `.env` and the environment, read once; `reload` reads them again.

    Variables override the file, which overrides the defaults. Sections without a schema are returned as they are.
    """

    def __init__(
        self,
        home: str | os.PathLike[str] | None = None,
        sections: Iterable[SectionSpec] = (),
        environ: Mapping[str, str] | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        """Create the settings. Files are read when they are first needed.

        Args:
            home: The directory of the files; `$HERMES_HOME` by default.
            sections: The sections of plugins, in addition to those of the core.
            environ: The environment; that of the process by default. `.env` adds to it and never overrides it.
            data: Replaces `config.yaml` and `.env`.
        """
        self.home = Path(home_folder(home))
        self.file = self.home / "config.yaml"
        self.env_file = self.home / ".env"
        self.sections: dict[str, SectionSpec] = {}
        for spec in (*CORE_SECTIONS, *sections):
            holder = self.sections.setdefault(spec.name, spec)
            if holder is not spec:
                raise PluginError(f"the section {spec.name!r} belongs to {holder.owner}.", plugin=spec.owner)
        self._given_environ = environ
        self._data = data
        self._state: _State | None = None

    def declare(self, sections: Iterable[SectionSpec]) -> None:
        """Replace the sections of plugins."""
        self.sections = {spec.name: spec for spec in (*sections, *CORE_SECTIONS)}
        if self._state is not None:
            self._state.sections.clear()

    def reload(self) -> None:
        """Read the files and the environment again when they are next needed."""
        self._state = None

    # -- reading ---------------------------------------------------------------------------------------------

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment, extended by `.env`. Raises `ConfigError` if `.env` cannot be read."""
        return self._now().environ

    def get(self, key: Key) -> Any:
        """Return the value of a setting such as `web.backend`; None if it is not set and has no default."""
        section, *path = steps = _split(key)
        spec = self.sections.get(section)
        if spec is not None:
            _require_setting(spec, tuple(path))
        found = find_entry(self._now().document.data if spec is None else {section: self._values(section)}, steps)
        if found is None and spec is None:
            raise self._no_such_section(steps)
        return None if found is None else copy.deepcopy({} if found[1] is None and not path else found[1])

    def section(self, name: str) -> dict[str, Any]:
        """Return a section: defaults, file and environment. Raises `ConfigError` if it is invalid."""
        values = self._values(name)
        if not isinstance(values, Mapping):
            raise ConfigError("is a value, not a section.", file=str(self.file), line=self.line_of((name,)), key=name)
        return copy.deepcopy(dict(values))

    def model(self, name: str, model: type[Model]) -> Model:
        """Return a section as a dataclass or a pydantic model. Raises `ConfigError` without secrets."""
        values = self.section(name)
        if is_dataclass(model):
            try:
                return cast("Model", converter(model)(values))
            except (NotPlainError, ValueError):
                pass  # pydantic can convert more, and explains errors
        from pydantic import TypeAdapter, ValidationError

        try:
            return TypeAdapter(model).validate_python(values)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False, include_context=False)[0]
            reason = f"{first['msg'][0].lower()}{first['msg'][1:]}."
            problem = ConfigProblem.at(self._now().document, (name, *first["loc"]), reason=reason)
            raise problem.error() from None  # the cause would show the input, which may contain a secret

    def data(self) -> dict[str, Any]:
        """Return the contents of the file, without defaults and environment."""
        return copy.deepcopy(dict(self._now().document.data))

    def stored(self, section: str) -> Any:
        """Return the contents of a section in the file, without defaults and environment; None if there are none."""
        found = find_entry(self._now().document.data, (section,))
        return copy.deepcopy(found[1]) if found else None

    def get_configured(self, section: str) -> Any:
        """Return a declared section from the file and the environment, without defaults; None if neither sets it."""
        reading = self._reading(self.sections[section]).require_valid(source="env")
        return section_reader.apply(self.stored(section), reading.overrides)

    def line_of(self, steps: Steps) -> int | None:
        """Return the line of an entry of the file, or of the nearest parent."""
        return self._now().document.line_of(steps)

    def settings(self) -> Settings:
        """Return the core's own settings. Raises `ConfigError` if the file or a variable is invalid."""
        state = self._now()
        named = [spec.name for spec in CORE_SECTIONS if section_reader.is_named(spec, state.document, state.names)]
        return settings_of({name: self._values(name) for name in named})

    def origin(self, key: Key) -> Origin:
        """Return where the value of a setting comes from."""
        section, *path = steps = _split(key)
        spec = self.sections.get(section)
        override = self._reading(spec).override_of(tuple(path)) if spec else None
        if override is not None:
            file = None if override.variable in self._environ() else str(self.env_file)
            return Origin(file, variable=override.variable)
        found = find_entry(self._now().document.data, steps)
        if found is None or (found[1] is None and spec is not None):
            return Origin()
        return Origin(str(self.file), self.line_of(found[0]))

    def is_secret(self, key: Key) -> bool:
        """Return True if a setting is declared as a secret."""
        section, *path = _split(key)
        return section in self.sections and self.sections[section].is_secret(tuple(path))

    def get_masked(self, key: Key) -> Any:
        """Return the value of a setting without secrets."""
        return self._masked(_split(key), self.get(key))

    def names(self) -> list[str]:
        """Return all sections that are declared or in the file."""
        return list(dict.fromkeys((*self.sections, *map(str, self._now().document.data))))

    def problems(self) -> list[ConfigProblem]:
        """Return all problems and notes. Raises nothing."""
        return section_reader.find_problems(self.file, self.env_file, self.sections, self._environ())

    def require_valid(self) -> None:
        """Check all sections of the file and all variables. Raises `ConfigError` if a value does not fit its setting.

        Logs a warning for misspelled names. Missing values are left to the plugin that needs them.
        """
        from hermes_schemas.value_problems import REQUIRED

        state = self._now()
        # Without a similar name, the section may belong to another plugin.
        found = [
            each for each in section_reader.find_unread(state.document, state.names, self.sections) if each.nearest
        ]
        for spec in self.sections.values():
            if section_reader.is_named(spec, state.document, state.names):
                found += self._reading(spec).problems
        for problem in found:
            if problem.level == "error" and problem.reason != REQUIRED:
                raise problem.error()
        for problem in found:
            if problem.level == "warning":
                from hermes_core.logs import log  # `logging` takes time to import

                log.warning("%s", problem)

    # -- changing --------------------------------------------------------------------------------------------

    def set(self, key: Key, value: Any) -> Path:
        """Set one value, leave the rest of the file unchanged, including comments, and return the file.

        Strings are converted to the type of the setting. Secrets are stored in `.env`. Raises `ConfigError` without
        changing anything.
        """
        from hermes_files.yaml_edit import set_entry

        section, *keys = steps = _split(key)
        path = tuple(keys)
        spec = self.sections.get(section)
        if spec is not None:
            value = _fitting(spec, path, value)
            if spec.is_secret(path):
                return self._set_secret(spec, path, value)
            for secret in spec.paths():
                if secret[: len(path)] == path and spec.is_secret(secret) and find_entry(value, secret[len(path) :]):
                    reason = "is a secret, which belongs in .env: set it separately."
                    raise ConfigError(reason, key=key_of((section, *secret)))
        elif section not in section_reader.FAMILIAR_SECTIONS and self.stored(section) is None:
            raise self._no_such_section((section,))
        self._change(section, lambda document: set_entry(document, steps, value))
        return self.file

    def unset(self, key: Key) -> bool:
        """Remove a value from the file, or from `.env` if it is a secret; return False if it was not set."""
        from hermes_files.dotenv import remove_variables

        section, *path = steps = _split(key)
        removed = False
        if self.is_secret(steps) and self.env_file.exists():
            names = self.sections[section].variables(tuple(path))
            removed = self._rewrite(self.env_file, lambda text: remove_variables(self.env_file, text, names))
        return self._remove(steps) or removed

    def set_variable(self, name: str, value: str) -> Path:
        """Store an environment variable in `.env`; return the file. Raises `ConfigError` without changes."""
        from hermes_files.dotenv import set_variable

        self._rewrite(self.env_file, lambda before: set_variable(self.env_file, before, name, value))
        return self.env_file

    def unset_variable(self, name: str) -> bool:
        """Remove an environment variable from `.env`; return False if it was not there."""
        from hermes_files.dotenv import remove_variables

        return self.env_file.exists() and self._rewrite(
            self.env_file, lambda text: remove_variables(self.env_file, text, [name])
        )

    def _set_secret(self, spec: SectionSpec, path: tuple[str, ...], value: Any) -> Path:
        name, text = spec.stored_variable(path), value if isinstance(value, str) else json.dumps(value)
        read_document(self.file)  # an invalid file is rejected before anything is stored
        self.set_variable(name, text)
        self._remove((spec.name, *path))  # otherwise everyone could read it there
        return self.env_file

    def _remove(self, steps: tuple[str, ...]) -> bool:
        from hermes_files.yaml_edit import remove_entry

        if find_entry(read_document(self.file).data, steps) is None:
            return False
        return self._change(steps[0], lambda document: remove_entry(document, steps))

    def _change(self, section: str, edit: Callable[[Document], str]) -> bool:
        from hermes_files.yaml_document import parse_document

        spec = self.sections.get(section)

        def errors(document: Document) -> set[str]:
            found = () if spec is None else section_reader.read_section(spec, document, {}).problems
            # without lines, which a change may move
            return {str(replace(problem, line=None)) for problem in found if problem.level == "error"}

        def change(text: str) -> str:
            before = parse_document(self.file, text).require_unique_keys()
            changed = edit(before)
            for problem in sorted(errors(parse_document(self.file, changed)) - errors(before)):
                raise ConfigError(f"{problem} Nothing was changed.")
            return changed

        return self._rewrite(self.file, change)

    @config_errors()
    def _rewrite(self, file: Path, edit: Callable[[str], str]) -> bool:
        from hermes_files.text_file import rewrite_text

        refuse_inside("Settings cannot be changed")
        try:
            return rewrite_text(file, edit, mode=0o600 if file == self.env_file else None)
        finally:
            self.reload()

    # -- internals -------------------------------------------------------------------------------------------

    def _now(self) -> _State:
        if self._state is None:
            if self._data is not None:
                document, secrets = Document(file=self.file, data=copy.deepcopy(dict(self._data))), {}
            else:
                document, secrets = read_document(self.file), _read_dotenv(self.env_file)
            real = self._environ()
            # A view, not a copy: a variable that the process sets later counts as well.
            environ = ChainMap(cast("MutableMapping[str, str]", real), secrets) if secrets else real
            self._state = _State(document, environ, section_reader.named_variables(environ))
        return self._state

    def _environ(self) -> Mapping[str, str]:
        return settings_environ(self._given_environ)

    def _reading(self, spec: SectionSpec) -> section_reader.Reading:
        state = self._now()
        if spec.name not in state.sections:
            state.sections[spec.name] = section_reader.read_section(spec, state.document, state.environ, state.names)
        return state.sections[spec.name]

    def _values(self, section: str) -> Any:
        spec = self.sections.get(section)
        if spec is not None:
            return self._reading(spec).require_valid().values
        found = find_entry(self._now().document.data, (section,))
        return {} if found is None or found[1] is None else found[1]

    def _masked(self, steps: tuple[str, ...], value: Any) -> Any:
        if self.is_secret(steps):
            return all_masked(value)
        if isinstance(value, dict) and steps[0] in self.sections:
            return {key: self._masked((*steps, str(key)), item) for key, item in value.items()}
        return masked(value, steps[-1])

    def _no_such_section(self, steps: tuple[str, ...]) -> ConfigError:
        section, known = steps[0], self.names()
        if section in known or section in section_reader.FAMILIAR_SECTIONS:
            reason = f"it is not in the file, and no installed plugin reads the section {section!r}."
        else:
            reason = f"there is no section {section!r}." + did_you_mean(near(section, known))
        return ConfigError(reason, key=key_of(steps))


@config_errors()
def read_document(file: Path) -> Document:
    """Read a YAML file, empty if it does not exist. Raises `ConfigError` if it is invalid."""
    return yaml_document.read_document(file)


@config_errors()
def _read_dotenv(file: Path) -> dict[str, str]:
    variables = dotenv.load_dotenv(file)
    if dotenv.others_may_read(file):
        from hermes_core.logs import log  # `logging` takes time to import

        log.warning("%s: other users may read it; run: chmod 600 %s", file, file)
    return variables


@config_errors()
def _split(key: Key) -> tuple[str, ...]:
    return parse_key(key) if isinstance(key, str) else tuple(key)


def _require_setting(spec: SectionSpec, path: tuple[str, ...]) -> None:
    at: Mapping[str, Any] = spec.schema
    for length, key in enumerate(path):
        part = spec.child(at, key)
        if part is None:
            known = [key_of((spec.name, *path[:length], name)) for name in near(key, spec.properties(at))]
            raise ConfigError("there is no such setting." + did_you_mean(known), key=key_of((spec.name, *path)))
        at = part


def _fitting(spec: SectionSpec, path: tuple[str, ...], value: Any) -> Any:
    _require_setting(spec, path)
    if isinstance(value, str):
        value = spec.read_text(spec.find(path) or {}, value)
    if reason := why_not(spec, path, value):
        raise ConfigError(reason, key=key_of((spec.name, *path)), example=example_line(spec, path))
    return value
