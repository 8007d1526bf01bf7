"""Judges secret stores: password managers, keyrings and vaults that print their content."""

from collections.abc import Iterator, Sequence

from hermes_guard import lazy_re as re
from hermes_guard.rules.common.argument_checks import (
    ALWAYS,
    ANY,
    Way,
    both,
    either,
    folded,
    gives,
    operands,
    ordered,
    says,
    starts,
)
from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.rules import FAMILY, PRINT
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_SECRET_SETTING = re.compile(r"secret|token|key")
_SECRET_OUTPUT = re.compile(
    r"secret|passw|token|private_key|api_key|credential|kubeconfig|connection_string", re.IGNORECASE
)
_NPM_SECRET = re.compile(r"(?:_authToken|_auth|_password)\b")
_HIVES = re.compile(r"(?:hklm|hkey_local_machine)\\+(?:sam|security|system)")
_QUIET_PASS = frozenset(
    [
        *("ls", "list", "find", "git", "init", "insert", "add", "generate", "help", "version", "edit"),
        *("rm", "mv", "cp"),
    ]
)


def _pass(words: Sequence[str]) -> bool:
    """Return True when the word is not a subcommand, and so names a password."""
    first = words[0] if words else ""
    return first.startswith(("-c", "--clip")) or (first[:1] not in {"", "-"} and first not in _QUIET_PASS)


def _third(pattern: re.Pattern[str]) -> Way:
    return lambda words: any(pattern.search(word) for word in operands(words)[2:3])


def _setting(words: Sequence[str]) -> bool:
    """`configure get NAME`, with the options of aws in any position."""
    found = operands(words)
    return any(
        found[place : place + 2] == ["configure", "get"] and _SECRET_SETTING.search(found[place + 2])
        for place in range(len(found) - 2)
    )


def _shows_password(words: Sequence[str]) -> bool:
    return any(word[:2] in {"-w", "-g"} for word in words)


_DOCKER_HELPERS = "desktop osxkeychain pass secretservice wincred ecr-login gcloud gcr acr-env helper-ecr"


def _names_secret(words: Sequence[str]) -> bool:
    return any(_SECRET_OUTPUT.search(word) for word in operands(words)[1:])


