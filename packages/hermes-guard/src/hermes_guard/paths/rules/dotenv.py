# ruff: noqa: S108 - names to compare with; nothing is put into these folders
"""Rules for settings files that hold a project's secrets."""

from hermes_guard.paths.rule import BOTH, WRITE, PathRule

RULES = (
    PathRule(
        id="path.dotenv",
        ops=BOTH,
        severity="ask",
        reason="Files of this name hold the secrets of a project.",
        patterns=(
            "**/.env", "**/.env.*", "**/.env-*", "**/.env_*", "**/.env~", "**/*.env", "**/.envrc", "**/.dev.vars",
            "**/.dev.vars.*", "**/.renviron", "**/.flaskenv.local", "**/.env[*?[]*",
        ),
        unless=(
            # A named settings file in a temporary directory is short-lived; `.env` itself is not exempt.
            "/tmp/**/[a-z0-9_]*.env", "/var/tmp/**/[a-z0-9_]*.env", "/var/folders/**/[a-z0-9_]*.env", "**/fixtures/**",
            "**/__fixtures__/**", "**/testdata/**", "**/.env.vault", "**/*.j2", "**/*.erb", "**/*.hbs", "**/*.ejs",
            "**/*.mustache", "**/*.gotmpl", "**/*.ts", "**/*.mjs", "**/*.py", "**/*.rs", "**/*.example", "**/*.sample",
            "**/*.template", "**/*.tpl", "**/*.tmpl", "**/*.dist", "**/*.defaults", "**/*.default", "**/*.schema",
            "**/*.md", "**/*.d.ts", "**/.env.example.*", "**/.env.sample.*", "**/.env.template.*", "**/.env-example",
            "**/.env-sample", "**/.env-template", "**/.env_example", "**/.env_sample", "**/example.env",
            "**/sample.env", "**/template.env", "**/*.example.env", "**/*.sample.env",
        ),
        match=(
            ".env", ".env.local", ".env.production", "app/.env.staging", "deploy/prod.env", "/opt/data/.env", ".envrc",
            ".env*", ".dev.vars", ".Renviron", "/tmp/app/.env",
        ),
    ),
    PathRule(
        id="path.project-config",
        ops=WRITE,
        severity="ask",
        reason="Files of this name configure how programs run, including this agent.",
        patterns=("**/config.yaml",),
        unless=(
            *(f"/{root}/**" for root in ("srv", "opt", "var", "tmp", "usr", "private", "mnt", "data", "app")),
            "**/fixtures/**", "**/testdata/**", "**/tests/**", "**/docs/**", "**/examples/**", "**/node_modules/**",
        ),
        match=("config.yaml", "deploy/config.yaml", "config/config.yaml"),
    ),
)  # fmt: skip
