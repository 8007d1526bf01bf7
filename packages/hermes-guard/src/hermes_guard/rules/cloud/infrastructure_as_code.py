"""Judges infrastructure as code."""

from collections.abc import Iterator

from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.cloud.rules import FAMILY, INFRASTRUCTURE
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_TERRAFORM = Spec(
    "chdir= auto-approve? target= var= var-file= lock? lock-timeout= destroy? out= state= backup= input? "
    "no-color parallelism= refresh? refresh-only? replace= compact-warnings json force help h version "
    "terragrunt-working-dir= working-dir= terragrunt-config= terragrunt-non-interactive non-interactive all "
    "filter= queue-include-dir= queue-exclude-dir=",
    single=True,
)
_CHANGES = frozenset({"destroy", "apply", "taint", "force-unlock", "destroy-all", "apply-all"})
_CHANGING_PAIRS = frozenset({"state rm", "state push", "state mv", "state replace-provider", "workspace delete"})


@FAMILY.judges("terraform", "tofu", "terragrunt", "tf", "opentofu", "cdktf", "atmos")
def terraform(command: Command, _: Context) -> Iterator[Finding]:
    """Allow plans, and ask about applying them."""
    options = parse(command, _TERRAFORM)
    if options.helps or options.has("h"):
        return
    words = [word.raw for word in options.operands]
    if words[:1] in (["run-all"], ["run"], ["stack"], ["exec"], ["terraform"]):
        words = [word for word in words[1:] if word not in {"run", "--"}]
    verb, second = [*words, "", ""][:2]
    approved = options.has("auto-approve") and verb not in {"plan", "validate", "init"}
    if verb in _CHANGES or f"{verb} {second}" in _CHANGING_PAIRS or approved:
        yield INFRASTRUCTURE.found(command, path=f"{verb} {second}".strip()[:80])


_STACKS = Spec(
    "C= cwd= s= stack= y yes f skip-preview skip force c= context= a= app= profile= require-approval= all "
    "preview-only exclusively e= help version dry-run no-dry-run config= plugin= target= m= message= p= parallel="
)


def _pulumi(options: Options) -> bool:
    return options.subcommand() in {"destroy", "down", "dn", "up", "update", "cancel"} or (
        f"{options.subcommand()} {options.subcommand(1)}" in {"stack rm", "state delete", "stack import", "policy rm"}
    )


def _cdk(options: Options) -> bool:
    verb, approval = options.subcommand(), options.value("require-approval")
    unasked = approval is not None and approval.raw == "never"
    return (
        verb == "destroy"
        or (verb in {"deploy", "bootstrap", "rollback"} and unasked)
        or (verb == "deploy" and options.has("force", "yes", "y"))
    )


def _nixops(options: Options) -> bool:
    return options.subcommand() in {"destroy", "delete", "deploy"}


def _nuke(options: Options) -> bool:
    return options.subcommand() in {"aws", "gcp", "azure", "nuke", "run"} or options.has(
        "no-dry-run", "config", "force"
    )


_CHANGED_BY = {
    "pulumi": _pulumi,
    "cdk": _cdk,
    "aws-cdk": _cdk,
    "nixops": _nixops,
    "cloud-nuke": _nuke,
    "aws-nuke": _nuke,
}


@FAMILY.judges(*_CHANGED_BY)
def stacks(command: Command, _: Context) -> Iterator[Finding]:
    """Judge stacks of other tools."""
    options = parse(command, _STACKS)
    program = command.program or ""
    if options.helps or options.has("dry-run", "preview-only"):
        return
    if _CHANGED_BY[program](options):
        words = f"{program} {options.subcommand()} {options.subcommand(1)}"
        yield INFRASTRUCTURE.found(command, path=words.strip()[:80])
