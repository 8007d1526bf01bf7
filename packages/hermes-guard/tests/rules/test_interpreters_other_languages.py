"""Less common languages: where their programs take code, and what it would do."""

# ruff: noqa: E501

import pytest

from hermes_guard.guard import Guard

GUARD = Guard()

REFUSED = (
    "xonsh -c 'rm -rf ~'",
    "ipython -c '!rm -rf ~'",
    "pwsh -c 'Remove-Item -Recurse -Force /'",
    'pwsh -Command "Remove-Item -Recurse -Force ~/*"',
    "pwsh -c 'Remove-Item -Path $HOME -Recurse -Force'",
    "pwsh -c Stop-Computer",
    'powershell -Command "Format-Volume -DriveLetter C"',
    "pwsh -c 'Remove-Item C:\\ -Recurse -Force'",
    "fish -c 'rm -rf ~'",
    "nu -c 'rm -rf /'",
    "elvish -c 'rm -rf /'",
    "kotlin -e 'java.io.File(\"/\").deleteRecursively()'",
    'elixir -e \'System.cmd("rm", ["-rf", "/"])\'',
    "ghci -e 'System.Process.callCommand \"rm -rf /\"'",
    "ghc -e 'System.Process.system \"rm -rf /\"'",
    "osascript -l JavaScript -e 'var a=Application.currentApplication();a.includeStandardAdditions=true;a.doShellScript(\"rm -rf ~\")'",
)
DANGEROUS = (
    "xonsh -c 'import shutil; shutil.rmtree(\"src\")'",
    "xonsh -c 'x = $(rm -rf src)'",
    "ipython -c '%rm -rf src'",
    "ipython -c 'import shutil; shutil.rmtree(\"src\")'",
    "pwsh -c 'Remove-Item -Recurse build'",
    "nu -c 'rm -r src'",
    "deno eval 'Deno.removeSync(\"src\",{recursive:true})'",
    "bun -e 'await Bun.$`rm -rf src`'",
    'bun eval \'require("fs").rmSync("src",{recursive:true})\'',
    "kotlin -e 'java.io.File(\"src\").deleteRecursively()'",
    "scala -e 'import sys.process._; \"rm -rf src\".!'",
    "elixir -e 'File.rm_rf!(\"src\")'",
    "elixir -e ':os.cmd(~c\"rm -rf src\")'",
    "erl -noshell -eval 'os:cmd(\"rm -rf src\"), halt().'",
    "erl -eval 'file:del_dir_r(\"src\").' -s init stop",
    "runghc -e 'System.Directory.removeDirectoryRecursive \"src\"'",
    "ghc -e 'System.Directory.removePathForcibly \"src\"'",
    "octave --eval 'system(\"rm -rf src\")'",
    'octave --eval \'rmdir("src","s")\'',
    'clj -e \'(clojure.java.shell/sh "rm" "-rf" "src")\'',
    "bb -e '(babashka.fs/delete-tree \"src\")'",
    "bb -e '(shell \"rm -rf src\")'",
    "racket -e '(system \"rm -rf src\")'",
    "racket -e '(delete-directory/files \"src\")'",
    "guile -c '(system \"rm -rf src\")'",
    "sbcl --eval '(uiop:run-program \"rm -rf src\")'",
    'sbcl --noinform --eval \'(sb-ext:run-program "/bin/rm" (list "-rf" "src"))\' --quit',
    "crystal eval 'system(\"rm -rf src\")'",
    'crystal eval \'require "file_utils"; FileUtils.rm_rf("src")\'',
    'swift -e \'import Foundation; let p = Process(); p.launchPath="/bin/rm"; p.arguments=["-rf","src"]; p.launch()\'',
    "raku -e 'run <rm -rf src>'",
    'raku -e \'run "rm", "-rf", "src"\'',
    "raku -e 'qx{rm -rf src}'",
    'expect -c \'spawn ssh h; expect "$ "; send "rm -rf /srv/app\\r"; interact\'',
    "expect -c 'spawn rm -rf src; expect eof'",
    "expect <<'E'\nspawn sh -c {rm -rf src}\nexpect eof\nE",
    "tclsh <<< 'exec rm -rf src'",
    "tclsh <<< 'file delete -force src'",
)
ORDINARY = (
    "xonsh -c 'ls -la'",
    "xonsh -c 'print(1)'",
    "ipython -c '%time sum(range(10))'",
    "ipython -c '!ls'",
    "ipython -c 'files = !ls'",
    "pwsh -c 'Get-ChildItem'",
    "pwsh -c 'Remove-Item x.tmp'",
    "pwsh -c 'Get-Process | Sort-Object CPU'",
    "nu -c 'ls | where size > 1kb'",
    "swift -e 'print(\"hi\")'",
    "elixir -e 'IO.puts(\"hello\")'",
    "ghc -e 'sum [1..10]'",
    "octave --eval 'disp(1+1)'",
    "racket -e '(displayln \"hi\")'",
    "clj -e '(println (+ 1 2))'",
    "scala -e 'println(\"hi\")'",
    "kotlin -e 'println(1)'",
    "crystal eval 'puts \"hi\"'",
    "raku -e 'say \"hello\"'",
    "raku -e 'say (1..10).sum'",
    "raku -e 'run \"ls\"'",
    "osascript -l JavaScript -e 'Application(\"Finder\").name()'",
    'osascript -e \'display notification "done" with title "build"\'',
    "expect -c 'puts [exec date]'",
    "tclsh <<< 'puts \"hi\"'",
)


@pytest.mark.parametrize("command", REFUSED)
def test_what_ends_everything_is_refused(command: str) -> None:
    assert GUARD.judge(command, home="/home/dev", cwd="/home/dev/project").severity == "refuse"


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_an_attacker_would_try_is_asked_about(command: str) -> None:
    assert GUARD.judge(command, home="/home/dev", cwd="/home/dev/project").severity != "allow"


@pytest.mark.parametrize("command", ORDINARY)
def test_ordinary_work_runs_unasked(command: str) -> None:
    assert GUARD.judge(command, home="/home/dev", cwd="/home/dev/project").severity == "allow"
