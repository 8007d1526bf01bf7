"""Resolves `$ref` inside one schema document. Remote schemas are never fetched."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

MISSING: Final = object()


def is_schema_object(schema: Any) -> bool:
    """Return True for a schema with keywords; a frozen view counts, too."""
    return isinstance(schema, (dict, MappingProxyType))


class References:
    """Resolves references against one root."""

    __slots__ = ("_anchors", "_own_id", "_root")

    def __init__(self, root: Any) -> None:
        self._root = root
        self._anchors: dict[str, object] | None = None
        own = root.get("$id") if is_schema_object(root) else None
        self._own_id = own.rstrip("#") if isinstance(own, str) else ""

    def resolve(self, ref: object) -> object:
        """Return the subschema that a reference leads to in the end; see `lookup`."""
        seen: set[str] = set()
        target = self.lookup(ref)
        # A subschema that only refers to another is followed here, so a long chain costs no depth later.
        while is_schema_object(target) and len(target) == 1 and isinstance(target.get("$ref"), str):
            if target["$ref"] in seen:
                return MISSING
            seen.add(target["$ref"])
            target = self.lookup(target["$ref"])
        return target

    def lookup(self, ref: object) -> Any:
        """Return the subschema that a reference names; MISSING when it is remote, broken or no reference."""
        if not isinstance(ref, str):
            return MISSING
        if self._own_id and ref.startswith(self._own_id):
            ref = ref[len(self._own_id) :] or "#"
        if not ref.startswith("#"):
            return MISSING
        fragment = ref[1:]
        if "%" in fragment:
            from urllib.parse import unquote

            fragment = unquote(fragment)
        if not fragment:
            return self._root
        if fragment.startswith("/"):
            return self._follow(fragment)
        if self._anchors is None:
            self._anchors = _find_anchors(self._root)
        return self._anchors.get(fragment, MISSING)

    def _follow(self, pointer: str) -> object:
        found = self._root
        for raw in pointer.split("/")[1:]:
            step = raw.replace("~1", "/").replace("~0", "~")
            if is_schema_object(found) and step in found:
                found = found[step]
            elif isinstance(found, (list, tuple)) and step.isascii() and step.isdigit() and len(step) < 10:
                if int(step) >= len(found):
                    return MISSING
                found = found[int(step)]
            else:
                return MISSING
        return found


def _find_anchors(root: object) -> dict[str, object]:
    anchors: dict[str, object] = {}
    seen: set[int] = set()
    todo: list[Any] = [root]
    while todo:
        part = todo.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if is_schema_object(part):
            anchor = part.get("$anchor")
            if isinstance(anchor, str):
                anchors.setdefault(anchor, part)
            old = part.get("$id")
            if isinstance(old, str) and old.startswith("#"):
                anchors.setdefault(old[1:], part)
            # These keywords hold plain values, which may look like schemas.
            todo.extend(sub for name, sub in part.items() if name not in ("enum", "const", "default", "examples"))
        elif isinstance(part, (list, tuple)):
            todo.extend(part)
    return anchors
