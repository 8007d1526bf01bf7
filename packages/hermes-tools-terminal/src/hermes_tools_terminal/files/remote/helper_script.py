"""The script of the helper process: POSIX sh and the standard commands.

It reads requests of two lines: an unguessable word, and a call of one of its functions. An answer is the word, the
output of the function, and its exit status, so no content can be mistaken for the end of an answer.
"""

from __future__ import annotations

CHANGED, LOOP, NO_FOLDER, DENIED, LONG, CUT, LACKING = range(70, 77)
"""Exit statuses of failures that are not those of a command, so that no message has to be interpreted."""

BLOCK = 1 << 16
"""The block size of `dd`, which gets positions in blocks in order to seek."""

_BASICS = r"""
LC_ALL=C; export LC_ALL; unset CDPATH IFS
exec 5<&0 2>/dev/null
nl='
'
lacking=
for tool in cat chmod dd head ln mkdir mv readlink rm stat tail wc; do
  command -v "$tool" >/dev/null || lacking="$lacking $tool"
done
fds=/proc/self/fd; [ -e "$fds/0" ] || fds=/dev/fd; [ -e "$fds/0" ] || fds=
if stat -c %i / >/dev/null; then
  facts() { stat -c '%f %d %i %s %u %g %h %Y %Z %y|%z' "$@"; }
  numbers() { stat -c '%d %i' "$@"; }
else
  facts() { stat -f '%Xp %d %i %z %u %g %l %m %c %Fm|%Fc' "$@"; }
  numbers() { stat -f '%d %i' "$@"; }
fi
fraction() { case $1 in *.*) part=${1##*.}; part=${part%% *};; *) part=000000000;; esac; }
look() {
  line=$(facts "$@") || return 1
  fraction "${line%%|*}"; changed=$part; fraction "${line#*|}"; touched=$part
  set -- ${line%%|*}
  size=$4 id="$2 $3" owner="$5:$6" when=$8 version="$2 $3 $4 $8.$changed $9.$touched"
  seen="$1 $version $5 $6 $7"
}
same() { look "$1" && [ "$id" = "$2" ] || exit 70; }
unchanged() { look "$1" && [ "$version" = "$2" ] || exit 70; }
here() { now=$(pwd -P; echo x); [ "$now" = "$1${nl}x" ] || exit 70; }
enter() {
  cd -P -- "$1" || { [ -d "$1" ] && [ ! -L "$1" ] && [ ! -x "$1" ] && exit 73; exit 70; }
  here "$1"
}
"""

# Links are followed only here. Missing parts of a path are kept as written. What turns into a link or vanishes between
# walking and looking is resolved again.
_FINDING = r"""
home() { case ${HOME:-} in /*) home=${HOME%/};; *) home=$(cd && pwd) || home=;; esac; }
absolute() {
  case $1 in
  /*) path=$1;;
  "~" | "~/"*) home; path=$home${1#"~"}; path=${path:-/};;
  "~"[A-Za-z_]*)
    user=${1%%/*}
    case ${user#?} in *[!A-Za-z0-9._-]*) path=;; *) eval "path=$user";; esac
    case $path in /*) path=$path${1#"$user"};; *) path=${2%/}/$1;; esac;;
  *) path=${2%/}/$1;;
  esac
}
walk() {
  real= rest=$1/ hops=0
  while [ -n "$rest" ]; do
    part=${rest%%/*} rest=${rest#*/}
    case $part in "" | .) continue;; ..) real=${real%/*}; continue;; esac
    [ "${#part}" -le 255 ] && [ "${#real}" -le 4095 ] || exit 74
    if [ -L "$real/$part" ]; then
      hops=$((hops + 1)); [ "$hops" -le 40 ] || exit 71
      target=$(readlink "$real/$part" && echo x) || exit 70
      rest=${target%"${nl}x"}/$rest
      case $rest in /*) real=;; esac
    elif [ -e "$real/$part" ]; then
      [ -z "$rest" ] || [ -d "$real/$part" ] || exit 72
      real=$real/$part
    else
      [ ! -d "$real/" ] || [ -x "$real/" ] || [ ! -d "$real/" ] || exit 73
      real=$real/$part
    fi
  done
  [ "${#real}" -le 4095 ] || exit 74
  real=${real:-/}
}
find_() {
  [ -z "$lacking" ] || { echo "$lacking" >&2; exit 76; }
  absolute "$2" /; absolute "$1" "$path"
  for try in 1 2 3 4 5 last; do
    walk "$path"
    look "$real" || { seen=; [ -e "$real" ] || [ -L "$real" ] || break; }
    case $seen in "") [ "$try" != last ] || exit 73;; [aA]???" "*) [ "$try" != last ] || exit 70;; *) break;; esac
  done
  printf '%s\0' "$path" "$real" "$seen"
}
"""

