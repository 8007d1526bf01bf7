"""Judges services whose deletes and uploads are recognized by exact phrases or by an option."""

from collections.abc import Iterator

from hermes_guard.argv import parse
from hermes_guard.rules.cloud.programs import COMMON
from hermes_guard.rules.cloud.rules import DELETE, FAMILY, INFRASTRUCTURE, PUBLISH
from hermes_guard.rules.common.argument_checks import (
    ANY,
    Check,
    beginning,
    begins,
    findings,
    flag,
    flag_like,
    phrases,
    verb,
)
from hermes_guard.rules.family import Context, Rule
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_UPLOAD = phrases("upload, upload-large-folder")
_JFROG = phrases("rt (upload | u | docker-push | dp | gradle-publish | npm-publish | build-publish | bp | go-publish)")
_SAID: dict[Rule, dict[str, frozenset[str]]] = {
    DELETE: {
        "dvc": phrases("gc"),
        "fastlane": phrases("match nuke, run match_nuke"),
        "ipfs": phrases("pin rm, repo gc, files rm"),
        "openai": phrases(
            "api (files.delete | models.delete | fine_tunes.delete | assistants.delete | vector_stores.delete)"
        ),
    },
    INFRASTRUCTURE: {
        "dnscontrol": phrases("push"),
    },
    PUBLISH: {
        "bentoml": phrases("push"),
        "butler": phrases("push"),
        "cloudsmith": phrases("push"),
        "cog": phrases("push"),
        "crossplane": phrases("xpkg push"),
        "firebase": phrases("appdistribution:distribute"),
        "hf": _UPLOAD,
        "huggingface-cli": _UPLOAD,
        "jf": _JFROG,
        "jfrog": _JFROG,
        "kaggle": phrases("datasets (create | version), competitions submit, models create, models instances create"),
        "modelscope": _UPLOAD,
        "ngc": phrases("registry model upload-version, registry resource upload-version, registry image push"),
        "ollama": phrases("push"),
        "pulumi": phrases("package publish"),
        "rover": phrases("graph publish, subgraph publish"),
        "sf": phrases("package version promote"),
        "shopify": phrases("theme publish, app release"),
        "slack": phrases("publish"),
    },
}
_DRY = ("help", "version", "dry-run", "dryrun")


@FAMILY.judges(*sorted({program for table in _SAID.values() for program in table}))
def by_phrase(command: Command, _: Context) -> Iterator[Finding]:
    """Judge a command by its first words."""
    options = parse(command, COMMON)
    if options.has(*_DRY):
        return
    for rule, table in _SAID.items():
        if begins(options, table.get(command.program or "", frozenset())):
            yield rule.found(command, path=beginning(options))


_HADOOP = flag("-rm -rmr -rmdir -expunge -deleteSnapshot")
_DELETING: dict[str, Check] = {
    "celery": Check(lambda given: "purge" in given.words[:3]),
    "cli4": flag("--delete"),
    "hadoop": _HADOOP & verb("fs dfs"),
    "hdfs": _HADOOP & verb("dfs"),
    "ldapdelete": ANY,
    "octodns-sync": flag("--doit"),
    "acme.sh": flag("--revoke --remove --deactivate"),
    "cloudflare-cli": verb("rm purge"),
    "cfcli": verb("rm purge"),
    "knotc": verb("zone-purge zone-unset conf-unset"),
    "postsuper": flag_like("-d"),
    "rndc": verb("delzone"),
}


@FAMILY.judges(*_DELETING)
def by_option(command: Command, _: Context) -> Iterator[Finding]:
    """Judge programs that delete by an option."""
    yield from findings(DELETE, command, _DELETING)


_UPLOADING: dict[str, Check] = {
    "altool": flag("--upload-app --upload-package"),
    "iTMSTransporter": Check(lambda given: "upload" in given.words),
    "xcrun": verb("altool iTMSTransporter") & (flag("--upload-app --upload-package") | flag_like("-m$")),
}


@FAMILY.judges(*_UPLOADING)
def uploads(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about uploading an app to a store."""
    yield from findings(PUBLISH, command, _UPLOADING)
