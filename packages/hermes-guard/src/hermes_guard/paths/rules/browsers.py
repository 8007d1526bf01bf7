"""Rules for browser logins, cookies and histories."""

from hermes_guard.paths.rule import BOTH, PathRule

_BROWSERS = (
    "**/google-chrome*/**", "**/google/chrome/**", "**/chromium/**", "**/bravesoftware/**", "**/microsoft-edge*/**",
    "**/microsoft edge/**", "**/microsoft/edge/**", "**/vivaldi/**", "**/opera/**", "**/com.operasoftware.opera/**",
    "**/arc/user data/**",
)  # fmt: skip
_BROWSER_HOMES = ("~/.config", "~/library/application support", "~/snap", "~/.var/app", "~/appdata/local", "~/.cache")

# Applications built on a browser engine keep their session in files with these names.
_SESSIONS = (
    "~/.config/**/cookies", "~/.config/**/cookies-journal", "~/.config/**/local storage/**",
    "~/.config/**/session storage/**", "~/.config/**/indexeddb/**", "~/.config/**/login data*",
    "~/.config/**/trust tokens", "~/.local/share/**/cookies", "~/.local/share/**/local storage/**",
    "~/.local/share/**/localstorage/**", "~/.local/share/**/indexeddb/**", "~/.local/share/**/cookies.sqlite*",
    "~/.local/share/**/cookies.txt", "~/.config/**/cookies.txt", "~/.config/**/cookies.json",
)  # fmt: skip

_OTHERS = (
    "~/.local/share/qutebrowser/**", "~/.local/share/falkon/**", "~/.config/falkon/**", "~/.local/share/epiphany/**",
    "~/.config/epiphany/**", "~/.local/share/midori/**", "~/.config/midori/**", "~/.local/share/konqueror/**",
    "~/.config/otter/**", "~/.surf/**", "~/.local/share/luakit/**", "~/.local/share/nyxt/**",
    "~/.moonchild productions/**", "~/.config/astian/**", "~/.floorp/**", "~/.icecat/**", "~/.config/thorium/**",
    "~/.config/ungoogled-chromium/**", "~/.config/yandex-browser*/**", "~/.config/yandex/**", "~/.config/iridium/**",
    "~/.config/slimjet/**", "~/.config/sidekick/**", "~/.config/wavebox/**", "~/.config/min/**", "~/.config/dia/**",
    "~/.config/comet/**", "~/.config/arc/**", "~/.config/orion/**", "~/.config/duckduckgo/**", "~/.config/opera*/**",
    "~/.config/com.operasoftware.*/**", "~/.config/vivaldi*/**", "~/.config/brave*/**", "~/.config/librewolf/**",
    "~/.config/waterfox/**", "~/.config/zen/**", "~/.config/mozilla/**", "~/.config/tor browser*/**",
    "~/.config/torbrowser*/**", "~/.local/share/torbrowser/**", "~/tor-browser*/**/profile.default/**",
    "~/.mullvad-browser/**", "~/.config/mullvad-browser/**", "~/.config/helium/**", "~/.config/net.imput.helium/**",
    "~/.config/company.thebrowser.*/**", "~/.config/chromium-*/**", "~/.config/chrome-remote-desktop/**",
    "~/.config/google-chrome-*/**", "~/.config/naver/**", "~/.config/coccoc/**", "~/.config/ladybird/**",
    "~/.w3m/cookie", "~/.lynx_cookies", "~/.elinks/cookies", "~/.config/elinks/cookies", "~/.links2/**",
    "~/.dillo/cookies*", "~/.netsurf/**", "~/.config/netsurf/**", "**/key4.db-*", "**/cookies.sqlite-*",
    "**/logins-backup.json", "**/formhistory.sqlite", "**/sessionstore.jsonlz4", "**/network/cookies",
    "**/login data for account", "**/user data/local state",
)  # fmt: skip

RULES = (
    PathRule(
        id="path.browser",
        ops=BOTH,
        severity="ask",
        reason="It holds the logins, cookies or history of a browser.",
        patterns=(
            *_OTHERS, *_SESSIONS,
            *(home + pattern.removeprefix("**") for home in _BROWSER_HOMES for pattern in _BROWSERS),
            *(home + "/**/" + pattern.removeprefix("**/") for home in _BROWSER_HOMES for pattern in _BROWSERS),
            "**/.mozilla/**", "~/snap/firefox/**", "~/.var/app/org.mozilla.firefox/**",
            "~/library/application support/firefox/**", "~/appdata/roaming/mozilla/**", "~/.librewolf/**",
            "~/.waterfox/**", "~/.zen/**", "~/library/safari/**", "~/library/cookies/**",
            "~/library/containers/com.apple.safari/**", "**/cookies.sqlite", "**/logins.json", "**/key4.db",
            "**/key3.db", "**/signons.sqlite", "**/login data", "**/web data", "**/cookies.binarycookies",
            "**/default/cookies", "**/profile */cookies",
        ),
        unless=("~/.cache/**/cache/**",),
        match=(
            "~/.config/google-chrome/Default/Cookies", "~/.config/google-chrome/Default/Login Data",
            "~/.mozilla/firefox/x.default/logins.json", "~/.config/BraveSoftware/Brave-Browser/Default/Cookies",
            "~/.config/microsoft-edge/Default/Login Data",
            "~/Library/Application Support/Google/Chrome/Default/Cookies", "~/Library/Safari/History.db",
            "~/AppData/Local/Google/Chrome/User Data/Default/Login Data", "~/.config/chromium/Local State",
            "~/.local/share/qutebrowser/webengine/Cookies", "~/.local/share/epiphany/cookies.sqlite",
            "~/.config/vivaldi-snapshot/Default/Cookies",
            "~/.var/app/org.chromium.Chromium/config/chromium/Default/Login Data",
            "~/Library/Application Support/Arc/User Data/Default/Cookies",
            "~/.config/some-app/Local Storage/leveldb/000003.log", "~/.config/Mattermost/Cookies",
        ),
    ),
)  # fmt: skip
