"""Migration tools and frameworks that throw a database away."""

import re
from collections.abc import Iterator, Sequence

from hermes_guard.argv.names import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.sql.table import FAMILY, MIGRATE
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_RAILS = re.compile(
    r"(?:db:(?:drop|reset|purge|schema:load|structure:load|migrate:reset|truncate_all|setup|seed:replant"
    r"|drop:[\w:]+|reset:[\w:]+|mongoid:(?:drop|purge))|apartment:drop)(?:\[.*)?$"
)
_CODE = re.compile(
    r"\b(?:delete_all|destroy_all|drop_table|drop_database|truncate)\b|\.objects\.all\(\)\.delete\(\)"
    r"|DatabaseCleaner|flush_?db|\.objects\.filter\(\)\.delete\(\)"
)
#: Words that must follow each other by tool, with others between them; `|` separates ways to do it. `^x` is the first
#: word that is no option, `x*` one that begins so, and `$` the end.
_WAYS = {
    "prisma": "migrate reset|db push --force-reset|db push --accept-data-loss",
    "alembic": "downgrade base",
    "flask": "db downgrade base|drop_db|drop-db|db drop|reset_db|reset-db",
    "flyway": "clean|undo",
    "liquibase": "drop-all|dropAll|dropall|rollback*",
    "knex": "migrate:rollback --all|db:drop*",
    "sequelize sequelize-cli": "db:drop*|db:migrate:undo:all|db:seed:undo:all",
    "typeorm": "schema:drop",
    "drizzle-kit": "^drop|^push --force",
    "mikro-orm": "schema:drop|schema:fresh|migration:drop|migration:fresh|database:drop|database:fresh",
    "goose": "reset|down-to 0",
    "migrate": "drop|down $|down -all",
    "dbmate": "drop",
    "sqlx diesel": "database drop|database reset",
    "sea-orm-cli": "migrate fresh|migrate reset|migrate refresh",
    "atlas": "schema clean",
    "mix": "ecto.drop|ecto.reset|ecto.rollback --all",
    "wp": ("db reset|db drop|db clean|site empty|site delete|plugin delete|user delete|option delete|theme delete"),
    "drush": "sql-drop|sql:drop|site-install|site:install|sql-create|sql:create",
    "bench": "drop-site|reinstall",
    "meteor": "^reset",
    "hasura": "migrate apply --down*|migrate apply --version*|metadata clear",
    "phinx": "rollback -t 0|rollback -t0",
    "aerich": "downgrade -d|downgrade --delete",
    "dotnet-ef": "database drop|database update 0",
    "dotnet": "^ef database drop|^ef database update 0",
    "artisan": (
        "^migrate:fresh|^migrate:refresh|^migrate:reset|^db:wipe|^queue:flush|^queue:clear|^tenants:migrate-fresh"
    ),
    "console": "^doctrine:database:drop|^doctrine:schema:drop|^doctrine:mongodb:schema:drop",
    "manage.py manage django-admin": (
        "^flush|^reset_db|^drop_db|^cleardb|^delete_all|^reset_schema|^drop_test_database|^migrate zero"
    ),
    "magento": "^setup:uninstall",
    "odoo supabase encore": "db reset|db drop",
}
_TOOLS = {
    program: tuple(tuple(way.split()) for way in ways.split("|"))
    for programs, ways in _WAYS.items()
    for program in programs.split()
}
_INTERPRETERS = names("python python3 php ruby spring")
_SCRIPTS = names("manage.py artisan console magento rails rake")
_ONLY_SHOWS = names("--help -h --pretend --dry-run --dump-sql --sql")


@FAMILY.judges(*_TOOLS, "rails", "rake", *sorted(_INTERPRETERS))
def migrations(command: Command, _: Context) -> Iterator[Finding]:
    """Migration tools and frameworks."""
    program, texts = _tool(command)
    if not _ONLY_SHOWS.isdisjoint(texts) or "help" in texts[:1]:
        return
    environment = {
        **command.assignments,
        **dict(text.partition("=")[::2] for text in texts if re.match(r"[A-Z_]+=", text)),
    }
    if program in {"rails", "rake"}:
        yield from _rails(texts, environment, command)
        return
    if environment.get("MIX_ENV") == "test" or ("--env=test" in texts and program == "console"):
        return
    ways = _TOOLS.get(program, ())
    shell = program in {"manage.py", "django-admin", "manage"} and texts[:1] in (["shell"], ["shell_plus"])
    if any(_goes(way, texts) for way in ways) or (shell and _CODE.search(" ".join(texts))):
        joined = " ".join(text for text in texts if "\n" not in text)
        yield MIGRATE.found(command, path=f"{program} {joined}"[:100])


def _tool(command: Command) -> tuple[str, list[str]]:
    """The tool that a command runs, perhaps as a script, and its words."""
    program, texts = command.program or "", [word.raw for word in command.args]
    if program not in _INTERPRETERS:
        return program, texts
    while texts and texts[0].startswith("-") and not texts[0].startswith(("-c", "-m", "-r", "-e")):
        texts.pop(0)
    script = texts.pop(0).rsplit("/", 1)[-1] if texts else ""
    return (script, texts) if script in _SCRIPTS else ("", [])


def _rails(texts: Sequence[str], environment: dict[str, str], command: Command) -> Iterator[Finding]:
    test = "test" in {environment.get("RAILS_ENV"), environment.get("RACK_ENV")}
    hit = next((text for text in texts if _RAILS.match(text) and text != "db:setup"), "")
    if (hit and not test) or ("db:migrate" in texts and environment.get("VERSION") == "0"):
        yield MIGRATE.found(command, path=hit or "db:migrate VERSION=0")
    if texts[:1] in (["runner"], ["r"]) and _CODE.search(" ".join(texts)):
        yield MIGRATE.found(command, path="runner")


def _goes(way: Sequence[str], texts: Sequence[str]) -> bool:
    """True when the words of a way stand in a command, in their order."""
    place = 0
    for step in way:
        if step == "$":
            return place == len(texts)
        while place < len(texts) and not _fits(step, texts[place]):
            if step[0] == "^" and texts[place][:1] != "-":
                return False
            place += 1
        if place == len(texts):
            return False
        place += 1
    return True


def _fits(step: str, text: str) -> bool:
    step = step.removeprefix("^")
    if step[-1] == "*":
        return text.startswith(step[:-1])
    # `mix do ecto.drop, ecto.create` separates its tasks with commas.
    return text in {step, f"{step},"} or (step[0] == "-" and text.startswith(f"{step}="))
