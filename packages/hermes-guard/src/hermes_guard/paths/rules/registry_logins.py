"""Rules for logins to package and image registries."""

from hermes_guard.paths.rule import BOTH, PathRule

_REGISTRIES = (
    "~/.jfrog/**", "~/.config/cloudsmith/**", "~/.cloudsmith/**", "~/.packagecloud", "~/.rattler/**",
    "~/.config/rattler/**", "~/.config/conda/.condarc", "~/.conda/.condarc", "~/.mambarc",
    "~/.config/hatch/config.toml", "~/.config/twine/**", "~/.vsce", "~/.ovsx", "~/.jspm/**", "~/.config/verdaccio/**",
    "~/.bunfig.toml", "~/.config/.bunfig.toml", "~/.jsr/**", "~/.config/cabal/config", "~/.sbt/credentials",
    "~/.sbt/1.0/credentials.sbt", "~/.sbt/**/*credentials*", "~/.config/coursier/**", "~/.lein/credentials.clj*",
    "~/.lein/profiles.clj", "~/.config/rebar3/**", "~/.pause", "~/.dzil/**", "~/.docker/machine/**",
    "~/.docker/trust/**", "~/.docker/contexts/**", "~/.regctl/**", "~/.config/notation/**", "~/.config/cosign/**",
    "~/.sigstore/**", "~/.abuild/**", "~/.config/oras/**", "~/.config/skopeo/**",
    "~/.local/share/containers/storage/secrets/**", "~/.chart-releaser.yaml", "~/.config/gopackage/**",
    "~/.config/goproxy/**", "~/.yarn/berry/npmrc", "~/.npm/_authtoken", "~/.config/npm/npmrc", "~/.config/pypoetry/**",
    "~/.config/pdm/**", "~/.pdm/**", "~/.nuget/config/**", "~/.cocoapods/trunk/**", "~/.opam-publish/**",
    "~/.config/r-lib/**", "~/.r/rappdirs/**", "~/.esmrc.json", "~/.config/composer/config.json",
    "~/.local/share/hatch/**/credentials*",
)  # fmt: skip

RULES = (
    PathRule(
        id="path.registry-credentials",
        ops=BOTH,
        severity="ask",
        reason="It holds the login to a package registry.",
        effects=frozenset({"message"}),
        patterns=(
            *_REGISTRIES, "~/.npmrc", "~/.yarnrc", "~/.yarnrc.yml", "~/.config/pnpm/rc", "**/.pypirc",
            "~/.config/pypoetry/auth.toml", "~/.config/pip/pip.conf", "~/.pip/pip.conf",
            "~/library/application support/pip/pip.conf", "~/.config/uv/credentials*",
            "~/.local/share/uv/credentials/**", "**/.docker/config.json", "**/.dockercfg", "**/.dockerconfigjson",
            "~/.config/containers/auth.json", "/run/user/*/containers/auth.json", "**/.cargo/credentials",
            "**/.cargo/credentials.toml", "**/.gem/credentials", "~/.local/share/gem/credentials", "~/.bundle/config",
            "~/.nuget/nuget.config", "~/.nuget/nuget/nuget.config", "~/.config/nuget/nuget.config",
            "~/appdata/roaming/nuget/nuget.config", "~/.composer/auth.json", "~/.config/composer/auth.json",
            "**/.m2/settings.xml", "**/.m2/settings-security.xml", "~/.gradle/gradle.properties", "~/.sbt/.credentials",
            "~/.ivy2/.credentials", "~/.hex/hex.config", "~/.pub-cache/credentials.json",
            "~/.config/dart/pub-credentials.json", "~/.cabal/config", "~/.luarocks/upload_config.lua", "~/.condarc",
            "~/.continuum/**", "~/.config/helm/registry/**", "~/.helm/**", "~/.config/helm/repositories.yaml",
        ),
        match=(
            "~/.npmrc", "~/.pypirc", "~/.docker/config.json", "~/.cargo/credentials.toml", "~/.gem/credentials",
            "~/.m2/settings.xml", "~/.gradle/gradle.properties", "~/.composer/auth.json", "~/.nuget/NuGet/NuGet.Config",
            "~/.nuget/NuGet.Config", "~/.jfrog/jfrog-cli.conf.v6", "~/.vsce", "~/.config/cloudsmith/credentials.ini",
            "~/.docker/machine/machines/a/config.json",
        ),
    ),
)  # fmt: skip
