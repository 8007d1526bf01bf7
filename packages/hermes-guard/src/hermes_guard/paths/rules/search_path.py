"""Rules for directories on the search path, and other files that are run later without being named."""

from hermes_guard.paths.rule import WRITE, PathRule

_RUNS = frozenset({"exec"})

_BINARIES = (
    "~/.local/sbin/**", "~/.poetry/bin/**", "~/.local/share/npm/bin/**", "~/.node/bin/**", "~/node_modules/.bin/**",
    "~/.fnm/**/bin/**", "~/.n/bin/**", "~/n/bin/**", "~/.nodenv/shims/**", "~/.nodenv/bin/**", "~/.goenv/shims/**",
    "~/.jenv/shims/**", "~/.jenv/bin/**", "~/.phpenv/shims/**", "~/.plenv/shims/**", "~/.luaver/**", "~/.tfenv/bin/**",
    "~/.tgenv/bin/**", "~/.sdkman/candidates/*/current/bin/**", "~/.rvm/bin/**", "~/.opam/*/bin/**", "~/.cabal/bin/**",
    "~/.ghcup/bin/**", "~/.nimble/bin/**", "~/.mix/escripts/**", "~/.pub-cache/bin/**", "~/.elan/bin/**",
    "~/.juliaup/bin/**", "~/.foundry/bin/**", "~/.risc0/bin/**", "~/.wasmtime/bin/**", "~/.wasmer/bin/**",
    "~/.pulumi/bin/**", "~/.fly/bin/**", "~/.linkerd2/bin/**", "~/.istioctl/bin/**", "~/.arkade/bin/**",
    "~/.rd/bin/**", "~/.docker/bin/**", "~/.turso/**", "~/.modular/bin/**", "~/.pixi/bin/**",
    "~/.local/share/aquaproj-aqua/bin/**", "~/.proto/bin/**", "~/.proto/shims/**", "~/.rye/shims/**",
    "~/.config/emacs/bin/**", "~/.emacs.d/bin/**", "~/.fzf/bin/**", "~/.basher/cellar/bin/**", "~/.linuxbrew/bin/**",
    "/home/linuxbrew/.linuxbrew/bin/**", "~/miniconda3/bin/**", "~/anaconda3/bin/**", "~/miniforge3/bin/**",
    "~/mambaforge/bin/**", "~/micromamba/bin/**", "~/.conda/bin/**", "~/google-cloud-sdk/bin/**",
    "~/.rustup/toolchains/*/bin/**", "~/.pyenv/versions/*/bin/**", "~/.rbenv/versions/*/bin/**",
    "~/.asdf/installs/*/*/bin/**", "~/.local/share/mise/installs/*/*/bin/**", "~/.local/share/uv/tools/*/bin/**",
    "~/.local/share/pipx/venvs/*/bin/**", "~/.local/pipx/venvs/*/bin/**", "~/.swiftly/bin/**",
    "~/.local/share/swiftly/bin/**", "~/.moon/bin/**", "~/.sui/bin/**", "~/.avm/bin/**",
    "~/.local/share/solana/install/**/bin/**", "~/.scripts/**", "~/.local/scripts/**", "~/library/python/*/bin/**",
    "~/.roswell/bin/**", "~/.lmstudio/bin/**", "~/.opencode/bin/**", "~/.claude/local/**", "~/.antigravity/bin/**",
    "~/.krew/store/**", "/snap/bin/**", "/usr/games/**", "~/.dotnet/dotnet",
)  # fmt: skip
_MANAGERS = (
    "**/.condarc", "**/pip/pip.conf", "**/.gemrc", "**/.bundle/plugin/**", "~/.config/pip/**", "~/.config/uv/**",
    "~/.config/pixi/**", "~/.config/rattler/**", "~/.config/guix/channels.scm", "~/.config/nixpkgs/**",
    "~/.homebrew/**", "~/.config/homebrew/**", "/opt/homebrew/library/taps/**", "~/.local/share/flatpak/repo/**",
    "~/.config/pacman/**", "~/.makepkg.conf", "~/.config/yay/**", "~/.config/paru/**", "~/.abuild/**", "~/.rpmmacros",
    "~/.config/rpm/**", "~/.devscripts", "~/.sbuildrc", "~/.pbuilderrc", "~/.mk-sbuild.rc", "~/.quiltrc",
    "~/.gbp.conf", "~/.dput.cf", "~/.config/cargo*/**",
)  # fmt: skip
_DESKTOP = (
    "~/.local/share/kio/**", "~/.local/share/kservices5/**", "~/.local/share/thumbnailers/**",
    "~/.local/share/plasma/**", "~/.local/share/kwin/**", "~/.local/share/nemo/**", "~/.local/share/caja*/**",
    "~/.config/caja/**", "~/.local/share/nautilus*/**", "~/.local/share/file-manager/**",
    "~/.gnome2/nautilus-scripts/**", "~/.local/share/cinnamon/**", "~/.local/share/contractor/**",
    "~/.local/share/krunner/**", "~/.local/share/gnome-shell/**", "~/.local/share/thunar/**",
    "~/.local/share/mime/packages/**", "~/.local/share/applications-*/**", "~/.local/share/desktop-directories/**",
    "~/.config/menus/**", "~/.config/thunar/**", "~/.config/*-mimeapps.list", "~/.local/share/mimeapps.list",
    "~/.config/mimeapps.list.*", "~/.mime.types", "~/.local/share/dolphinpart/**", "~/.local/share/ibus/**",
    "~/.config/fcitx*/**", "~/.local/share/fcitx*/**", "~/.local/share/xfce4/**", "~/.local/share/rofi/**",
    "~/.local/share/albert/**", "~/.local/share/mozilla/native-messaging-hosts/**",
    "~/.mozilla/native-messaging-hosts/**", "~/.config/**/nativemessaginghosts/**",
    "~/.config/*/external extensions/**", "~/.local/share/snapd/**", "~/.local/share/appimage*/**",
    "~/.local/share/icons/**/*.desktop", "~/.config/user-dirs.*", "~/.config/xdg-terminals.list",
    "~/.config/xdg-desktop-portal/**", "~/.config/handlr/**", "~/.config/mimeo/**", "~/.wine/*.reg",
)  # fmt: skip

