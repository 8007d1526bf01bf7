"""Judges the AWS command line, whose operations begin with a verb."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.cloud.rules import DELETE, FAMILY, PUBLISH, RIGHTS, STOP
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_AWS = Spec(
    "profile= region= output= endpoint-url= query= color= ca-bundle= cli-read-timeout= cli-connect-timeout= "
    "cli-binary-format= no-verify-ssl no-paginate no-sign-request no-cli-pager debug "
    "cli-auto-prompt version help dry-run dryrun generate-cli-skeleton? recursive delete force exclude= "
    "include= acl= quiet only-show-errors storage-class= sse? grants= source-region= metadata= "
    "content-type= cache-control= page-size= desired-count= desired-capacity= min-size= max-size= "
    "cli-input-json= website-redirect= reserved-concurrent-executions="
)
_DELETES = re.compile(
    r"(?:batch-|admin-|force-|bulk-)?(?:delete|terminate|remove|deregister|purge|schedule-key-deletion|release-address"
    r"|release-hosts|abort-environment|wipe|destroy|empty|reset|forget|leave-organization|close-account"
    r"|decommission|untag-log)(?:-|$)|.*-deletion$"
)
_STOPS = re.compile(
    r"(?:stop|reboot|suspend|disable|detach|disassociate|failover|restore-db|cancel|drain|pause|abort|unsubscribe"
    r"|rebuild|restart|deactivate|shutdown|fail-over|hibernate)(?:-|$)"
)
_RIGHTS = re.compile(
    r"(?:attach|authorize|grant|share)-|create-(?:access-key|login-profile|policy-version"
    r"|service-specific-credential|user|grant|virtual-mfa|role)$|update-(?:login-profile|assume-role-policy"
    r"|access-key|account-password-policy|role)$"
    r"|put-(?:bucket-(?:policy|acl|public-access-block|website|replication|lifecycle.*|versioning|encryption"
    r"|ownership-controls|cors)|object-acl|public-access-block|(?:user|role|group|key|resource|function"
    r"|registry|repository|secret)-(?:policy|permissions.*)|account-.*)$"
    r"|add-(?:user-to-group|role-to-instance-profile|permission|layer-version-permission|client-id.*)$"
    r"|change-resource-record-sets|send-command|send-ssh-public-key|modify-(?:.*-attribute|db-(?:instance"
    r"|cluster)|image.*|snapshot.*|instance.*)$"
    r"|set-(?:default-policy-version|security-groups|identity-pool-roles)|set-repository-policy|revoke-"
    r"|run-command|execute-command|update-security-group|upload-(?:ssh-public-key|signing-certificate)"
    r"|import-key-pair|disable-key"
)
_READS = re.compile(
    r"(?:describe|list|get|ls|head|lookup|search|query|scan|filter|test|validate|simulate|batch-get|view"
    r"|preview|estimate|check|detect|tail|presign|help|wait)(?:-|$)"
)
#: Options that stop everything when set to zero.
_SIZES = ("desired-count", "desired-capacity", "max-size", "reserved-concurrent-executions")
#: Services whose verbs concern only this machine or the user's identity.
_OWN = frozenset({"configure", "sts", "sso", "help"})


@FAMILY.judges("aws", "awslocal")
def aws(command: Command, _: Context) -> Iterator[Finding]:
    """Judge an operation by its first word."""
    options = parse(command, _AWS)
    # `awslocal` talks to a local emulator.
    dry = options.has("dry-run", "dryrun", "generate-cli-skeleton") or command.program == "awslocal"
    if options.helps or dry:
        return
    while options.operands and options.operands[0].splits:
        options.operands = options.operands[1:]
    service, verb = options.subcommand(), options.subcommand(1)
    if "help" in {verb, options.subcommand(2)} or service in _OWN or _READS.match(verb):
        return
    what = f"{service} {verb}"
    if service == "s3":
        yield from _s3(command, options, verb)
    elif _DELETES.match(verb):
        yield DELETE.found(command, path=what)
    elif _RIGHTS.match(verb) and what not in {"ec2 create-role", "ec2 attach-volume"}:
        yield RIGHTS.found(command, path=what)
    elif _STOPS.match(verb) or any(word.raw == "0" for word in options.values(*_SIZES)):
        yield STOP.found(command, path=what)
    elif verb.startswith("publish-package"):
        yield PUBLISH.found(command, path=what)


def _s3(command: Command, options: Options, verb: str) -> Iterator[Finding]:
    """Judge `aws s3`, which has its own verbs."""
    if (
        verb in {"rm", "rb"}
        or (verb == "sync" and options.has("delete"))
        or (verb == "mv" and options.has("recursive"))
    ):
        yield DELETE.found(command, path=f"s3 {verb} {options.subcommand(2)}")
    acl = options.value("acl")
    if (
        verb == "website"
        or (acl is not None and acl.raw.startswith("public"))
        or any("AllUsers" in word.raw for word in options.values("grants"))
    ):
        yield RIGHTS.found(command, path=f"s3 {verb}")
