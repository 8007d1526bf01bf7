"""Runs first in a script's process: makes it look like any program, and tools come when they are imported.

The interpreter is started without `site`, which takes longer than most scripts. What that would have done is done when
the script imports the first thing that is not a part of Python itself.
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
"""Parts of Python that are about what is installed."""


class Finder:
    """Finds the module of the tools before anything else, and has installed packages found when they are wanted.

    Args:
        given: What the host has sent.
    """

    def __init__(self, given: dict[str, Any]) -> None:
        self._given = given
        self._source = ""
        self._bare = bool(sys.flags.no_site)
        self._python: Any = getattr(sys, "stdlib_module_names", None)
        if self._bare and self._python is None:  # before 3.10 nobody can tell what is a part of Python
            self._bring_packages()

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002 - as imports ask
        """Where a module is; None for all but one."""
        if name == TOOLS:
            make: Any = type(sys.__spec__)
            found: ModuleSpec = make(name, self, origin=TOOLS + ".py")
            return found
        if self._bare and (name in _LOOKING_AROUND or (path is None and name not in self._python)):
            self._bring_packages()
        return None

    def _bring_packages(self) -> None:
        """Do what the interpreter was told not to do when it started."""
        self._bare = False
        here = _out_of_here()  # as at a start: the script's folder comes later, and is not made absolute
        try:
            import site

            site.main()
        finally:
            sys.path[:0] = here

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """An ordinary module."""

    def exec_module(self, module: ModuleType) -> None:
        """Open the line to the tools, and ask which there are."""
        here = _out_of_here()  # a file of the project that is called json.py is not meant
        try:
            client: dict[str, Any] = {"__name__": "_hermes_client"}
            exec(compile(self._given["client"], "<hermes_tools line>", "exec", dont_inherit=True), client)  # noqa: S102 - ours
            tools = client["open_channel"](self._given["line"])
        finally:
            sys.path[:0] = here
        self._source = tools.source
        module.__file__ = self._given["path"][: -len("script.py")] + TOOLS + ".py"  # where nothing else can be
        module.__dict__.update(tools.helpers, _tool=tools.tool)
        exec(compile(self._source, module.__file__, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - ours

    def get_source(self, name: str) -> str:  # noqa: ARG002 - as tracebacks and `inspect` ask
        """The text of the module."""
        return self._source


class BundledModules:
    """Finds parts of Python that a stripped one lacks, as the host has them.

    Args:
        packed: Their names and texts, packed.
    """

    def __init__(self, packed: bytes) -> None:
        self._packed = packed
        self._texts: dict[str, str] | None = None

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002 - as imports ask
        """Return the spec of a missing module; None for all but a few."""
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
        """An ordinary module."""

    def exec_module(self, module: ModuleType) -> None:
        """Run its text."""
        exec(compile(self._unpacked()[module.__name__], module.__name__, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - ours


def _explain(error: BaseException) -> None:
    """Tell a part of Python that is missing from a package that is."""
    name = (getattr(error, "name", None) or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and name in getattr(sys, "stdlib_module_names", ()):
        sys.stderr.write(
            "The Python of this environment lacks " + name + ", which is a part of Python: it is a stripped build. "
            "Install all of it (Debian, Ubuntu: the package python3 instead of python3-minimal), or do without.\n"
        )


def _out_of_here() -> list[str]:
    """Leave the folder out of the search for modules; what is to be put back."""
    here = sys.path[:1] if sys.path[:1] == [""] else []
    del sys.path[: len(here)]
    return here


def _help(*things: object) -> None:
    import pydoc

    pydoc.help(*things)


def begin(given: dict[str, Any]) -> None:
    """Run the script as the main program.

    Args:
        given: What the host has sent: its text and its path, and how tools are reached.
    """
    main, path, compiled = sys.modules["__main__"].__dict__, given["path"], given.get("compiled")
    for name in ("_", "_hermes", "marshal", "sys"):  # what brought us here
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
    output.reconfigure(line_buffering=True)  # what was printed is seen, however the script ends
    if compiled is not None:  # by the host, with the same Python: the first thing that is compiled here takes a while
        sys.modules["_imp"]._fix_co_filename(compiled, path)
    try:
        exec(compiled or compile(given["code"], path, "exec", dont_inherit=True), main)  # noqa: S102 - the point of it
    except SystemExit:
        raise
    except BaseException as error:  # told as the interpreter would, without the lines that are not the script's
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != path:
            trace = trace.tb_next
        error.__traceback__ = trace
        sys.excepthook(type(error), error, trace)
        _explain(error)
        sys.exit(1)
