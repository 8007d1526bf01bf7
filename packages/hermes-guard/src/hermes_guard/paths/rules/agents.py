"""Rules for the configuration and secrets of AI agents, including this one."""

from hermes_guard.paths.rule import READ, WRITE, PathRule

# In a home they affect every session; in a project they are part of the project.
_INSTRUCTIONS = (
    "~/.claude/*.md", "~/.claude/skills/**", "~/.claude/rules/**", "~/.claude/docs/**", "~/.codex/agents.md",
    "~/.codex/skills/**", "~/.gemini/gemini.md", "~/.gemini/skills/**", "~/.qwen/qwen.md", "~/.cursor/rules/**",
    "~/.cursor/skills/**", "~/.cursor/*.md", "~/.windsurf/rules/**", "~/.roo/rules*/**", "~/.roo/skills/**",
    "~/.kilocode/rules*/**", "~/.augment/rules/**", "~/.kiro/steering/**", "~/.amazonq/rules/**", "~/.trae/rules/**",
    "~/.continue/rules/**", "~/.openhands/microagents/**", "~/.factory/agents.md", "~/.opencode/skills/**",
    "~/.agents/skills/**", "~/agents.md", "~/claude.md", "~/gemini.md", "~/.agents.md", "~/.config/agents.md",
    "~/.goosehints", "~/.cursorrules", "~/.clinerules/**", "~/documents/cline/**", "~/.aider.conventions.md",
    "~/.config/**/agents.md", "~/.config/**/claude.md",
)  # fmt: skip