RULES = (
    PathRule(
        id="path.search-path",
        ops=WRITE,
        severity="ask",
        reason="Programs there are found and run by their name.",
        effects=_RUNS,
        patterns=(
            *_BINARIES, "~/.local/bin/**", "~/bin/**", "~/.bin/**", "~/.cargo/bin/**", "~/go/bin/**", "~/.go/bin/**",
            "~/.npm-global/bin/**", "~/.yarn/bin/**", "~/.local/share/pnpm/*", "~/.bun/bin/**", "~/.deno/bin/**",
            "~/.dotnet/tools/**", "~/.rbenv/shims/**", "~/.rbenv/bin/**", "~/.pyenv/shims/**", "~/.pyenv/bin/**",
            "~/.asdf/shims/**", "~/.local/share/mise/shims/**", "~/.nvm/nvm.sh", "~/.nvm/versions/node/*/bin/**",
            "~/.volta/bin/**", "~/.gem/ruby/*/bin/**", "~/.composer/vendor/bin/**", "~/.krew/bin/**",
            "~/.nix-profile/bin/**", "/usr/local/bin/**", "/usr/local/sbin/**", "/opt/homebrew/bin/**", "/opt/bin/**",
        ),
        match=(
            "~/.local/bin/tool", "~/bin/git", "~/.cargo/bin/cargo", "/usr/local/bin/run", "~/go/bin/dlv",
            "~/.ghcup/bin/ghc", "~/.pyenv/versions/3.12.1/bin/python", "~/miniconda3/bin/pip",
        ),
    ),
    PathRule(
        id="path.package-hook",
        ops=WRITE,
        severity="ask",
        reason="A package manager reads it: it can set another registry, or a program to run.",
        effects=_RUNS,
        patterns=(
            *_MANAGERS, "**/.npmrc", "**/.pnpmfile.cjs", "**/pnpmfile.js", "**/.yarnrc", "**/pip.conf", "**/pip.ini",
            "**/.pip/**", "~/.config/pypoetry/**", "**/.mvn/extensions.xml", "**/.mvn/jvm.config", "~/.npm/_npx/**",
            "~/.node_modules/**", "~/.node_libraries/**",
        ),
        match=(
            ".npmrc", "web/.npmrc", ".pnpmfile.cjs", "~/.pip/pip.conf", "~/.makepkg.conf", "~/.rpmmacros",
        ),
    ),
    PathRule(
        id="path.user-application",
        ops=WRITE,
        severity="ask",
        reason="The desktop offers or opens it in place of another program.",
        effects=_RUNS,
        patterns=(
            *_DESKTOP, "~/.local/share/applications/**", "~/.local/share/nautilus/scripts/**",
            "~/.local/share/gnome-shell/extensions/**", "~/.local/share/flatpak/**", "~/.config/mimeapps.list",
            "~/.config/user-dirs.dirs", "~/desktop/*.desktop", "~/applications/**",
            "~/library/application support/com.apple.backgroundtaskmanagementagent/**", "~/library/input methods/**",
            "~/library/quicklook/**",
        ),
        match=(
            "~/.local/share/applications/firefox.desktop",
            "~/Desktop/run.desktop",
            "~/.local/share/kio/servicemenus/x.desktop",
            "~/.local/share/thumbnailers/x.thumbnailer",
            "~/.config/google-chrome/NativeMessagingHosts/x.json",
        ),
    ),
)  # fmt: skip
