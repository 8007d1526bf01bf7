"""Databases: the spellings an attacker would try, and a day of ordinary commands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_guard.guard import Guard
from hermes_guard.rules.sql import FAMILY, statements

GUARD = Guard()
OWN = {rule.id for rule in FAMILY.rules}

DANGEROUS = (
    # Ways in
    "psql -h h -U u -d db -c 'DROP SCHEMA public CASCADE'",
    "psql postgres://u@h/db -Atc 'drop table a, b'",
    "psql -c 'select 1' -c 'drop table t'",
    "psql --command 'drop view v'",
    "psql -f - <<E\ntruncate a;\nE",
    "psql -f /dev/stdin <<< 'drop table t'",
    "cat <<E | psql db\nDROP TABLE t;\nE",
    "echo 'drop table t' | docker exec -i db psql -U u",
    "kubectl exec -it db -- psql -c 'drop database x'",
    "ssh h \"psql -c 'drop table t'\"",
    "su postgres -c \"psql -c 'drop database x'\"",
    "PGPASSWORD=x psql -c 'drop table t'",
    "mysql -h h -u root -psecret --execute='drop database x'",
    "mysql -uroot -Bse 'truncate table t' db",
    "mysql --init-command='drop table t' db",
    "mariadb db <<< 'drop table t'",
    "sqlite3 -header -csv a.db 'delete from t;'",
    "sqlite3 a.db 'pragma foreign_keys=off' 'drop table t'",
    "sqlite3 -cmd 'drop table t' a.db",
    "sqlcmd -S h -U sa -P x -Q 'DROP DATABASE x'",
    "bq query --use_legacy_sql=false 'DELETE FROM d.t WHERE true'",
    "clickhouse client -q 'drop table t'",
    "trino --execute 'drop table t'",
    "sqlplus u/p@db <<E\ndrop table t;\nexit\nE",
    "aws athena start-query-execution --query-string 'drop table t'",
    "npx wrangler d1 execute db --command 'drop table t'",
    "heroku pg:psql -a x -c 'drop table t'",
    "turso db shell x 'drop table t'",
    # Ways to write it
    "psql -c 'drop/*x*/table t'",
    "psql -c $'drop\\ttable t'",
    "psql -c 'DROP   TABLE IF EXISTS \"t\"'",
    "mysql -e '/*!DROP TABLE t*/'",
    "psql -c \"select ';'; drop table t\"",
    "psql -c 'select 1; -- x\ndrop table t'",
    "mysql -e '# x\ndrop table t'",
    'psql -c "drop table $T"',
    "psql -c 'begin; drop table t; commit'",
    "mysql -e \"set @s = 'drop table t'; prepare x from 'drop table t'; execute x\"",
    "psql -c \"do language plpgsql \\$x\\$ begin execute 'drop table t'; end \\$x\\$\"",
    "sqlcmd -Q \"exec('drop table t')\"",
    "psql -c 'with d as (delete from t returning *) select * from d'",
    "psql -c 'delete from only t'",
    "psql -c \"delete from t where 'a'='a'\"",
    "psql -c 'delete from t where id=id'",
    "psql -c 'delete from t where id > 0'",
    "psql -c 'delete from t where (1=1)'",
    "psql -c \"delete from t where name like '%'\"",
    "psql -c 'update users set admin = true'",
    "mysql -e 'update users u join x on 1 set u.a=1'",
    "psql -c 'alter table t drop column c'",
    "mysql -e 'alter table t drop partition p'",
    # Rights, shells and files
    "mysql -e \"GRANT ALL PRIVILEGES ON *.* TO 'x'@'%'\"",
    'psql -c "alter role x with superuser"',
    "psql -c \"copy (select 1) to program 'sh'\"",
    'psql -c "\\\\! rm -rf x"',
    "psql <<'E'\n\\! id\nE",
    "psql <<'E'\n\\o | sh\nE",
    "sqlite3 a.db \".output '|sh'\"",
    "sqlite3 a.db <<< '.shell id'",
    "sqlite3 a.db \"select writefile('/tmp/x','y')\"",
    "mysql -e \"select '<?php' into dumpfile '/var/www/x.php'\"",
    "psql -c \"select lo_export(1,'/tmp/x')\"",
    'psql -c "select pg_terminate_backend(pid) from pg_stat_activity"',
    # Stores
    "dropdb --if-exists -h h x",
    "sudo -u postgres dropuser x",
    "mysqladmin -f drop x",
    "mysqladmin shutdown",
    "pg_ctl stop -m immediate -D d",
    "redis-cli -u redis://h flushall async",
    "redis-cli -n 3 FlushDb",
    "redis-cli --scan --pattern 'x*' | xargs redis-cli del",
    "redis-cli config set dir /root/.ssh",
    "redis-cli <<E\nFLUSHALL\nE",
    "redis-cli eval \"redis.call('flushall')\" 0",
    "redis-cli shutdown nosave",
    "mongosh db --quiet --eval 'db.users.remove({})'",
    "mongosh <<E\ndb.dropDatabase()\nE",
    "mongo --eval 'db.getSiblingDB(\"x\").dropDatabase()'",
    "mongosh --eval 'db.runCommand({dropDatabase: 1})'",
    "cqlsh h -e 'truncate ks.t'",
    "cypher-shell -u n -p x 'MATCH (n) DETACH DELETE n'",
    "rabbitmqctl purge_queue q",
    "kafka-topics --delete --topic t --bootstrap-server h:9092",
    "nodetool decommission",
    "curl -X DELETE 'http://es:9200/logs-*'",
    "curl -s -XDELETE http://localhost:9200/i",
    "curl -H 'a: b' --request DELETE https://api.example/v1/x",
    # Tools
    "bundle exec rails db:drop",
    "RAILS_ENV=production bin/rails db:reset",
    "rake db:schema:load",
    "docker compose exec web python manage.py flush --no-input",
    "uv run python manage.py reset_db",
    "django-admin flush",
    "pnpm prisma migrate reset --force",
    "npx prisma db push --accept-data-loss",
    "alembic -c a.ini downgrade base",
    "flyway -url=x clean",
    "liquibase drop-all",
    "php artisan migrate:fresh --seed",
    "php bin/console doctrine:database:drop --force",
    "mix do ecto.drop, ecto.create",
    "npx sequelize db:drop",
    "dotnet ef database drop -f",
    "sqlx database reset",
    "wp db reset --yes",
)
ORDINARY = (
    "psql -l",
    "psql -c '\\dt'",
    "psql -c '\\d+ users'",
    "psql -f schema.sql",
    "psql db < dump.sql",
    "psql -c \"select * from t where s like '%drop table%'\"",
    "psql -c \"select 'it''s; drop table t'\"",
    "psql -c 'select dropped, truncated from t'",
    "psql -c 'select count(*) from deletes'",
    "psql -c 'create table t (id serial primary key, updated_at timestamp)'",
    "psql -c 'create table c (id int references t on delete cascade on update cascade)'",
    "psql -c 'create trigger x before update or delete on t for each row execute function f()'",
    "psql -c 'create index concurrently i on t (a)'",
    "psql -c 'alter table t add column c int'",
    "psql -c 'alter table t alter column c drop default'",
    "psql -c 'alter table t rename to u'",
    "psql -c 'insert into t (a) values (1) on conflict (a) do update set b = 2'",
    "psql -c 'update t set a = 1 where id = 4 returning *'",
    "psql -c 'delete from t where id in (1,2)'",
    "psql -c \"delete from sessions where expires < now() - interval '30 days'\"",
    "psql -c 'select * from t for update skip locked'",
    "psql -c 'explain delete from t'",
    "psql -c 'explain analyze select 1'",
    "psql -c 'vacuum analyze t'",
    "psql -c 'begin; update t set a=1; rollback'",
    "psql -c 'grant select on t to r'",
    "psql -c 'create database x'",
    "psql -c \"\\copy t from 'x.csv' csv header\"",
    'psql -c "copy t to stdout with csv"',
    "mysql -e 'show databases'",
    "mysql -u root -p db < dump.sql",
    "mysql -e 'show create table t\\G'",
    "mysqldump db > x.sql",
    "mysqladmin ping",
    "sqlite3 a.db .tables",
    "sqlite3 a.db '.dump' > x.sql",
    "sqlite3 -json a.db 'select * from t limit 5'",
    'sqlite3 a.db "update t set a=1 where id=2"',
    "sqlite3 a.db '.import x.csv t'",
    "duckdb -c \"select * from 'x.parquet' limit 3\"",
    "duckdb -c \"copy (select 1) to 'x.csv'\"",
    "clickhouse-client -q 'select 1'",
    "bq query --nouse_legacy_sql 'select count(*) from d.t'",
    "redis-cli ping",
    "redis-cli -h h get flushall",
    "redis-cli set x 'FLUSHALL'",
    "redis-cli del session:1",
    "redis-cli info memory",
    "redis-cli --scan --pattern 'x*'",
    "redis-cli config get maxmemory",
    "mongosh --eval 'db.stats()'",
    "mongosh --eval 'db.users.find({dropped: true}).limit(3)'",
    "mongosh --eval 'db.users.updateOne({_id: 1}, {$set: {a: 1}})'",
    "mongodump --db x",
    "pg_dump --clean x > x.sql",
    "pg_isready -h h",
    "createdb x",
    "rails db:migrate",
    "rails db:create db:migrate db:seed",
    "rails db:rollback",
    "rails console",
    "rake -T db",
    "RAILS_ENV=test bundle exec rails db:drop db:create",
    "python manage.py migrate",
    "python manage.py makemigrations",
    "python manage.py migrate app 0003",
    "python manage.py dumpdata > x.json",
    "python manage.py runserver",
    "npx prisma migrate dev --name drop_users",
    "npx prisma studio",
    "alembic upgrade head",
    "alembic downgrade -1",
    "alembic revision -m 'drop base'",
    "flyway info",
    "php artisan migrate",
    "php artisan make:migration drop_x",
    "mix ecto.migrate",
    "mix test",
    "knex migrate:latest",
    "dotnet ef database update",
    "curl https://api.example/delete",
    'curl -X POST -d \'{"a": "DELETE"}\' https://api.example',
    "curl -X DELETE http://localhost:8000/items/3",
    "curl -s localhost:9200/_cat/indices",
    "kafka-topics --list --bootstrap-server h:9092",
    "rabbitmqctl status",
    "echo 'drop table t' > x.sql",
    "cat x.sql | grep -i 'drop table'",
)


@given(st.text(alphabet="dropDELETE '\"`$;-/*#\\!.(\n=1x\ue000", max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert all(words for words in statements(text))


def test_reading_is_linear() -> None:
    for piece in ("'", '"', "$a$ ", "/*", "--", "[", "\\", "drop ", "(", "\n.", "`"):
        list(statements(piece * 20_000))


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_drops_or_empties_is_asked_about(command: str) -> None:
    assert not GUARD.judge(command, home="/home/u").allowed


@pytest.mark.parametrize("command", ORDINARY)
def test_ordinary_commands_run_unasked(command: str) -> None:
    assert not OWN & set(GUARD.judge(command, home="/home/u").rules)


@pytest.mark.parametrize(("rule", "command"), [(rule.id, command) for rule in FAMILY.rules for command in rule.match])
def test_a_rule_matches_its_examples(rule: str, command: str) -> None:
    assert rule in GUARD.judge(command, home="/home/u").rules


@pytest.mark.parametrize("command", [command for rule in FAMILY.rules for command in rule.not_match])
def test_the_family_leaves_its_counterexamples_alone(command: str) -> None:
    assert not OWN & set(GUARD.judge(command, home="/home/u").rules)
