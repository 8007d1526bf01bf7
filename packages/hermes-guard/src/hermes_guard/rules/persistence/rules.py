"""Declares the rules for persistence."""

from hermes_guard.rules.family import Family

FAMILY = Family("persistence")

CRON = FAMILY.rule("persistence.schedule", "changes what runs on a schedule: {path}", effects=("exec", "write"))
BOOT = FAMILY.rule(
    "persistence.autostart", "makes a service or program start by itself: {path}", effects=("exec", "write")
)
GIT_RUNS = FAMILY.rule(
    "persistence.git-config", "lets git run a program or trust another server: {path}", effects=("exec", "write")
)
PACKAGE_RUNS = FAMILY.rule(
    "persistence.package-config",
    "changes where a package manager gets its code from or what it runs: {path}",
    effects=("exec", "write"),
)
SSH_RUNS = FAMILY.rule(
    "persistence.hidden-command", "runs a command from an option or variable: {path}", effects=("exec",)
)
SELF_STOP = FAMILY.rule("self.gateway", "stops, restarts or replaces the agent itself: {path}", effects=("privileged",))
SELF_KILL = FAMILY.rule("self.kill", "ends the agent's own process: {path}", effects=("privileged",))
SELF_RULES = FAMILY.rule(
    "self.approvals", "changes what the agent may do without approval: {path}", effects=("privileged", "write")
)
UNLEASHED = FAMILY.rule(
    "agent.unleashed",
    "starts an agent that acts without asking: {program} {path}",
    effects=("privileged", "exec"),
)
AGENT_SETTINGS = FAMILY.rule(
    "agent.settings", "changes the settings of another agent: {program} {path}", effects=("privileged", "write")
)
LOGIN_KEY = FAMILY.rule(
    "persistence.login-key", "allows remote logins with a key: {path}", effects=("network", "write")
)
