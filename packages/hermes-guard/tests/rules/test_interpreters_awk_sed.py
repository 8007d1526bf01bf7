"""awk and sed: dangerous commands in many spellings, and ordinary commands."""

import pytest

from hermes_guard.guard import Guard
from hermes_guard.rules.interpreters import FAMILY

GUARD = Guard()
OWN = {rule.id for rule in FAMILY.rules}

DANGEROUS = (
    'gawk \'BEGIN{f="system"; @f("rm -rf src")}\'',
    "sed -n '/x/e rm -rf src' f",
    "sed -f <(echo '1e rm -rf src') x",
    "awk -f <(echo 'BEGIN{system(\"rm -rf src\")}')",
    "awk 'BEGIN { \"rm -rf x\" | getline }'",
    "awk 'BEGIN { cmd=\"rm -rf x\"; system(cmd) }'",
    'awk \'BEGIN { print "rm -rf x" | "sh" }\'',
    'ls | awk \'{print "rm -rf "$0 | "/bin/sh"}\'',
    "gawk -e 'BEGIN{system(\"rm -rf x\")}'",
    "sed '1e rm -rf x' f",
    "sed -n '$e rm -rf x' f",
    "sed 's/.*/rm -rf x/e' f",
    "sed 's/a/b/;s/x/rm -rf src/e' f",
    "sed '1s/.*/rm -rf src/e' f",
    "sed '/a/,/b/{s/x/y/;e rm -rf src\n}' f",
    "sed -e p -e '\\,x,e rm -rf src' f",
    "sed -f - f <<< '1e rm -rf src'",
)
ORDINARY = (
    "sed -n '/x/p' f",
    "sed '/e x/d' f",
    "awk -f <(echo '{print $1}') f",
    "awk '{print $1}' f",
    "awk -F: '$3 > 1000 {print $1}' /etc/passwd",
    "awk 'NR==FNR{a[$1]=$2;next} $1 in a {print $0, a[$1]}' a b",
    "awk '{s+=$1} END {print s/NR}' f",
    "awk '/start/,/end/' f",
    "awk -v n=3 'NR>n' f",
    "awk '{print > $1\".txt\"}' f",
    "awk '{ \"date +%s\" | getline t; print t, $0 }' f",
    'awk \'BEGIN{FS=OFS=","} {$2=""; print}\' f.csv',
    "awk '$2 ~ /rm -rf/ {print}' f",
    'awk \'{printf "%s\\n", $1 | "sort -u"}\' f',
    'awk \'{gsub(/"/, "", $1); print $1}\' f',
    "awk 'length > 80' f",
    'awk "{print \\$1}" f',
    "awk '{ if ($3 > max) max = $3 } END { print max }' f",
    "gawk 'match($0, /id=([0-9]+)/, m) {print m[1]}' f",
    "sed -n '1,10p' f",
    "sed -e 's/a/b/' -e '/^$/d' f",
    "sed 's/the/THE/' f",
    "sed '/re/d' f",
    "sed '$!N;s/\\n/ /' f",
    "sed 's/a/b/;s/e/x/' f",
    "sed -e 'a\\' -e 'e rm -rf src' f",
    "sed '/start/,/end/{s/e/x/;p}' f",
    "sed 'y/abc/def/' f",
)


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_an_attacker_would_try_is_asked_about(command: str) -> None:
    assert GUARD.judge(command, home="/home/dev").severity != "allow"


@pytest.mark.parametrize("command", ORDINARY)
def test_an_ordinary_day_hears_nothing_of_these_rules(command: str) -> None:
    assert not OWN & set(GUARD.judge(command, home="/home/dev").rules)
