"""Judges stored logins and keys that are changed by their own programs."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, parse
from hermes_guard.rules.common.file_tool_options import GIT
from hermes_guard.rules.family import Context
from hermes_guard.rules.writes.call_checks import (
    Order,
    anything,
    either,
    has_option,
    order,
    says,
    starts,
    unless,
)
from hermes_guard.rules.writes.rules import FAMILY, LOGIN
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_AWS_HARMLESS = frozenset({"region", "output", "cli_pager", "cli_auto_prompt", "max_attempts", "retry_mode"})
_NPM_SECRET = re.compile(r"_authToken|_auth\b|_password|npmAuthToken")
_GIT_STORES = frozenset({"credential", "credential-store", "credential-cache"})
_GIT_CHANGES = frozenset({"approve", "store", "reject", "erase"})


def _aws(options: Options) -> bool:
    """Return True for credentials that are set interactively, from a file, or as a key."""
    if options.subcommand() != "configure":
        return False
    verb, names = options.subcommand(1), options.operands[2:3]
    if verb == "set":
        return bool(names) and names[0].raw.rsplit(".", 1)[-1] not in _AWS_HARMLESS
    return verb == "import" or len(options.operands) == 1


def _npm(options: Options) -> bool:
    words = options.operands[1:] if options.subcommand() == "config" else options.operands
    return len(words) > 1 and words[0].raw == "set" and bool(_NPM_SECRET.search(words[1].raw))


def _git(options: Options) -> bool:
    return options.subcommand() in _GIT_STORES and any(word.raw in _GIT_CHANGES for word in options.operands[1:])


def _cargo_owner(options: Options) -> bool:
    return options.subcommand() == "owner" and options.has("a", "r", "add", "remove")


_KUBE = "kubeconfig= context= cluster= user= namespace= n= s= server= token= v= o= output= request-timeout="
_LOGINS: dict[str, Order] = {
    "aws": order(_aws, "profile= region= output= endpoint-url= color= ca-bundle= query= csv="),
    **dict.fromkeys(
        ("gpg", "gpg2"),
        order(
            starts(
                "delete-secret",
                "delete-key",
                "import-ownertrust",
                "edit-key",
                "quick-revoke",
                "quick-set-expire",
                "quick-lsign",
                "quick-sign",
                "lsign-key",
                "sign-key",
            )
        ),
    ),
    "ssh-copy-id": order(unless("n", anything), "i? p= o= F= t= n f s x"),
    **dict.fromkeys(
        ("kubectl", "oc"),
        order(
            says(
                "config set",
                "config set-credentials",
                "config set-cluster",
                "config unset",
                "config delete-user",
                "config delete-context",
                "config delete-cluster",
            ),
            _KUBE,
        ),
    ),
    "gh": order(
        says(
            "auth logout",
            "auth setup-git",
            "ssh-key add",
            "ssh-key delete",
            "gpg-key add",
            "gpg-key delete",
            "repo deploy-key add",
            "repo deploy-key delete",
        ),
        "R= repo= h= hostname= t= title=",
    ),
    "glab": order(says("auth logout", "ssh-key add", "ssh-key delete"), "R= repo= h= hostname= t= title="),
    **dict.fromkeys(
        ("npm", "pnpm", "yarn"),
        order(
            either(_npm, says("token create", "token revoke")),
            "C= L= w= location= userconfig= registry= prefix= workspace= dir=",
        ),
    ),
    "security": order(
        says(
            "add-generic-password",
            "add-internet-password",
            "add-certificates",
            "delete-*",
            "import",
            "set-*-password",
            "create-keychain",
        ),
        posix=True,
    ),
    "git": Order(GIT, _git),
    "secret-tool": order(says("store", "clear")),
    "keytool": order(
        has_option("import importcert importkeystore importpass delete storepasswd keypasswd changealias"),
        "keystore= destkeystore= srckeystore= file= alias= storepass= keypass=",
        single=True,
    ),
    "gcloud": order(
        says("auth revoke", "auth activate-service-account"),
        "project= account= configuration= format= verbosity= impersonate-service-account=",
    ),
    "az": order(
        says("logout", "account clear", "ad sp create-for-rbac", "ad sp credential reset"),
        "o= output= query= subscription=",
    ),
    **dict.fromkeys(
        ("pass", "gopass"), order(says("rm", "remove", "delete", "insert", "edit", "generate", "mv", "init"))
    ),
    "ssh-add": order(has_option("D d s e x X"), "D d s= e= x X t= T= E= S= H= h= l L k K q v c"),
    "op": order(
        says(
            *(
                f"{kind} {verb}"
                for kind in ("item", "document", "vault", "user")
                for verb in ("delete", "edit", "create")
            )
        ),
        "account= vault= format= session= config= encoding=",
    ),
    "mysql_config_editor": order(says("set", "remove", "reset")),
    "cargo": order(
        either(says("login", "logout"), _cargo_owner), "a= r= add= remove= registry= index= token= color= config= Z= C="
    ),
    "poetry": order(
        says("config pypi-token.*", "config http-basic.*", "config certificates.*"), "C= P= directory= project="
    ),
    "composer": order(
        says("config http-basic*", "config github-oauth*", "config bearer*", "config gitlab-token*"),
        "d= f= working-dir= file= g global a auth",
    ),
    "rclone": order(says("config create", "config update", "config delete", "config password"), "config="),
    "certutil": order(has_option("A D M addstore delstore"), "A D M d= n= t= i= f=", single=True),
    "smbpasswd": order(either(anything, starts(""))),
    "vault": order(
        says(
            "kv put",
            "kv patch",
            "kv delete",
            "kv destroy",
            "kv metadata delete",
            "write",
            "delete",
            "secrets disable",
            "auth disable",
            "token revoke",
            "operator seal",
        ),
        "address= namespace= ns= mount= ca-cert= client-cert= client-key=",
        single=True,
    ),
}


@FAMILY.judges(*_LOGINS)
def logins(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about programs that change stored logins and keys."""
    spec, wanted = _LOGINS[command.program or ""]
    options = parse(command, spec)
    if not options.helps and not options.has("dry-run") and wanted(options):
        yield LOGIN.found(command, path=" ".join(word.raw for word in command.args)[:80])