_KEYS = (
    "~/.config/llm/keys.json", "~/.config/mcp-auth/**", "~/.config/shell_gpt/**", "~/.config/aichat/**",
    "~/.config/mods/**", "~/.config/fabric/**", "~/.config/gptme/**", "~/.config/open-interpreter/**",
    "~/.config/tgpt/**", "~/.config/chatgpt*/**", "~/.chatgpt*", "~/.config/sgpt/**", "~/.sgptrc",
    "~/.config/crush/**", "~/.local/share/crush/**", "~/.config/amp/**", "~/.local/share/amp/**", "~/.plandex*/auth*",
    "~/.plandex*/accounts*", "~/.factory/auth*", "~/.augment/session.json", "~/.config/manicode/**",
    "~/.kilocode/**/*auth*", "~/.kimi/**/*auth*", "~/.kimi/credentials/**", "~/.kimi/config.toml", "~/.iflow/*creds*",
    "~/.iflow/settings.json", "~/.grok/*auth*", "~/.grok/user-settings.json", "~/.vibe/.env", "~/.pi/agent/auth.json",
    "~/.rovodev/**", "~/.letta/credentials", "~/.openclaw/**/credentials/**", "~/.openclaw/openclaw.json",
    "~/.openclaw/**/auth*.json", "~/.clawdbot/**", "~/.moltbot/**", "~/.openhands/settings.json",
    "~/.openhands/*secret*", "~/.copilot/config.json", "~/.config/github-copilot/**", "~/.cody/**",
    "~/.config/cody*/**", "~/.sourcegraph/**", "~/.tabnine/**", "~/.supermaven/**",
    "~/.config/windsurf*/user/globalstorage/**", "~/.config/trae*/user/globalstorage/**",
    "~/.config/kiro/user/globalstorage/**", "~/.config/code - */user/globalstorage/**",
    "~/.config/vscodium/user/globalstorage/**", "~/.config/antigravity/user/globalstorage/**",
    "~/.config/void/user/globalstorage/**", "~/.vscode-server/data/user/globalstorage/**",
    "~/.cursor-server/data/user/globalstorage/**", "~/.local/share/code-server/user/globalstorage/**",
    "~/.continue/config.*", "~/.aider.conf.yml", "~/.aider/*.env", "~/.aider/*keys*", "~/.cline/**/*secret*",
    "~/.cline/data/**", "~/.roo/**/*secret*", "~/.kiro/**/*token*", "~/.aws/sso/cache/kiro*", "~/.amazonq/**/*token*",
    "~/.local/share/goose/**/*token*", "~/.config/goose/**/*token*", "~/.local/share/opencode/**/*auth*.json",
    "~/.cagent/**/*secret*", "~/.cursor/**/*auth*", "~/.cursor/cli-config.json", "~/.qwen/**/*creds*", "~/.qwen/.env",
    "~/.gemini/google_accounts.json", "~/.gemini/*creds*", "~/.gemini/*token*", "~/.codex/.env",
    "~/.codex/.credentials.json", "~/.claude/*token*", "~/.claude-code-router/config.json", "~/.claude.json.*",
    "~/.config/claude/**", "~/.claude/.env", "~/.lmstudio/credentials/**", "~/.jan/**/*key*", "~/.config/jan/**",
    "~/.config/claude-*/**", "~/.litellm/**", "~/.config/litellm/**", "~/.langflow/**", "~/.flowise/**", "~/.n8n/**",
    "~/.dify/**/.env", "~/.config/open-webui/**", "~/.autogen/**", "~/.crewai/**", "~/.composio/**", "~/.smithery/**",
    "~/.config/smithery/**",
)  # fmt: skip
_AGENTS = (
    "~/.config/crush/**", "~/.local/share/crush/**", "**/.crush/**", "**/crush.json", "**/.crush.json",
    "~/.config/amp/**", "~/.plandex*/**", "~/.mentat/**", "~/.config/gptme/**", "~/.config/open-interpreter/**",
    "~/.config/shell_gpt/**", "~/.config/aichat/**", "~/.config/mods/**", "~/.config/fabric/**", "~/.config/llm/**",
    "~/.tabnine/**", "**/.cody/**", "~/.sourcegraph/**", "~/.supermaven/**", "**/.kilocode/**", "**/.junie/mcp/**",
    "~/.junie/**", "**/.amazonq/**", "~/.rovodev/**", "**/.rovodev/**", "~/.warp/**", "**/.warp/**", "~/.letta/**",
    "**/.devin/**", "**/.antigravity/**", "~/.kimi/**", "**/.kimi/**", "**/.iflow/**", "**/.grok/**", "**/.vibe/**",
    "~/.pi/**", "**/.pi/agent/**", "**/.codebuff/**", "~/.config/manicode/**", "**/.void/**", "**/.pearai/**",
    "~/.pearai/**", "~/.refact/**", "~/.tabby-client/**", "~/.tabby/**", "~/.clawdbot/**", "~/.moltbot/**",
    "~/.claude-code-router/**", "~/.config/claude-*/**", "~/.config/mcp/**", "~/.mcp/**", "**/.mcp/**",
    "~/.config/mcphub/**", "~/.mcphub/**", "**/.cursor-server/**", "~/.agents/**", "~/.config/agents/**",
    "~/.cagent/**", "~/.codename-goose/**", "~/.config/block/goose/**", "~/.local/share/goose/**",
    "~/.local/share/opencode/**", "~/.auggie/**", "~/.jules/**", "**/.jules/**", "~/.config/swe-agent/**",
    "~/.swe-agent/**", "~/.config/zed-*/**", "~/.config/cursor*/**", "~/.config/windsurf*/**", "~/.config/trae*/**",
    "~/.config/kiro/**", "~/.config/antigravity/**", "~/.config/claude*/**", "/etc/claude-code/**",
    "/library/application support/claudecode/**", "/etc/codex/**", "/etc/gemini-cli/**", "/etc/opencode/**",
    "~/.jan/**", "~/.config/jan/**", "~/.litellm/**", "~/.n8n/**", "~/.openinterpreter/**", "**/.openhands_config/**",
    "**/.claude-plugin/**", "**/.claude.json", "**/gemini-extension.json", "**/managed-settings.json",
    "**/managed-mcp.json", "**/.github/copilot/settings.json", "**/.codex-plugin/**",
)  # fmt: skip

