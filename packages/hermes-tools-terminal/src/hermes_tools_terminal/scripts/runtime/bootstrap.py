"""Runs first in a script's process: imports `hermes_tools` and installed packages on demand.

The interpreter starts without `site`, which takes longer than most scripts. `site` runs when the script imports the
first module that is not in the standard library.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

TOOLS = "hermes_tools"
_LOOKING_AROUND = frozenset({"importlib.metadata", "importlib.resources", "pkgutil", "runpy", "site", "sysconfig"})
"""Modules of the standard library that inspect installed packages."""


class Finder:
    """Finds the tools module before all others, and runs `site` when an installed package is imported.

    Args:
        given: The data from the host.
    """

    def __init__(self, given: dict[str, Any]) -> None:
        self._given = given
        self._source = ""
        self._bare = bool(sys.flags.no_site)
        self._python: Any = getattr(sys, "stdlib_module_names", None)
        if self._bare and self._python is None:  # before 3.10 the standard library is not listed
            self._bring_packages()

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002 - as imports ask
        """Return the spec of the tools module; None for others."""
        if name == TOOLS:
            make: Any = type(sys.__spec__)
            found: ModuleSpec = make(name, self, origin=TOOLS + ".py")
            return found
        if self._bare and (name in _LOOKING_AROUND or (path is None and name not in self._python)):
            self._bring_packages()
        return None

    def _bring_packages(self) -> None:
        """Run `site`, which was skipped at the start."""
        self._bare = False
        removed = _remove_working_directory()  # as at a normal start, the script's directory is not made absolute
        try:
            import site

            site.main()
        finally:
            sys.path[:0] = removed

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return None for an ordinary module."""

    def exec_module(self, module: ModuleType) -> None:
        """Connect to the host, and run the source of the tools module."""
        removed = _remove_working_directory()  # modules of the project must not shadow the standard library
        try:
            client: dict[str, Any] = {"__name__": "_hermes_client"}
            exec(compile(self._given["client"], "<hermes_tools line>", "exec", dont_inherit=True), client)  # noqa: S102 - ours
            tools = client["open_channel"](self._given["line"])
        finally:
            sys.path[:0] = removed
        self._source = tools.source
        module.__file__ = self._given["path"][: -len("script.py")] + TOOLS + ".py"  # no other file has this path
        module.__dict__.update(tools.helpers, _tool=tools.tool)
        exec(compile(self._source, module.__file__, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - ours

    def get_source(self, name: str) -> str:  # noqa: ARG002 - as tracebacks and `inspect` ask
        """Return the source of the module."""
        return self._source


class BundledModules:
    """Provides modules of the standard library that a minimal Python lacks, from the host.

    Args:
        packed: Their names and sources, compressed.
    """

    def __init__(self, packed: bytes) -> None:
        self._packed = packed
        self._texts: dict[str, str] | None = None

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002 - as imports ask
        """Return the spec of a bundled module; None for others."""
        if name.partition(".")[0] != "json" or name not in self._unpacked():
            return None
        make: Any = type(sys.__spec__)
        found: ModuleSpec = make(name, self, origin=name + ".py", is_package=name == "json")
        return found

    def _unpacked(self) -> dict[str, str]:
        if self._texts is None:
            try:
                import marshal
                import zlib

                self._texts = marshal.loads(zlib.decompress(self._packed))  # noqa: S302 - the host's own
            except ImportError:
                self._texts = {}
        return self._texts or {}

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return None for an ordinary module."""

    def exec_module(self, module: ModuleType) -> None:
        """Run its source."""
        exec(compile(self._unpacked()[module.__name__], module.__name__, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - ours


def _explain(error: BaseException) -> None:
    """Tell a missing module of the standard library from a missing package."""
    name = (getattr(error, "name", None) or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and name in getattr(sys, "stdlib_module_names", ()):
        sys.stderr.write(
            "The Python of this environment lacks " + name + ", a standard library module: it is a minimal build. "
            "Install the full build (Debian, Ubuntu: python3 instead of python3-minimal), or do without.\n"
        )


def _remove_working_directory() -> list[str]:
    """Remove the working directory from the module search path; return what to restore."""
    removed = sys.path[:1] if sys.path[:1] == [""] else []
    del sys.path[: len(removed)]
    return removed


def _help(*things: object) -> None:
    import pydoc

    pydoc.help(*things)


def begin(given: dict[str, Any]) -> None:
    """Run the script as the main program.

    Args:
        given: The data from the host: source, path, and connection to the tools.
    """
    main, path, compiled = sys.modules["__main__"].__dict__, given["path"], given.get("compiled")
    for name in ("_", "_hermes", "marshal", "sys"):  # names of the start code
        main.pop(name, None)
    main["__file__"] = path
    sys.argv[:] = [path]
    if sys.flags.no_site:
        builtins = sys.modules["builtins"].__dict__
        builtins["exit"] = builtins["quit"] = sys.exit
        builtins["help"] = _help
    finder: Any = Finder(given)
    sys.meta_path.insert(0, finder)
    if "spare" in given:
        spare: Any = BundledModules(given["spare"])
        sys.meta_path.append(spare)
    output: Any = sys.stdout
    output.reconfigure(line_buffering=True)  # printed lines survive any kind of end
    if compiled is not None:  # by the host, with the same Python: the first compilation here would be slow
        sys.modules["_imp"]._fix_co_filename(compiled, path)
    try:
        exec(compiled or compile(given["code"], path, "exec", dont_inherit=True), main)  # noqa: S102 - the script
    except SystemExit:
        raise
    except BaseException as error:  # print a traceback without lines that are not the script's
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != path:
            trace = trace.tb_next
        error.__traceback__ = trace
        sys.excepthook(type(error), error, trace)
        _explain(error)
        sys.exit(1)
