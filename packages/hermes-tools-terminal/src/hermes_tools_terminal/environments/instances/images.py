"""Images for Apptainer and Singularity: a file that is there, or one that is built once from where it comes from."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping

from hermes_tools_terminal.environments.base import PlaceError

BUILD_SECONDS = 600.0
"""How long an image may take to be fetched and built."""

_SOURCE = re.compile(r"[a-z][a-z0-9-]+:")
_BUSY_SECONDS = 0.1
"""How soon one looks again whether somebody else has built the image."""


def is_source(image: str) -> bool:
    """Whether an image has to be fetched (`docker://debian:12`, `docker-archive:saved.tar`), and is not a file."""
    return _SOURCE.match(image) is not None


def image_file(image: str, *, program: str, cache: str, variables: Mapping[str, str]) -> str:
    """The file or folder to start an image from; it is built when it comes from elsewhere and was not built before.

    Args:
        image: What the settings say.
        program: `apptainer` or `singularity`.
        cache: The folder for built images.
        variables: Those that the program gets while it builds.

    Raises:
        PlaceError: there is no such file, or it cannot be built.
    """
    if not is_source(image):
        path = os.path.abspath(os.path.expanduser(image))
        if (why := _unfit(path)) is not None:
            raise PlaceError(why, hint="Look at terminal.singularity.image.")
        return path
    path = cached_file(image, cache)
    if not os.path.isfile(path):
        with _alone(f"{path}.lock", image):
            if not os.path.isfile(path):  # who had the lock before may have built it
                _build(image, path, program, variables)
    return path


def cached_file(image: str, cache: str) -> str:
    """Where a built image is kept. Removing it is how one gets a newer one."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", image.partition(":")[2]).strip("-.")[-60:]
    return os.path.join(cache, f"{name or 'image'}-{hashlib.sha256(image.encode()).hexdigest()[:12]}.sif")


def _unfit(path: str) -> str | None:
    if not os.path.exists(path):
        return f"There is no image {path}."
    if os.path.isdir(path) and not os.path.isdir(os.path.join(path, ".singularity.d")):
        return f"{path} is a folder, but not one that `build --sandbox` made."
    return None


def _build(image: str, path: str, program: str, variables: Mapping[str, str]) -> None:
    """Build beside the image's place, then put it there: nobody finds half an image."""
    part = f"{path}.part"
    name = os.path.basename(program)
    child = subprocess.Popen(  # noqa: S603 - the user's engine and the user's image
        [program, "--quiet", "build", "--force", part, image],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=variables,
        cwd="/",
        start_new_session=True,
    )
    try:
        printed, _ = child.communicate(timeout=BUILD_SECONDS)
        if child.returncode:
            words = printed.decode(errors="replace").strip()[-500:]
            raise PlaceError(
                f"{name} could not build {image}: {words or f'it ended with {child.returncode}'}",
                hint="Look at terminal.singularity.image; without a network, build a .sif elsewhere and name its file.",
            )
        os.replace(part, path)
    except subprocess.TimeoutExpired as error:
        raise PlaceError(
            f"{name} did not build {image} in {BUILD_SECONDS:g} seconds.",
            hint=f"Build it by hand: {name} build {path} {image}",
        ) from error
    except OSError as error:
        raise PlaceError(f"{path} cannot be written: {error.strerror}.", hint="Set terminal.sandbox_dir.") from error
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        if child.stdout is not None:
            child.stdout.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)


@contextlib.contextmanager
def _alone(path: str, image: str) -> Iterator[None]:
    """One process at a time; a killed one lets go by itself."""
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise PlaceError(f"{path} cannot be written: {error.strerror}.", hint="Set terminal.sandbox_dir.") from error
    try:
        deadline = time.monotonic() + BUILD_SECONDS
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise PlaceError(f"Another process has been building {image} for {BUILD_SECONDS:g} s.") from None
                time.sleep(_BUSY_SECONDS)
        yield
    finally:
        os.close(handle)
