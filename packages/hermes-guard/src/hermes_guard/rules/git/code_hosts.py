"""Judges the command-line clients of code hosts: gh, glab and others."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.git.rules import CONFIG, FAMILY, HOSTED
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_HOSTED = Spec(
    "R= repo= g= group= hostname= X= method= f= raw-field= F= field= H= header= q= jq= t= title= template= "
    "b= body= y yes visibility= B= base= head= l= label= "
    "n= notes= p public a= assignee= r= L= limit= s= state= json= e= env= o= org= u= user= w= web "
    "cleanup-tag notes-file= body-file= input= d s= shell admin "
    "squash merge rebase m auto delete-branch force source= desc= description= c= confirm dry-run paginate i "
    "include silent verbose help version target= draft"
)
_HOSTED_VERBS = names("delete delete-asset remove rm destroy archive transfer disable rename")
_HOSTED_PAIRS = names(
    "secret set|variable set|variable delete|ssh-key add|gpg-key add|deploy-key add|release create|release upload"
    "|release edit|auth token|token create|token rotate|token revoke|runner unregister|schedule delete",
    "|",
)
#: Options that make a subcommand unsafe.
_HOSTED_OPTIONS = {
    "repo edit": ("visibility",),
    "repo sync": ("force",),
    "pr merge": ("admin",),
    "mr merge": ("admin",),
    "gist create": ("p", "public"),
}
#: API endpoints that change permissions.
_SETTINGS = re.compile(
    r"protection|/secrets|/collaborators|/keys|/hooks|/transfer|/rulesets|/invitations|/memberships"
    r"|/visibility|/actions/permissions"
)
_OWN_HOST = re.compile(r"https://(?:api\.|uploads\.|raw\.)?(?:github|githubusercontent|gitlab)\.com(?:/|\Z)")
#: Names of workflows that deploy.
_GOES_LIVE = re.compile(r"deploy|release|publish|prod\b|production|rollback|destroy|terraform|migrat", re.IGNORECASE)
#: The maximum number of commands checked for the one that receives the token.
_NEAR = 64


def _for_its_host(command: Command, context: Context) -> bool:
    """Return True when the token is sent only to the host that issued it: in a request there, or to its registry."""
    if command.feeds:
        return all(
            reader.program in {"docker", "podman", "helm", "crane", "oras"}
            and any(word.raw.startswith(("ghcr.io", "https://ghcr.io", "registry.gitlab.com")) for word in reader.args)
            for reader in command.feeds
        )
    for other in context.commands[:_NEAR]:
        if other.program in {"curl", "wget", "http", "https", "xh"} and any(
            command in word.commands for word in other.args
        ):
            addresses = [word.raw for word in other.args if "://" in word.raw]
            return bool(addresses) and all(_OWN_HOST.match(address) for address in addresses)
    return False


@FAMILY.judges("gh", "glab", "tea", "lab")
def hosted(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the clients of code hosts."""
    options = parse(command, _HOSTED)
    if options.helps or options.has("dry-run"):
        return
    verb, second = options.subcommand(), options.subcommand(1)
    pair = f"{verb} {second}"
    if verb == "api":
        yield from _api(command, options)
    elif pair == "auth token" and _for_its_host(command, context):
        return
    elif (
        pair in _HOSTED_PAIRS
        or (second in _HOSTED_VERBS and verb not in {"alias", "extension", "ext", "config"})
        or (pair == "repo deploy-key" and options.subcommand(2) in {"add", "delete"})
        or options.has(*_HOSTED_OPTIONS.get(pair, ()))
    ):
        yield HOSTED.found(command, path=pair)
    elif pair in {"workflow run", "ci run", "pipeline run"} and _GOES_LIVE.search(" ".join(command.texts[3:])):
        yield HOSTED.found(command, path=" ".join(command.texts[1:])[:80])
    elif pair == "alias set" and (
        options.has("s", "shell") or any(word.raw.startswith("!") for word in options.operands[2:])
    ):
        yield CONFIG.found(command, path="alias")


def _api(command: Command, options: Options) -> Iterator[Finding]:
    """Judge a raw API request."""
    address, method = options.subcommand(1), options.value("X", "method")
    fields = " ".join(word.raw for word in options.values("f", "raw-field", "F", "field"))
    name = method.raw.upper() if method else "POST" if fields or options.has("input") else "GET"
    unsafe = name == "DELETE" or (
        name != "GET" and (_SETTINGS.search(address) or "visibility=public" in fields or "private=false" in fields)
    )
    if unsafe or (
        address == "graphql"
        and "mutation" in fields
        and re.search(r"delete|remove|archive|transfer", fields, re.IGNORECASE)
    ):
        yield HOSTED.found(command, path=f"{name} {address}"[:100])