# A file is opened first and compared with what was found afterwards, so it cannot be swapped in between.
# Each reader opens it separately, as they would share a position otherwise.
_READING = r"""
hold() {
  enter "$1"; same "./$2" "$3"
  exec 4<"./$2" || exit 1
  if [ -n "$fds" ]; then look -L "$fds/4" && [ "$id" = "$3" ] || exit 70; else same "./$2" "$3"; fi
}
hold_more() {
  hold "$@"
  exec 6<"./$2" 7<"./$2" || exit 1
  [ -n "$fds" ] || { same "./$2" "$3"; return; }
  [ "$(numbers -L "$fds/6" "$fds/7")" = "$3$nl$3" ] || exit 70
}
read_() {
  hold "$@"; echo "$seen"
  if [ "$4" = all ]; then cat <&4
  elif [ "$(($4 * 65536))" -lt "$size" ]; then dd bs=65536 skip="$4" count="$5" <&4
  fi
}
from() { dd bs=65536 skip="$(($1 / 65536))" | tail -c "+$(($1 % 65536 + 1))"; }
lines_() {
  hold_more "$@"
  total=$(wc -l <&4) && [ -n "$total" ] || exit 1
  if [ "$size" = 0 ]; then last=$(tail -c 1 <&6 | wc -lc)
  else last=$(from "$((size - 1))" <&6 | tail -c 1 | wc -lc)
  fi
  set -- "$@" $last
  total=$((total + $8 - $7)); echo "$total 0"
  [ "$4" -gt "$total" ] || tail -n "+$4" <&7 | head -n "$5" | head -c "$6"
}
where_() { hold "$@"; echo "$(head -n "$(($4 - 1))" <&4 | wc -c) 0"; }
rest_() {
  hold_more "$@"
  set -- "$@" $(from "$4" <&6 | head -n 1 | wc -lc)
  echo "$7 $8"
  from "$(($4 + $8))" <&7 | head -n "$5" | head -c "$6"
}
upward_() {
  at=$1
  while :; do
    file=$at/$2
    if [ -f "$file" ] && [ ! -L "$file" ] && [ -r "$file" ] && size=$(($(wc -c <"$file"))) && [ "$size" -le "$3" ]; then
      printf '%s\0%s\0' "${at:-/}" "$size"; head -c "$size" <"$file"
    fi
    [ -n "$at" ] || return 0
    at=${at%/*}
  done
}
names_() {
  enter "$1"; same . "$2"
  [ -r . ] || exit 73
  for all in '*' '.[!.]*' '..?*'; do
    set -- $all
    [ -e "$1" ] || [ -L "$1" ] || [ "$#" -gt 1 ] || continue
    printf '%s\0' "$@"
  done
}
"""

# `cd` into each directory and compare `pwd -P`, so that nothing is created behind a link. Attributes beyond mode and
# owner are kept where `cp` supports that.
_CHANGING = r"""
settle() { sync "$@" 2>/dev/null || :; }
make_way() {
  at= rest=${1#/}; cd /; [ -z "$rest" ] || rest=$rest/
  while [ -n "$rest" ]; do
    part=${rest%%/*} rest=${rest#*/} at=$at/$part
    [ ! -L "./$part" ] || exit 70
    if [ ! -e "./$part" ]; then
      if mkdir -- "./$part"; then made=${made:-$at} way=$at; settle .; else [ -d "./$part" ] || exit 1; fi
    fi
    [ -d "./$part" ] || exit 70
    cd -P -- "./$part" || exit 73
  done
  here "$1"
}
clean() {
  [ -z "$temp" ] || rm -f -- "$temp"
  while [ -n "$made" ] && cd / && rmdir -- "$way"; do [ "$way" != "$made" ] || made=; way=${way%/*}; done
}
sweep() {
  for old in ./.hermes-*.tmp; do
    [ -f "$old" ] && [ ! -L "$old" ] && look "$old" && [ "$(($(date +%s) - when))" -gt 600 ] && rm -f -- "$old"
  done
}
give() {
  mode=$1
  [ -z "$2" ] || cp --attributes-only --preserve=mode,xattr -- "./$3" "$temp" 2>/dev/null || :
  look "$temp" || exit 1
  [ -z "$2" ] || [ "$owner" = "$2" ] || chown "$2" "$temp" 2>/dev/null ||
    { mode=0${mode#?}; chgrp "${2#*:}" "$temp" 2>/dev/null || :; }
  chmod "$mode" "$temp"
}
put_() {
  temp= made= way=
  trap clean EXIT; trap 'exit 1' HUP INT TERM PIPE
  if [ -n "$3" ]; then enter "$1"; unchanged "./$2" "$3"
  else make_way "$1"; [ ! -e "./$2" ] && [ ! -L "./$2" ] || exit 70
  fi
  sweep
  [ -z "$5" ] || umask 077
  set -C; exec 6>"./$7" || exit 1
  set +C; temp=./$7
  [ -z "$3" ] || [ -w "./$2" ] || exit 73
  cat <&5 >&6 || exit 1
  exec 6>&-
  [ "$(($(wc -c <"$temp")))" -eq "$4" ] || exit 75
  [ -z "$5" ] || give "$5" "$6" "$2" || exit 1
  settle "$temp"
  look "$temp" || exit 1
  ours=$id mark=$seen
  if [ -n "$3" ]; then unchanged "./$2" "$3"; mv -f -- "$temp" "./$2" || exit 1
  elif ! ln -- "$temp" "./$2" 2>/dev/null; then
    [ ! -e "./$2" ] && [ ! -L "./$2" ] || exit 70
    mv -n -- "$temp" "./$2" || exit 1
  fi
  look "./$2" && [ "$id" = "$ours" ] || { rm -f -- "./$2/$7"; exit 70; }
  rm -f -- "$temp"
  temp= made=
  settle .
  look "./$2" && [ "$id" = "$ours" ] || seen=$mark
  printf '%s\n' "$seen"
}
remove_() {
  enter "$1"; unchanged "./$2" "$3"
  rm -f -- "./$2" || exit 1
  settle .
}
"""

# Content after a request must never be taken for another request: such a helper exits with its answer.
_LOOP = r"""
while IFS= read -r word <&5 && IFS= read -r request <&5; do
  printf '<%s>' "$word"
  { words=$(exec 2>&1 >&3 3>&-; eval "$request"); status=$?; } 3>&1 </dev/null
  printf '[%s]%s\n%s{%s}' "$word" "$status" "$words" "$word"
  [ "$1" = stay ] || exit 0
done
"""

PROGRAM = _BASICS + _FINDING + _READING + _CHANGING + _LOOP