# Files that such an agent follows without being shown them. A visible document such as AGENTS.md belongs to the
# project.
_RULES_OF_AGENTS = (
    "**/.cursorrules", "**/.windsurfrules", "**/.clinerules", "**/.clinerules/**", "**/.clinerules-*", "**/.roorules*",
    "**/.kilocoderules*", "**/.traerules", "**/.voidrules", "**/.goosehints", "**/.augment-guidelines",
    "**/.junie/guidelines.md", "**/.aiassistant/rules/**", "**/.idx/airules.md", "**/.github/copilot-instructions.md",
    "**/.github/instructions/*.instructions.md", "**/.github/chatmodes/**", "**/.github/agents/**",
)  # fmt: skip


def _owned(home: str) -> tuple[str, ...]:
    """Return patterns for what an agent may write freely in its home; `skills/.hub` records the origin of skills."""
    return (f"{home}/scratch/**", f"{home}/memories/**", f"{home}/skills", f"{home}/skills/[!.]*/**")


RULES = (
    PathRule(
        id="path.hermes-secret",
        ops=READ,
        severity="ask",
        reason="It holds the agent's own keys and logins, requests for approval, or old contents of files.",
        patterns=(
            "**/.hermes/**/.env*", "**/.hermes/**/auth.json", "**/.hermes/**/auth.lock", "**/.hermes/**/*oauth*",
            "**/.hermes/**/*token*/**", "**/.hermes/**/pairing/**", "**/.hermes/**/bws_cache.json",
            "**/.hermes/**/skills/.hub/**", "**/.hermes/**/credentials*", "**/.hermes/**/approvals*/**",
            "**/.hermes/**/undo/**",
        ),
        match=(
            "~/.hermes/.env", "~/.hermes/auth.json", "~/.hermes/undo/000001.receipt", "~/.hermes/mcp-tokens/x.json",
            "~/.hermes/profiles/a/auth.json", "~/.hermes/approvals/1-a.request", "~/.hermes/approvals.json",
        ),
    ),
    PathRule(
        id="path.hermes-config",
        ops=WRITE,
        severity="ask",
        reason="It controls what the agent may do, or records what it did.",
        effects=frozenset({"exec", "privileged"}),
        patterns=("**/.hermes/**", "**/hermes.lock"),
        unless=(*_owned("~/.hermes"), *_owned("~/.hermes/profiles/*")),
        match=(
            "~/.hermes/config.yaml", "~/.hermes/undo/000001.receipt", "~/.hermes/.env", "~/.hermes/approvals.json",
            "~/.hermes/approvals/1-a.answer", "~/.hermes/audit.jsonl", "~/.hermes/trusted-plugins.json",
            "~/.hermes/cache/entry-points-1.json", "~/.hermes/plugins/x/plugin.py", "$HERMES_HOME/config.yaml",
            "~/.hermes/terminal/x", "$HERMES_HOME/terminal/default/env.sh", "~/.hermes/profiles/work/config.yaml",
            "~/.hermes/skills/.hub/lock.json", "~/.hermes/plugins/scratch/x.py", "hermes.lock", "~/.hermes/anything",
        ),
    ),
    PathRule(
        id="path.agent-secret",
        ops=READ,
        severity="ask",
        reason="It holds the keys and logins of an agent.",
        patterns=(
            *_KEYS, "**/.claude/.credentials.json", "~/.claude.json", "**/.codex/auth.json",
            "**/.gemini/oauth_creds.json", "**/.gemini/.env", "~/.local/share/opencode/auth.json",
            "~/.config/goose/secrets.yaml", "~/.codeium/**/config.json", "~/.config/cursor/auth.json",
            "~/.config/cursor/user/globalstorage/**", "~/.config/code/user/globalstorage/**", "~/.continue/.env",
            "~/.aider/oauth-keys.env", "~/.config/io.datasette.llm/keys.json",
            "~/library/application support/io.datasette.llm/keys.json", "~/.mcp-auth/**", "~/.qwen/oauth_creds.json",
        ),
        match=(
            "~/.claude/.credentials.json", "~/.codex/auth.json", "~/.gemini/oauth_creds.json", "~/.claude.json",
            "~/.config/llm/keys.json", "~/.config/mcp-auth/tokens.json", "~/.config/aichat/config.yaml",
            "~/Library/Application Support/Code/User/globalStorage/state.vscdb", "~/.n8n/config",
        ),
    ),
    PathRule(
        id="path.agent-config",
        ops=WRITE,
        severity="ask",
        reason="It decides what an agent may do and what it runs.",
        effects=frozenset({"exec", "privileged"}),
        patterns=(
            *_AGENTS, "**/.claude/**", "~/.claude.json*", "**/.codex/**", "**/.cursor/**", "~/.config/cursor/**",
            "**/.gemini/**", "**/.aider*", "**/.aider/**", "**/.continue/**", "**/.continuerc.json", "**/.opencode/**",
            "~/.config/opencode/**", "**/opencode.json*", "~/.config/goose/**", "**/.goose/**", "**/.windsurf/**",
            "~/.codeium/**", "**/.roo/**", "**/.cline/**", "**/.kiro/**", "**/.qwen/**", "**/.amp/**", "**/.factory/**",
            "**/.augment/**", "**/.trae/**", "**/.openhands/**", "**/.openclaw/**", "**/.copilot/**",
            "~/.config/zed/**", "**/.zed/**", "**/.mcp.json", "**/mcp.json", "**/mcp_config.json",
            "**/mcp_settings.json", "**/cline_mcp_settings.json", "**/mcp-servers.json",
            "**/claude_desktop_config.json", "~/.config/claude/**", "~/library/application support/claude/**",
            "~/.lmstudio/**", "~/.config/io.datasette.llm/**", *_RULES_OF_AGENTS,
        ),
        unless=(
            "**/.claude/claude.md", "**/.claude/claude.local.md", "**/.claude/skills/**", "**/.claude/plans/**",
            "**/.aiderignore", "**/.aider.chat.history.md", "**/.aider.input.history", "**/.aider.tags.cache*/**",
            "**/.kiro/specs/**", "**/.qwen/qwen.md", "**/.gemini/gemini.md", "**/.gemini/styleguide.md",
            "**/.cursor/plans/**", "**/.cursor/*.md", "**/.opencode/plans/**", "**/.codex/agents.md", "**/.claude/*.md",
            "**/.claude/docs/**", "**/.claude/todos/**", "**/.factory/agents.md", "**/.codex/skills/**",
            "**/.agents/skills/**", "**/.cursor/skills/**", "**/.gemini/skills/**", "**/.opencode/skills/**",
            "**/.roo/skills/**", "**/.github/skills/**",
        ),
        match=(
            "~/.claude/settings.json", ".claude/settings.local.json", ".claude/hooks/pre.sh", "~/.codex/config.toml",
            ".cursor/mcp.json", "~/.gemini/settings.json", ".aider.conf.yml", "~/.continue/config.json",
            "~/.config/opencode/opencode.json", "~/.config/goose/config.yaml", ".mcp.json",
            "~/Library/Application Support/Claude/claude_desktop_config.json", "~/.config/crush/crush.json",
            "~/.config/amp/settings.json", "crush.json", ".amazonq/mcp.json", "/etc/claude-code/managed-settings.json",
            ".cursorrules", ".cursor/rules/style.mdc", ".windsurfrules", ".kiro/steering/style.md",
            ".github/copilot-instructions.md",
        ),
    ),
    PathRule(
        id="path.agent-instructions",
        ops=WRITE,
        severity="ask",
        reason="Agents follow its instructions in every project.",
        effects=frozenset({"exec"}),
        patterns=_INSTRUCTIONS,
        match=("~/.claude/CLAUDE.md", "~/.codex/AGENTS.md", "~/.gemini/GEMINI.md", "~/.claude/skills/a/SKILL.md"),
    ),
)  # fmt: skip
