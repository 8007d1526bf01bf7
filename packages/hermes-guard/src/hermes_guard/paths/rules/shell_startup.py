"""Rules for files that a shell runs on startup."""

from hermes_guard.paths.rule import WRITE, PathRule

_RUNS = frozenset({"exec"})

# Completions and plugins are sourced like the startup file itself.
_COMPLETIONS = (
    "~/.local/share/bash-completion/**", "~/.bash_completion.d/**", "~/.bash-completion/**",
    "~/.config/bash_completion*", "~/.zfunc/**", "~/.zfunctions/**", "~/.zsh_functions/**", "~/.zsh_plugins.*",
    "~/.zcompdump*", "~/.local/share/zsh/**", "~/.cache/zsh/*.zsh", "~/.zplug/**", "~/.zinit/**", "~/.zi/**",
    "~/.local/share/zinit/**", "~/.antigen/**", "~/.antigenrc", "~/.antidote/**", "~/.cache/antidote/**", "~/.zgen/**",
    "~/.zgenom/**", "~/.zimrc", "~/.zim/**", "~/.config/sheldon/**", "~/.local/share/sheldon/**", "~/.sheldon/**",
    "~/.zpm/**", "~/.zulu/**", "~/.zpreztorc", "~/.fzf.bash", "~/.fzf.zsh", "~/.fzf/**", "~/.bash_it/**",
    "~/.bash-it/**", "~/.local/share/omf/**", "~/.config/omf/**", "~/.local/share/fisher/**",
    "~/.iterm2_shell_integration.*", "~/.iterm2/**", "~/.local/share/blesh/**", "~/.blerc", "~/.config/blesh/**",
    "~/.bash-preexec.sh", "~/.git-prompt.sh", "~/.git-completion.*", "~/.kube-ps1/**", "~/powerlevel10k/**",
    "~/.local/share/elvish/lib/**", "~/.local/share/nushell/vendor/**", "~/.local/share/nushell/completions/**",
    "~/.nu/**", "~/.local/share/powershell/modules/**", "~/.config/oh-my-posh/**", "~/.poshthemes/**",
    "~/.config/carapace/**", "~/.config/fig/**", "~/.fig/**", "~/.local/share/amazon-q/**", "~/.config/sh/**",
    "~/.config/shell/**", "~/.shell.d/**", "~/.shellrc", "~/.sh.d/**", "~/.rc.d/**", "~/.rc", "~/.env.d/**",
    "~/.alias", "~/.aliases.*", "~/.aliasrc", "~/.config/aliases", "~/.config/aliasrc", "~/.path", "~/.extra",
    "~/.localrc", "~/.commonrc", "~/.bash_prompt", "~/.bash_exports", "~/.bash_local", "~/.bash_vars",
    "~/.bash_private", "~/.bash_path", "~/.bash_env", "~/.bash_options", "~/.bash_rc", "~/.zaliases", "~/.zsh_aliases",
    "~/.zsh_prompt", "~/.zsh_env", "~/.zlocal", "~/.zpath", "~/.zexports", "~/.loginrc", "~/.environment",
    "~/.eshell/**", "~/.config/ion/**", "~/.config/murex/**", "~/.murex*", "~/.oilshrc", "~/.config/oils/**",
    "~/.config/oil/**", "~/.rkshrc", "~/.etshrc", "~/.esrc", "~/.rcrc", "~/.config/mksh/**", "~/.config/yash/**",
    "~/.yash_profile", "~/.ysh*", "~/.config/broot/launcher/**", "~/.sdkman/bin/sdkman-init.sh", "~/.sdkman/etc/**",
    "~/.nvm/*.sh", "~/.nvm/bash_completion", "~/.rvm/scripts/**", "~/.rvmrc", "~/.ghcup/env", "~/.opam/opam-init/**",
    "~/.asdf/asdf.sh", "~/.asdf/lib/**", "~/.pyenv/pyenv.d/**", "~/.rbenv/rbenv.d/**", "~/.nodenv/**/*.bash",
    "~/.jabba/jabba.sh", "~/.acme.sh/*.sh", "~/.acme.sh/acme.sh.env", "~/.local/bin/env", "~/.local/bin/env.fish",
    "~/.cargo/env.*", "~/.deno/env*", "~/.bun/_bun", "~/.wasmer/wasmer.sh", "~/.gvm/scripts/**", "~/.swiftly/env.*",
    "~/.elan/env", "~/.juliaup/**/env", "~/.nix-profile/etc/profile.d/**", "~/.guix-profile/etc/profile",
    "/usr/share/bash-completion/**", "/usr/local/share/zsh/**", "/usr/share/zsh/**", "/usr/share/fish/**",
    "/opt/homebrew/share/zsh/**", "/opt/homebrew/etc/bash_completion.d/**", "/usr/local/etc/profile.d/**",
    "/usr/local/etc/bash_completion.d/**",
)  # fmt: skip

