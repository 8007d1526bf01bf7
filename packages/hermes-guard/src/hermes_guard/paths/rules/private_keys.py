"""Rules for private keys: those of SSH and GPG, and files recognized by their name."""

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
    ),
    PathRule(
        id="path.ssh-write",
        ops=WRITE,
        severity="ask",
        reason="It decides who may log in here, or which machine is trusted.",
        effects=frozenset({"exec"}),
        patterns=("**/.ssh/**", "**/.ssh2/**", "**/authorized_keys", "**/authorized_keys2"),
        match=("~/.ssh/authorized_keys", "~/.ssh/config", "~/.ssh/known_hosts", "~/.ssh/id_rsa", "~/.ssh/rc"),
    ),
    PathRule(
        id="path.gpg",
        ops=BOTH,
        severity="ask",
        reason="Keys for signing and decrypting are kept there.",
        patterns=("**/.gnupg/**", "**/secring.gpg", "**/.pgp/**"),
        match=("~/.gnupg/private-keys-v1.d/A.key", "~/.gnupg/gpg.conf", "~/.gnupg"),
    ),
    PathRule(
        id="path.private-key",
        ops=BOTH,
        severity="ask",
        reason="Files of this name hold private keys.",
        patterns=(
            "**/*.pem", "**/*.key", "**/*.p12", "**/*.pfx", "**/*.p8", "**/*.jks", "**/*.jceks", "**/*.keystore",
            "**/*.ppk", "**/*.pvk", "**/*.keytab", "**/*.pk8", "**/*.snk", "**/*.jwk", "**/*.nk", "**/*.creds",
            "**/*.keyring", "**/*.sdtid", "**/*.pkcs12", "**/*.pkcs8", "**/*.bks", "**/*.keyfile", "**/*.gpgkey",
            "**/*.rdp", "**/*.remmina", "**/*.mobileconfig", "**/*private*.asc", "**/*secret*.asc", "**/*private*.gpg",
            "**/*secret*.gpg", "**/*private*key*.txt", "**/wg[0-9]*.conf", "**/*.tsig", "**/*.ovpn",
            "**/*.mobileprovision", "**/id_rsa*", "**/id_dsa*", "**/id_ecdsa*", "**/id_ed25519*", "**/id_xmss*",
            "**/identity.age", "**/age-key.txt", "**/age-keys.txt", "**/*.agekey", "**/*_rsa", "**/*_ed25519",
        ),
        unless=(
            "**/fixtures/**", "**/__fixtures__/**", "**/testdata/**", "**/test-data/**", "**/test_data/**",
            "**/src/test/**", "**/tests/**", "**/__tests__/**", "**/spec/**", "**/*.py", "**/*.go", "**/*.rs",
            "**/*.ts", "**/*.c", "**/*.h", "**/*.rb", "**/*.java", "**/*.kt", "/usr/lib/python*/**", "/usr/lib/go*/**",
            "/usr/local/go/**", "~/go/pkg/mod/**", "~/.cargo/registry/**", "**/vendor/bundle/**",
            "**/jre/lib/security/**", "**/lib/security/cacerts*", "**/ca-bundle.*", "**/cacert*", "**/*.pub",
            "**/*.pub.*", "**/*pub*.pem", "**/*pub*.key", "**/*cert*.pem", "**/*chain.pem", "**/chain[0-9]*.pem",
            "**/ca.pem", "**/ca-cert*.pem", "**/ca-bundle*.pem", "**/ca-chain*.pem", "**/ca-crt.pem", "**/ca-root.pem",
            "**/ca-public.pem", "**/*-ca.pem", "**/*_ca.pem", "**/*root.pem", "**/*root[-_]ca.pem", "**/*rootca.pem",
            "**/root*ca.pem", "**/*root*cert*.pem", "**/*root[-_]x[0-9].pem", "**/*root[0-9]*.pem", "**/*roots.pem",
            "**/dh*.pem", "**/csr.pem", "**/*.csr.pem", "**/*.crt.pem", "**/*-bundle.pem", "**/debug.keystore",
            "/etc/ssl/certs/**", "/usr/share/**", "/usr/lib/ssl/certs/**", "**/id_rsa*.md", "**/*.md",
            "**/site-packages/**", "**/node_modules/**",
        ),
        match=(
            "certs/server.key", "tls/privkey.pem", "deploy/id_rsa", "backup/id_ed25519", "keys/app.p12",
            "android/release.jks", "cert.pfx", "AuthKey_ABC.p8", "config/master.key", "certs/rootCA-key.pem",
            "certs/ca-key.pem", "android/platform.pk8", "backup/private-key.asc", "nats/admin.creds", "vpn/wg0.conf",
        ),
    ),
)  # fmt: skip
