"""Keys for other machines, and for signing."""

from hermes_guard.paths.rule import BOTH, READ, WRITE, PathRule

RULES = (
    PathRule(
        id="path.ssh-key",
        ops=READ,
        severity="ask",
        reason="Keys for other machines are kept there.",
        patterns=("**/.ssh/**", "**/.ssh2/**", "**/.dropbear/**", "**/dropbear/dropbear_*_host_key"),
        unless=("**/.ssh/*.pub", "**/.ssh/known_hosts*", "**/.ssh/config", "**/.ssh/config.d/*"),
        match=("~/.ssh/id_rsa", "~/.ssh/id_ed25519", "~/.ssh", "~/.ssh/*", "/root/.ssh/deploy", "~/.ssh/work.key"),
        not_match=("~/.ssh/id_rsa.pub", "~/.ssh/known_hosts", "~/.ssh/config", "docs/ssh/keys.md"),
    ),
    PathRule(
        id="path.ssh-write",
        ops=WRITE,
        severity="ask",
        reason="It decides who may log in here, or which machine is trusted.",
        effects=frozenset({"exec"}),
        patterns=("**/.ssh/**", "**/.ssh2/**", "**/authorized_keys", "**/authorized_keys2"),
        match=("~/.ssh/authorized_keys", "~/.ssh/config", "~/.ssh/known_hosts", "~/.ssh/id_rsa", "~/.ssh/rc"),
        not_match=("docs/.sshrc.md", "src/ssh/client.py"),
    ),
    PathRule(
        id="path.gpg",
        ops=BOTH,
        severity="ask",
        reason="Keys for signing and decrypting are kept there.",
        patterns=("**/.gnupg/**", "**/secring.gpg", "**/.pgp/**"),
        match=("~/.gnupg/private-keys-v1.d/A.key", "~/.gnupg/gpg.conf", "~/.gnupg"),
        not_match=("docs/gnupg.md",),
    ),
)
