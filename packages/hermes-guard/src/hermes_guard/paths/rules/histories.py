"""Rules for histories of typed or copied text."""

from hermes_guard.paths.rule import BOTH, PathRule

# Text that was typed, copied or edited.
_KEPT = (
    "~/.mycli-history", "~/.kpcli-history", "~/.bash_history-*", "~/.*-history", "~/.*_hist", "~/.config/bash/history",
    "~/.config/zsh/history", "~/.local/share/zsh/history", "~/.local/share/bash/history",
    "~/.local/state/**/*history*", "~/.local/share/**/*_history", "~/.local/share/**/history", "~/.cache/**/*_history",
    "~/.cache/zsh/history", "~/.config/pgcli/history", "~/.local/share/xonsh/**", "~/.local/state/elvish/db.bolt",
    "~/.local/share/elvish/db.bolt", "~/.local/share/mcfly/**", "~/.mcfly/**", "~/.hishtory/**",
    "~/.local/share/hishtory/**", "~/.resh/**", "~/.local/share/resh/**", "~/.resh_history.json",
    "~/.local/share/nvim/shada/**", "~/.local/state/nvim/shada/**", "~/.local/share/klipper/**", "~/.cache/greenclip*",
    "~/.local/share/clipman*", "~/.cache/cliphist/**", "~/.config/copyq/**", "~/.local/share/copyq/**",
    "~/.local/share/diodon/**", "~/.local/share/parcellite/**", "~/.config/maccy/**", "~/.local/share/clipit/**",
    "~/.cache/clipboard-indicator*/**", "~/.local/share/gpaste/**", "~/.tmux/resurrect/**",
    "~/.local/share/tmux/resurrect/**", "~/.msf4/history", "~/.claude/history.jsonl", "~/.codex/history.jsonl",
    "~/.gemini/tmp/**/logs.json", "~/.aider.input.history", "~/.irb-history", "~/.lldb/*-history", "~/.lldb/*history",
    "~/.config/radare2/history", "~/.octave_hist", "~/.guile_history", "~/.config/julia/logs/**",
    "~/.julia/logs/repl_history.jl", "~/.config/powershell/psreadline/**",
    "~/.config/microsoft/windows/powershell/psreadline/**",
)  # fmt: skip

RULES = (
    PathRule(
        id="path.history",
        ops=BOTH,
        severity="ask",
        reason="It records what was typed earlier, which may include passwords.",
        patterns=(
            *_KEPT, "**/.*_history", "~/.*_history.*", "~/.history", "~/.histfile", "~/.zhistory", "~/.sh_history",
            "~/.bash_sessions/**", "~/.zsh_sessions/**", "~/.local/share/fish/fish_history",
            "~/.config/fish/fish_history", "~/.config/nushell/history.*", "~/.local/share/nushell/history.*",
            "~/.local/share/powershell/psreadline/**", "~/appdata/roaming/microsoft/windows/powershell/psreadline/**",
            "~/.local/state/bash/history", "~/.local/state/zsh/history", "~/.local/share/python_history",
            "~/.node_repl_history", "~/.lesshst", "~/.viminfo", "~/.ipython/profile_*/history.sqlite",
        ),
        match=(
            "~/.bash_history", "~/.zsh_history", "~/.python_history", "~/.psql_history",
            "~/.local/share/fish/fish_history", "/root/.bash_history", "~/.mycli-history",
            "~/.local/state/python/history", "~/.julia/logs/repl_history.jl", "~/.cache/cliphist/db",
            "~/.claude/history.jsonl",
        ),
    ),
)  # fmt: skip
