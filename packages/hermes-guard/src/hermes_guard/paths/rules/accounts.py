"""Rules for files that control logins and root access."""

from hermes_guard.paths.rule import WRITE, PathRule

_PRIVILEGED = frozenset({"privileged"})

RULES = (
    PathRule(
        id="path.shadow",
        ops=WRITE,
        severity="ask",
        reason="It holds the passwords of every account.",
        effects=_PRIVILEGED,
        patterns=("/etc/shadow", "/etc/master.passwd", "/etc/spwd.db"),
        match=("/etc/shadow", "/etc/master.passwd"),
    ),
    PathRule(
        id="path.accounts",
        ops=WRITE,
        severity="ask",
        reason="It decides who may log in and who may become root.",
        effects=_PRIVILEGED,
        patterns=(
            "/etc/passwd*", "/etc/group*", "/etc/gshadow*", "/etc/shadow-", "/etc/subuid*", "/etc/subgid*",
            "/etc/sudoers", "/etc/sudoers.d/**", "/etc/sudo.conf", "/etc/doas.conf", "/usr/local/etc/sudoers*",
            "/etc/pam.d/**", "/etc/pam.conf", "/lib/security/**", "/usr/lib/security/**", "/lib/*/security/**",
            "/usr/lib/*/security/pam_*", "/etc/security/**", "/etc/polkit-1/**", "/usr/share/polkit-1/**",
            "/etc/nsswitch.conf", "/etc/login.defs", "/etc/securetty", "/etc/ssh/**", "/var/db/dslocal/**",
        ),
        match=(
            "/etc/passwd", "/etc/sudoers", "/etc/sudoers.d/90-me", "/etc/pam.d/sshd", "/etc/group", "/etc/gshadow",
            "/etc/ssh/sshd_config", "/lib/x86_64-linux-gnu/security/pam_unix.so",
        ),
    ),
)  # fmt: skip
