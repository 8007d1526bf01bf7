"""Whether a plugin's manifest says what its code says: what a release must not go out without."""

from __future__ import annotations

from types import ModuleType

from hermes_core.errors import PluginError
from hermes_core.plugins.candidate import Candidate
from hermes_core.plugins.importing import load
from hermes_core.plugins.manifest import FILE, manifest_finder
from hermes_core.plugins.manifest_making import differences, make_manifest
from hermes_core.testing.review import Remark
from hermes_core.testing.target import find_plugin

_REMEDY = "Run 'hermes plugin manifest' and commit what it writes."


def check_manifest(plugin: ModuleType | str, name: str) -> list[Remark]:
    """Everything in which a plugin's manifest differs from its code; an empty list is praise.

    Args:
        plugin: The plugin's module, or what its entry point says: `package.module:object`.
        name: The entry point's name.
    """
    where = plugin if isinstance(plugin, str) else plugin.__name__
    try:
        brought = load(Candidate(name=name, origin="application", load=lambda: find_plugin(plugin)))
        manifest = manifest_finder(name, where.partition(":")[0])()
    except PluginError as error:
        remedy = error.remedy or "Mend it and try again."
        return [Remark(rule="plugin.broken", subject=name, message=error.reason, remedy=remedy)]
    if manifest is None:
        return [Remark(rule="manifest.missing", subject=name, message=f"It has no {FILE}.", remedy=_REMEDY)]
    return [
        Remark(rule="manifest.stale", subject=name, message=f"Its manifest is stale: {sentence}", remedy=_REMEDY)
        for sentence in differences(manifest, make_manifest(name, brought))
    ]
