"""Programs that print a secret file need approval; those that load it or count in it do not."""

import pytest

from hermes_guard import judge

SHOWN = """
cat .env
grep KEY .env
grep -v '^#' .env
grep -o 'KEY=.*' .env
rg KEY .env
awk -F= '{print $2}' .env
awk '/KEY/' .env
sed -n p .env
sed 's/x/y/' .env
sed 's/=.*/&/' .env
head -3 .env
tail .env
less .env
xxd .env
base64 .env
cut -d= -f2 .env
sort .env
diff .env .env.example
strings .env
nl .env
tac .env
comm .env x
tr a b < .env
grep KEY < .env
perl -ne print .env
jq . ~/.docker/config.json
grep KEY .env | cut -d= -f2
echo "$(grep KEY .env)"
X=$(cat .env); echo "$X"
psql "$(cat .env)"
"""
LOADED = """
source .env
set -a; . ./.env; set +a
docker run --env-file .env img
npx dotenv -e .env -- npm start
grep -q KEY .env
grep -c KEY .env
grep -l KEY .env
rg --quiet KEY .env
test -f .env
wc -l .env
ls -la .env
stat .env
md5sum .env
diff -q .env .env.example
grep KEY .env > /dev/null
cat .env | wc -l
cat .env | grep -q KEY
export $(grep -v '^#' .env | xargs)
DB=$(grep '^DB_URL=' .env | cut -d= -f2-); psql "$DB" -c 'select 1'
[ -n "$(grep KEY .env)" ] && echo yes
cut -d= -f1 .env
awk -F= '{print $1}' .env
grep -o '^[A-Z_]*=' .env
sed 's/=.*//' .env
cat .env.example
grep KEY .env.sample
diff .env.example .env.template
grep -rn KEY src
"""


@pytest.mark.parametrize("command", SHOWN.strip().splitlines())
def test_who_shows_a_secret_file_is_asked_about(command: str) -> None:
    assert judge(command, home="/home/dev", cwd="/home/dev/project").severity == "ask"


@pytest.mark.parametrize("command", LOADED.strip().splitlines())
def test_who_loads_or_counts_it_is_not(command: str) -> None:
    assert judge(command, home="/home/dev", cwd="/home/dev/project").severity == "allow"
