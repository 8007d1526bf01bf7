"""Skills made by code: attacks by class, and benign skills that look like them. Hosts of attackers end in `.invalid`.

Every second sample of each class is held out: it was written before the scanner was tuned, and is only scored.
"""

import io
import stat
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

Files = Mapping[str, str | bytes]
#: A skill needs these; samples add what matters.
FRONT = "---\nname: {name}\ndescription: {description}\n---\n\n"


def skill(
    body: str, *, name: str = "sample", description: str = "Use when the user asks for a report.", **files: str | bytes
) -> dict[str, str | bytes]:
    """Return the files of a skill. In names of arguments `__` is a slash, and the text `_dot_` a dot."""
    found: dict[str, str | bytes] = {"SKILL.md": FRONT.format(name=name, description=description) + body}
    for path, content in files.items():
        found[path.replace("__", "/").replace("_dot_", ".")] = content
    return found


def write(files: Files, root: Path) -> Path:
    """Write a skill into a directory; scripts become executable."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
        if name.endswith(".sh"):
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return root


def zip_of(files: Files) -> bytes:
    """Return a zip archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tar_of(files: Files) -> bytes:
    """Return a compressed tar archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()