#: The arguments that make each store print a secret.
_STORES: dict[str, Way] = {
    "gpg": lambda words: any(word.startswith(("--export-secret-", "--export-ownertrust")) for word in words),
    "security": either(
        says("dump-keychain|export"), both(says("find-generic-password|find-internet-password"), _shows_password)
    ),
    "secret-tool": starts("lookup|search"),
    "keyring": says("get"),
    "kwallet-query": gives("-r", "--read-password"),
    "pass": _pass,
    "gopass": starts("show|cat|otp|sum"),
    "op": says("read|inject", "item|document get"),
    "bw": says("get password|item|notes|totp|attachment", "export", "list items"),
    "rbw": starts("get|code"),
    "lpass": starts("show|export"),
    "keepassxc-cli": starts("show|export|clip|attachment-export"),
    "vault": says("kv get", "read", "print token", "token lookup|create"),
    "aws": either(
        says(
            "secretsmanager get-secret-value|batch-get-secret-value",
            "configure export-credentials",
            "sts get-session-token|assume-role|get-federation-token",
            "ec2 get-password-data",
            "kms decrypt",
            "iam create-access-key",
            "ecr|ecr-public get-login-password|get-login|get-authorization-token",
            "codeartifact get-authorization-token",
            "redshift get-cluster-credentials",
            "rds generate-db-auth-token",
        ),
        both(
            says("ssm get-parameter|get-parameters|get-parameters-by-path|get-parameter-history"),
            gives("--with-decryption"),
        ),
        _setting,
    ),
    "gcloud": says(
        "secrets versions access",
        "iam service-accounts keys create",
        "auth print-access-token|print-identity-token",
        "auth * print-access-token|print-identity-token",
    ),
    "az": says(
        "keyvault secret show|download",
        "keyvault key download",
        "storage account keys list",
        "acr credential show",
        "account get-access-token",
        "storage account show-connection-string",
        "cosmosdb keys list",
        "redis list-keys",
        "functionapp keys list",
        "ad sp create-for-rbac",
        "ad app credential reset",
    ),
    "kubectl": either(both(says("config view"), gives("--raw")), says("create token")),
    "oc": either(
        both(says("config view"), gives("--raw")),
        says("create token"),
        both(says("whoami"), gives("-t", "--show-token")),
    ),
    "rclone": starts("config show|dump"),
    **dict.fromkeys(("gh", "glab"), both(starts("auth status"), gives("-t", "--show-token"))),
    "argocd": says("account generate-token", "admin initial-password"),
    **dict.fromkeys((f"docker-credential-{name}" for name in _DOCKER_HELPERS.split()), starts("get")),
    "pulumi": gives("--show-secrets"),
    **dict.fromkeys(("terraform", "tofu"), both(says("output"), _names_secret)),
    "wg": either(says("private-key|preshared-keys|dump"), starts("showconf")),
    "keyctl": starts("print|read|pipe"),
    "systemd-creds": starts("cat|decrypt"),
    "git-crypt": starts("export-key"),
    "ejson": starts("decrypt"),
    "teller": starts("show|env|export|yaml"),
    "aws-vault": starts("export"),
    "credstash": starts("get|getall"),
    "berglas": starts("access"),
    "bws": starts("secret get|list"),
    "akeyless": starts("get-secret-value|get-dynamic-secret-value|get-rotated-secret-value"),
    "conjur": says("variable get"),
    "dcli": starts("password|note|read|p|n"),
    "hcp": says("vault-secrets secrets open"),
    "cryptsetup": gives("--dump-master-key", "--dump-volume-key"),
    "helm": starts("secrets view|decrypt|dec"),
    "railway": starts("variables"),
    "netlify": starts("env:get"),
    **dict.fromkeys(("fly", "flyctl"), says("auth token", "tokens create")),
    "firebase": starts("functions:secrets:access|login:ci"),
    "stripe": both(starts("config"), gives("--list")),
    **dict.fromkeys(("tpm2_unseal", "blackbox_cat", "blackbox_decrypt_all_files", "chainbreaker"), ALWAYS),
    "doppler": starts("secrets get|download"),
    "infisical": starts("export", "secrets get"),
    "sops": either(gives("-d", "--decrypt"), starts("decrypt|exec-env")),
    "ansible-vault": starts("view|decrypt"),
    "chamber": starts("read|export"),
    "heroku": starts("config|config:get|auth:token"),
    "npm": either(both(starts("config get"), _third(_NPM_SECRET)), starts("token create")),
    "getent": starts("shadow|gshadow"),
    "nmcli": either(gives("-s", "--show-secrets"), says("show-password")),
    "cmdkey": lambda words: any(word.startswith("/list") for word in words[:1]),
    "reg": folded(both(starts("save"), lambda words: any(_HIVES.match(word) for word in words[1:2]))),
    "netsh": folded(
        both(starts("wlan show profile|profiles"), lambda words: any("key=clear" in word for word in words))
    ),
    "gcore": lambda words: any(not word.startswith("-h") for word in words[:1]),
    **dict.fromkeys(("secretsdump.py", "lazagne", "laZagne.py", "procdump"), ANY),
    "mimikatz": ALWAYS,
}
_STORES["gpg2"] = _STORES["gpg"]


@FAMILY.judges(*_STORES)
def stores(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about programs that print stored secrets."""
    texts = [word.raw for word in command.args]
    if "--help" in texts or not ordered(command, _STORES):
        return
    line = " ".join(texts)
    if _FOR_A_LOGIN.search(line) and command.program in {"gcloud", "az", "aws"} and handed_on(command, context):
        return
    yield PRINT.found(command, path=f"{command.program} {line[:60]}")


_FOR_A_LOGIN = re.compile(r"-token|get-login")
_TAKES_LOGINS = frozenset({"docker", "podman", "helm", "crane", "npm", "nerdctl", "buildah", "skopeo", "oras", "finch"})


def handed_on(command: Command, context: Context) -> bool:
    """Return True when a token goes directly into a login, a header or a variable, without being displayed."""
    if command.feeds:
        return any(reader.program in _TAKES_LOGINS for reader in command.feeds)
    return any(command in word.commands for other in context.commands for word in other.argv if word.commands)