RULES = (
    PathRule(
        id="path.shell-startup",
        ops=WRITE,
        severity="ask",
        reason="A shell runs it every time it starts.",
        effects=_RUNS,
        patterns=(
            *_COMPLETIONS, "~/.bashrc*", "~/.bash_profile", "~/.bash_login", "~/.bash_logout", "~/.bash_aliases",
            "~/.bash_functions", "~/.bash_completion", "~/.bashrc.d/**", "~/.bash.d/**", "~/.profile",
            "~/.profile.d/**", "~/.aliases", "~/.functions", "~/.exports", "~/.zshrc*", "~/.zshenv", "~/.zprofile",
            "~/.zlogin", "~/.zlogout", "~/.zsh/**", "~/.zshrc.d/**", "~/.config/zsh/**", "~/.oh-my-zsh/**",
            "~/.oh-my-bash/**", "~/.zprezto/**", "~/.p10k.zsh", "~/.kshrc", "~/.mkshrc", "~/.shrc", "~/.shinit",
            "~/.ashrc", "~/.dashrc", "~/.yashrc", "~/.cshrc", "~/.tcshrc", "~/.login", "~/.logout", "~/.config/bash/**",
            "~/.config/fish/**", "~/.local/share/fish/vendor_*/**", "~/.config/nushell/**",
            "~/library/application support/nushell/**", "~/.config/elvish/**", "~/.elvish/**", "~/.config/xonsh/**",
            "~/.xonshrc", "~/.config/powershell/**", "~/documents/powershell/**", "~/documents/windowspowershell/**",
            "**/*profile.ps1", "~/.config/starship.toml", "~/.inputrc", "~/.config/readline/**",
            "~/.config/environment.d/**", "~/.config/direnv/**", "~/.direnvrc", "/etc/profile", "/etc/profile.d/**",
            "/etc/bash.bashrc", "/etc/bashrc", "/etc/bash_completion.d/**", "/etc/zsh/**", "/etc/zshrc", "/etc/zshenv",
            "/etc/zprofile", "/etc/zlogin", "/etc/csh.*", "/etc/fish/**", "/etc/inputrc", "/etc/environment",
            "/etc/environment.d/**", "/etc/skel/**", "/etc/paths", "/etc/paths.d/**", "/etc/launchd.conf",
        ),
        match=(
            "~/.bashrc", "~/.zshrc", "~/.profile", "~/.bash_profile", "~/.zprofile", "~/.zshenv",
            "~/.config/fish/config.fish", "~/.config/fish/conf.d/x.fish", "~/.config/nushell/env.nu",
            "~/.config/powershell/Microsoft.PowerShell_profile.ps1", "/etc/profile.d/x.sh", "/etc/bash.bashrc",
            "~/.inputrc", "/root/.bashrc", "~/.kshrc", "~/.tcshrc", "~/.local/share/bash-completion/completions/git",
            "~/.zsh_plugins.txt", "~/.fzf.zsh", "~/.config/shell/aliases", "~/.nvm/bash_completion",
        ),
    ),
)  # fmt: skip
