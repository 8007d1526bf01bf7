"""Rules for stores of passwords and second factors."""

from hermes_guard.paths.rule import BOTH, PathRule

# Password managers and their files.
_VAULTS = (
    "**/*.enpassdb", "**/*.enpassdb-wal", "**/*.enpassbackup", "**/*.bcup", "**/*.walletx", "**/*.spdb",
    "**/*.kdbx.bak", "**/*.kdbx.old", "**/*.kdbx.tmp", "**/*.kdbx~", "**/*.psafe", "**/*.pwsafe",
    "**/*.1pif/data.1pif", "**/*.1pif", "**/*.rfp", "**/*.upm", "**/*.stpass", "**/bitwarden_export*",
    "**/1password-export*", "**/lastpass_export*", "**/keepass*.csv", "**/keepass*.xml", "**/chrome passwords.csv",
    "**/chrome_passwords.csv", "**/firefox_passwords.csv", "**/dashlane*.csv", "**/aegis-export*", "**/aegis-backup*",
    "**/andotp*.json*", "**/2fas-backup*", "~/.config/enpass/**", "~/.local/share/enpass/**", "~/documents/enpass/**",
    "~/.config/sinew software systems/**", "~/.config/dashlane/**", "~/.config/nordpass/**",
    "~/.config/proton pass/**", "~/.config/proton-pass*/**", "~/.local/share/proton-pass*/**", "~/.config/roboform/**",
    "~/.config/siber systems/**", "~/.keeper/**", "~/.config/keeper*/**", "~/.config/buttercup*/**",
    "~/.config/padloc/**", "~/.config/authy*/**", "~/.config/com.authy*/**", "~/.config/ente auth/**",
    "~/.local/share/enteauth/**", "~/.local/share/ente*/**", "~/.config/otpclient*", "~/.local/share/authenticator/**",
    "~/.local/share/numberstation/**", "~/.config/keepass/**", "~/.keepass/**", "~/.keepassxc/**",
    "~/.cache/keepassxc/**", "~/.config/keepassx/**", "~/.kpcli-history", "~/.passage/**", "~/.local/share/himitsu/**",
    "~/.local/share/rbw/**", "~/.cache/rbw/**", "~/.local/share/passage/**", "~/.local/share/password-store/**",
    "~/.local/share/pass/**", "~/.pass/**", "~/.local/share/prs/**", "~/.local/share/spectre/**", "~/.mpw.d/**",
    "~/.spectre.d/**", "~/.lesspass/**", "~/.fpm/**", "~/.gorilla*", "~/.gringotts/**",
    "~/.local/share/python_keyring/**", "~/.config/python_keyring/**", "~/.local/share/kwalletd*/**",
    "~/.config/kwalletrc", "~/.gnome-keyring/**", "~/.config/gnome-keyring/**", "~/.config/bitwarden/**",
    "~/.config/1password/**", "~/.1password/**", "~/.config/passky/**", "~/.config/psono*/**", "~/.config/passbolt/**",
    "~/.config/go-passbolt*/**", "~/.config/vaultwarden/**", "~/.local/share/secrets/**", "~/.otp/**",
    "~/.authenticator/**", "~/.2fa", "~/.totp*", "~/.config/totp*", "~/.config/ykman/**", "~/.local/share/ykman/**",
    "~/.local/share/oathtool/**", "~/.config/strongbox/**", "~/.config/macpass/**", "~/.config/secrets*/**",
    "~/.config/elpass/**", "~/.config/minimalist*/**", "~/.config/sticky password/**", "~/.config/safeincloud/**",
    "~/.config/bitwarden cli/**",
)  # fmt: skip

RULES = (
    PathRule(
        id="path.keyring",
        ops=BOTH,
        severity="ask",
        reason="It is a store of passwords.",
        patterns=(
            *_VAULTS, "**/.password-store/**", "~/.local/share/keyrings/**", "~/.gnome2/keyrings/**",
            "~/.local/share/kwalletd/**", "~/.kde/share/apps/kwallet/**", "~/.kde4/share/apps/kwallet/**",
            "~/library/keychains/**", "/library/keychains/**", "/system/library/keychains/**",
            "/network/library/keychains/**", "**/*.keychain", "**/*.keychain-db", "**/*.kdbx", "**/*.kdb",
            "**/*.opvault", "**/*.opvault/default/**", "**/*.agilekeychain", "**/*.agilekeychain/data/**", "**/*.1pux",
            "**/*.psafe3", "~/.local/share/gopass/**", "~/.config/gopass/**",
            "~/library/application support/bitwarden/**", "~/library/group containers/*1password*/**",
            "~/library/application support/1password/**", "~/snap/bitwarden/**", "~/.local/share/bitwarden/**",
            "~/appdata/roaming/microsoft/credentials/**", "~/appdata/local/microsoft/credentials/**",
            "~/appdata/roaming/microsoft/protect/**", "~/appdata/local/microsoft/vault/**",
        ),
        unless=("/system/library/keychains/systemrootcertificates.keychain",),
        match=(
            "~/.password-store/mail.gpg", "~/.local/share/keyrings/login.keyring",
            "~/Library/Keychains/login.keychain-db", "~/passwords.kdbx", "team/vault.kdbx",
            "~/.config/Enpass/vault.enpassdb", "~/.local/share/python_keyring/keyring_pass.cfg",
            "~/Library/Application Support/Enpass/x", "~/Downloads/bitwarden_export_20240101.json",
            "~/.passage/store/a.age", "~/Library/Application Support/Bitwarden/data.json", "~/.local/share/rbw/x.json",
        ),
    ),
)  # fmt: skip
