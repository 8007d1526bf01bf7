"""Rules for files that version control runs, follows or stores."""

from hermes_guard.paths.rule import WRITE, PathRule

_RUNS = frozenset({"exec"})

_STARTERS = (
    "**/.hooks/pre-commit", "**/.hooks/pre-push", "**/.hooks/commit-msg", "~/.githooks/**", "~/.git-hooks/**",
    "~/.git/hooks/**", "~/.git-core/**", "/usr/local/share/git-core/templates/**",
    "/opt/homebrew/share/git-core/templates/**", "~/.gittemplates/**", "~/.gittemplate/**",
    "~/.config/git-templates/**", "~/.config/pre-commit/**", "**/hooks/pre-receive", "**/hooks/post-receive",
    "**/.jj/repo/config.toml", "**/.bzr/branch/branch.conf", "**/.lefthook/**", "**/.hg/hgrc-not-shared",
    "**/.overcommit/**",
)  # fmt: skip
# The short name of `.git` on Windows file systems.
_SHORT = (
    "**/git~1/**", "**/git~2/**",
)  # fmt: skip

RULES = (
    PathRule(
        id="path.git-hook",
        ops=WRITE,
        severity="ask",
        reason="Git runs it at the next commit, checkout or push.",
        effects=_RUNS,
        patterns=(
            *_STARTERS, "**/.git/hooks/**", "**/*.git/hooks/**", "**/.git/modules/**/hooks/**",
            "**/.git/worktrees/**/hooks/**", "**/.husky/**", "**/.githooks/**", "**/.git-hooks/**",
            "~/.config/git/hooks/**", "~/.git-templates/**", "~/.git-template/**", "~/.git_template/**",
            "/usr/share/git-core/templates/**", "**/.hg/hgrc", "**/.svn/hooks/**",
        ),
        unless=("**/.git/hooks/*.sample",),
        match=(
            ".git/hooks/pre-commit", "sub/.git/hooks/post-checkout", ".husky/pre-push", "/srv/x.git/hooks/update",
            ".lefthook/pre-commit/check.sh",
        ),
    ),
    PathRule(
        id="path.git-config",
        ops=WRITE,
        severity="ask",
        reason="Git obeys it: aliases, filters, hook paths and credential helpers run programs.",
        effects=_RUNS,
        patterns=(
            "**/.git/config", "**/.git/config.worktree", "**/.git/modules/**/config", "**/.git/worktrees/**/config*",
            "**/.git/info/attributes", "**/.git", "~/.gitconfig*", "~/.config/git/**", "/etc/gitconfig",
            "~/.config/jj/**", "~/.jjconfig.toml",
        ),
        match=(
            ".git/config", "~/.gitconfig", "~/.config/git/config", "/etc/gitconfig", "lib/.git/config",
            ".git::$INDEX_ALLOCATION/config",
        ),
    ),
    PathRule(
        id="path.git-internals",
        ops=WRITE,
        severity="ask",
        reason="Git keeps the history of the project there.",
        effects=frozenset({"delete"}),
        patterns=(*_SHORT, "**/.git/**", "**/.hg/**", "**/.svn/**", "**/.jj/**"),
        unless=(
            "**/.git/info/exclude", "**/.git/commit_editmsg", "**/.git/merge_msg", "**/.git/squash_msg",
            "**/.git/description", "**/.git/hooks/*.sample",
        ),
        broad=True,
        match=(
            ".git/HEAD", ".git/refs/heads/main", ".git/index", ".git/objects/ab/cd", "git~1/config",
        ),
    ),
)  # fmt: skip
