"""Judges migration tools and frameworks that drop or reset a database."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from hermes_guard import lazy_re as re
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.sql.clients import prints_deletes
from hermes_guard.rules.sql.rules import FAMILY, MIGRATE
from hermes_guard.rules.sql.script_files import Saved
from hermes_guard.rules.sql.statement_checks import judge_sql
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_RAILS = re.compile(
    r"(?:db:(?:drop|reset|purge|rollback(?::\w+)?|migrate:down(?::\w+)?|schema:load|structure:load|migrate:reset|truncate_all|setup|seed:replant"
    r"|drop:[\w:]+|reset:[\w:]+|mongoid:(?:drop|purge))|apartment:drop)(?:\[.*)?$"
)
_CODE = re.compile(
    r"\b(?:delete_all|destroy_all|drop_table|drop_database|truncate|drop_all|dropAllTables|dropIfExists|migrate:fresh"
    r"|db:wipe)\b|\.objects\.all\(\)\.delete\(\)|DatabaseCleaner|flush_?(?:db|all)|\.objects\.filter\(\)\.delete\(\)"
    r"|\.all\.(?:each\s*\(&:destroy\)|map\s*\(&:destroy\))|::query\(\)->delete\(\)|->delete\(\)\s{0,8};?\s{0,8}\Z"
    r"|\b(?:DROP|TRUNCATE)\s+(?:TABLE|DATABASE|SCHEMA)\b"
)
#: Words that must occur in this order, by tool, with others between them; `|` separates alternatives. `^x` is the first
#: operand, `x*` a prefix, and `$` the end.
_WAYS = {
    "prisma": "migrate reset|db push --force-reset|db push --accept-data-loss",
    "rw redwood blitz keystone": "prisma migrate reset|prisma reset|prisma db push --force-reset",
    "alembic": "downgrade",
    "flask": "db downgrade|drop_db|drop-db|db drop|reset_db|reset-db",
    "flyway": "clean|undo",
    "liquibase": "drop-all|dropAll|dropall|rollback*",
    "knex": "migrate:rollback|migrate:down|db:drop*",
    "sequelize sequelize-cli": "db:drop*|db:migrate:undo*|db:seed:undo:all",
    "typeorm typeorm-ts-node-commonjs typeorm-ts-node-esm typeorm-extension": "schema:drop|db:drop|migration:revert",
    "drizzle-kit": "^drop|^push --force",
    "mikro-orm": "schema:drop|schema:fresh|migration:drop|migration:fresh|migration:down|database:drop|database:fresh",
    "goose": "reset|down|down-to",
    "migrate": "drop|down",
    "db-migrate": "reset|db:drop|down",
    "node-pg-migrate": "^down",
    "migrate-mongo": "^down",
    "payload": "^migrate:fresh|^migrate:reset|^migrate:refresh|^migrate:down",
    "ace": "^migration:fresh|^migration:reset|^migration:refresh|^migration:rollback|^db:wipe|^db:truncate",
    "sql-migrate": "^down",
    "sqitch": "^revert",
    "yoyo": "^rollback",
    "soda": "^drop|^reset|^migrate down",
    "skeema": "^push --allow-unsafe",
    "psqldef mysqldef sqlite3def mssqldef": "--enable-drop*",
    "gh-ost pt-online-schema-change": "--execute",
    "hanami amber": "^db drop|^db reset",
    "lucky": "^db.drop|^db.reset",
    "loco": "^db reset|^db drop|^db truncate",
    "cargo": (
        "^loco db reset|^loco db drop|^loco db truncate|^sqlx database drop|^sqlx database reset|^sqlx migrate revert"
        "|^loco db down"
    ),
    "pocketbase": "^migrate down|^superuser delete|^admin delete",
    "airflow": "^db reset|^db clean|^dags delete|^pools delete|^variables delete|^connections delete",
    "superset": "^db downgrade",
    "dagster": "^run wipe|^asset wipe",
    "monetdb": "^destroy",
    "neo4j-admin": "--overwrite-destination*",
    "pt-archiver": "--purge",
    "spark": "^migrate:refresh|^migrate:rollback",
    "yii": "^migrate/fresh|^migrate/down|^migrate/redo all",
    "cake": "^migrations rollback",
    "doctrine": "^orm:schema-tool:drop --force",
    "symfony": "^console doctrine:database:drop|^console doctrine:schema:drop|^console d:d:d|^console d:s:d",
    "mvn mvnw": "flyway:clean|flyway:undo|liquibase:dropAll|liquibase:rollback",
    "gradle gradlew": "flywayClean|flywayUndo|dropAll|liquibaseDropAll|dropAllTables",
    "strapi": "^transfer --force",
    "convex": "^import --replace*",
    "dbmate": "drop|rollback|down",
    "sqlx diesel": "database drop|database reset|migrate revert|migration revert",
    "sea-orm-cli": "migrate fresh|migrate reset|migrate refresh|migrate down",
    "atlas": "schema clean",
    "mix": "ecto.drop|ecto.reset|ecto.rollback",
    "wp": ("db reset|db drop|db clean|site empty|site delete|plugin delete|user delete|option delete|theme delete"),
    "drush": "sql-drop|sql:drop|site-install|site:install|sql-create|sql:create",
    "bench": "drop-site|reinstall",
    "meteor": "^reset",
    "hasura": "migrate apply --down*|migrate apply --version*|metadata clear",
    "phinx": "rollback",
    "aerich": "downgrade",
    "dotnet-ef": "database drop|database update 0",
    "dotnet": "^ef database drop|^ef database update 0",
    "artisan": (
        "^migrate:fresh|^migrate:refresh|^migrate:reset|^migrate:rollback|^db:wipe|^queue:flush|^queue:clear|^tenants:migrate-fresh"
    ),
    "console": (
        "^doctrine:database:drop|^doctrine:schema:drop|^doctrine:mongodb:schema:drop|^d:d:d|^d:s:d"
        "|^foundry:database:reset|^doctrine:migrations:execute --down|^doctrine:migrations:migrate prev"
        "|^doctrine:migrations:migrate first"
    ),
    "manage.py manage django-admin": (
        "^flush|^reset_db|^drop_db|^cleardb|^delete_all|^reset_schema|^drop_test_database|^migrate zero"
        "|^delete_model|^truncate*|^drop_tenant*|^delete_tenant"
    ),
    "magento": "^setup:uninstall",
    "odoo supabase encore": "db reset|db drop|migration down",
}
_TOOLS = {
    program: tuple(tuple(way.split()) for way in ways.split("|"))
    for programs, ways in _WAYS.items()
    for program in programs.split()
}
_INTERPRETERS = names("python python3 php ruby spring node")
_SCRIPTS = names("manage.py artisan console magento rails rake spark yii cake ace")
_ONLY_SHOWS = names("--help -h --pretend --dry-run --dump-sql --sql")


#: The first word after which a tool runs code of the application.
_SHELLS = {
    **dict.fromkeys(("manage.py", "manage", "django-admin"), names("shell shell_plus")),
    **dict.fromkeys(("rails",), names("runner r console c")),
    "artisan": names("tinker"),
    "flask": names("shell"),
    "mix": names("run eval"),
}
_CONSOLES = names("dbshell dbconsole db")
_TEST_VARIABLES = ("RAILS_ENV", "RACK_ENV", "MIX_ENV", "NODE_ENV", "APP_ENV", "FLASK_ENV")
_TEST = re.compile(r"(?:--env(?:ironment)?=|-e=)test(?:ing)?\Z")


@FAMILY.judges(*_TOOLS, "rails", "rake", "gitlab-rake", *sorted(_INTERPRETERS))
def migrations(command: Command, context: Context) -> Iterator[Finding]:
    """Judge migration tools and frameworks."""
    program, texts = _tool(command)
    if not program or not _ONLY_SHOWS.isdisjoint(texts) or "help" in texts[:1]:
        return
    environment = {
        **command.assignments,
        **dict(text.partition("=")[::2] for text in texts if re.match(r"[A-Z_]+=", text)),
    }
    yield from _shell(program, texts, command, Saved(command, context))
    if program in {"rails", "rake", "gitlab-rake"}:
        yield from _rails(texts, environment, command)
        return
    if _tests(texts, environment):
        return
    if any(_goes(way, texts) for way in _TOOLS.get(program, ())):
        joined = " ".join(text for text in texts if "\n" not in text)
        yield MIGRATE.found(command, path=f"{program} {joined}"[:100])


def _tests(texts: Sequence[str], environment: dict[str, str]) -> bool:
    """Return True for the test database, which tests recreate."""
    return any(environment.get(name) in {"test", "testing"} for name in _TEST_VARIABLES) or any(
        _TEST.match(text) or (text in {"--env", "--environment"} and after in {"test", "testing"})
        for text, after in zip_longest(texts, texts[1:])
    )


def _shell(program: str, texts: Sequence[str], command: Command, saved: Saved) -> Iterator[Finding]:
    """Judge code of the application in arguments or on the input, and statements for its database."""
    first = texts[0] if texts else ""
    if first in _SHELLS.get(program, ()) and (_CODE.search(" ".join(texts)) or _CODE.search(saved.input())):
        yield MIGRATE.found(command, path=f"{program} {first}")
    elif first in _CONSOLES and program in {"manage.py", "manage", "artisan"}:
        yield from judge_sql(saved.input(), command)
        if prints_deletes(command):
            yield MIGRATE.found(command, path=f"{program} {first}")


def _tool(command: Command) -> tuple[str, list[str]]:
    """Return the tool that a command runs, possibly as a script, and its arguments."""
    program, texts = command.program or "", [word.raw for word in command.args]
    if program not in _INTERPRETERS:
        return program, texts
    while texts and texts[0].startswith("-") and not texts[0].startswith(("-c", "-m", "-r", "-e")):
        texts.pop(0)
    script = texts.pop(0).rsplit("/", 1)[-1].removesuffix(".js") if texts else ""
    return (script, texts) if script in _SCRIPTS else ("", [])


def _rails(texts: Sequence[str], environment: dict[str, str], command: Command) -> Iterator[Finding]:
    test = "test" in {environment.get("RAILS_ENV"), environment.get("RACK_ENV")}
    hit = next((text for text in texts if _RAILS.match(text) and text != "db:setup"), "")
    if (hit and not test) or ("db:migrate" in texts and environment.get("VERSION") == "0"):
        yield MIGRATE.found(command, path=hit or "db:migrate VERSION=0")


def _goes(way: Sequence[str], texts: Sequence[str]) -> bool:
    """Return True when the words of an alternative occur in a command, in order."""
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
