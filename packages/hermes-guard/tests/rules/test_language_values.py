"""Computed values in scripts do not hide what the code does."""

import shlex

import pytest

from hermes_guard import judge

REFUSED: dict[str, list[str]] = {
    "perl -e": [
        'my $d="/dev/sda"; system("dd","if=/dev/zero","of=$d")',
        'my $d="/dev/sda"; system("cat x > $d")',
        '$c="reboot"; system("sudo $c")',
        'my $d="sda"; open(my $g,">","/dev/$d")',
        'sub run { system(@_) } run("reboot")',
        'sub run { my ($c, $x) = @_; system($c) } run("reboot")',
        'sub run { my $c = shift; system($c) } run("reboot")',
        'system($_) for ("sync","reboot")',
        'for my $c ("sync","reboot") { system($c) }',
        'system(pack("H*","7265626f6f74"))',
        '$x="/"; system("rm -rf $x")',
        'my $c="rm -rf /"; `$c`',
        'if ($x) { $c="reboot" } else { $c="ls" } system($c)',
        '$c = "rm"; $c .= " -rf /"; system($c)',
        'my @c = ("rm","-rf"); push @c, "/"; system(@c)',
        'my $f = sub { system($_[0]) }; $f->("reboot")',
        'my ($p,@a)=("rm","-rf","/"); system($p,@a)',
        'my @steps=(["ls"],["rm","-rf","/"]); system(@$_) for @steps',
        "foreach my $s (qw(sync reboot)) { system $s }",
        'my %t=(a=>"ls",b=>"reboot"); system($t{b})',
        'my %t=(a=>"ls",b=>"reboot"); system($_) for values %t',
        'my $cmd = join(" ", "rm", "-rf", "/"); exec $cmd',
        'my $d = "sda"; open(my $f, ">", "/dev/${d}") or die; print $f "x"',
        'sub sh { my $c = shift; print "+ $c\\n"; system($c) == 0 or die } sh("sync"); sh("shutdown -h now")',
        'use strict; my $t = "/"; my @cmd = ("rm", "-rf", $t); system(@cmd);',
        'my $x = sprintf("rm -rf %s", "/"); system($x)',
        '$_ = "reboot"; system("sudo $_")',
        'my $c = reverse("toober"); system(scalar reverse "toober")',
        "print `rm -rf $ENV{HOME}`",
        'my $h="$ENV{HOME}"; system("rm -rf $h")',
    ],
    "node -e": [
        'const d="/dev/sda"; require("child_process").execSync(`dd if=/dev/zero of=${d}`)',
        'const d="/dev/sda"; require("fs").writeFileSync(`${d}`,"")',
        'const d="/"; require("child_process").execSync(`rm -rf ${d}`)',
        'const d="sda"; require("fs").openSync(`/dev/${d}`,"w")',
        'const cp=require("child_process"); const sh=(c)=>cp.execSync(c); sh("reboot")',
        'const cp=require("child_process"); function sh(c){ return cp.execSync(c) } sh("reboot")',
        'for (const c of ["ls","reboot"]) require("child_process").execSync(c)',
        '["ls","reboot"].forEach(c => require("child_process").execSync(c))',
        'for (const [c,a] of [["ls",[]],["rm",["-rf","/"]]]) require("child_process").spawnSync(c,a)',
        'eval(atob("cmVxdWlyZSgnY2hpbGRfcHJvY2VzcycpLmV4ZWNTeW5jKCdyZWJvb3QnKQ=="))',
        'const c = x ? "ls" : "reboot"; require("child_process").execSync(c)',
        'const a=["-rf"]; a.push("/"); require("child_process").spawnSync("rm", a)',
        'require("child_process").execSync(["rm","-rf","/"].join(" "))',
        'class R { run(c) { require("child_process").execSync(c) } } new R().run("reboot")',
        'const {spawnSync:s}=require("child_process"); s("rm",["-rf","/"])',
        'const cp=require("child_process"); const run=cp.execSync; run("reboot")',
        (
            'const {exec}=require("child_process"); const {promisify}=require("util"); const '
            'sh=promisify(exec); sh("reboot")'
        ),
        ('const cp=require("child_process"); Object.entries({a:"ls",b:"reboot"}).forEach(([k,v])=>cp.execSync(v))'),
        'const cp=require("child_process"); for (const c of Object.values({a:"ls",b:"reboot"})) cp.execSync(c)',
        'const cp=require("child_process"); const a=["-rf"]; cp.spawnSync("rm",[...a,"/"])',
        (
            'const cp=require("child_process"); async function run(cmd, args=[]) { return cp.spawnSync(cmd, '
            'args) } run("rm", ["-rf","/"])'
        ),
        'const cp=require("child_process"); const o={run(c){cp.execSync(c)}}; o.run("reboot")',
        'const cp=require("child_process"); let c="rm"; c+=" -rf "; c+="/"; cp.execSync(c)',
        'const cp=require("child_process"); const f=()=>"reboot"; cp.execSync(f())',
        'const cp=require("child_process"); cp.execSync(String.fromCharCode(114,101,98,111,111,116))',
        'const cp=require("child_process"); cp.execSync(Buffer.from("7265626f6f74","hex").toString())',
        'const cp=require("child_process"); cp.execSync("toober".split("").reverse().join(""))',
        'const fs=require("fs"); const d="/"; fs.rmSync(d,{recursive:true,force:true})',
        'const fs=require("fs"); const wipe=(p)=>fs.rmSync(p,{recursive:true}); wipe("/")',
        'const os=require("os"),cp=require("child_process"); const h=os.homedir(); cp.execSync(`rm -rf ${h}`)',
        'const cp=require("child_process"); const cfg={disk:"/dev/sda"}; cp.execSync(`mkfs.ext4 ${cfg.disk}`)',
        'const cp=require("child_process"); const [a,b]=["rm -rf","/"]; cp.execSync(`${a} ${b}`)',
        'const cp=require("child_process"); const {cmd}={cmd:"reboot"}; cp.execSync(cmd)',
    ],
    "ruby -e": [
        'd="/dev/sda"; system("dd if=/dev/zero of=#{d}")',
        'c="reboot"; system("sudo #{c}")',
        'def sh(c) = system(c); sh("reboot")',
        'def sh(c)\n  system(c)\nend\nsh "reboot"',
        "%w[sync reboot].each { |c| system(c) }",
        "%w[sync reboot].each do |c| system(c) end",
        "c=%w[rm -rf /]; system(*c)",
        'c = "rm"; c += " -rf /"; system(c)',
        'r = ->(c) { system(c) }; r.call("reboot")',
        'def run(*a) system(*a) end; run("rm","-rf","/")',
        'cmd = ["rm", "-rf", "/"]; system(*cmd)',
        'steps = { sync: "sync", stop: "reboot" }; steps.each { |k, v| system(v) }',
        '[["ls", "-l"], ["rm", "-rf", "/"]].each { |c, *a| system(c, *a) }',
        'd = "sda"; File.open("/dev/#{d}", "w") { |f| f.write("x") }',
        'a, b = "rm -rf", "/"; system("#{a} #{b}")',
        'system(["7265626f6f74"].pack("H*"))',
        'require "base64"; system(Base64.decode64("cmVib290"))',
        'x = "reboot"; `sudo #{x}`',
        'x = "reboot"; %x(sudo #{x})',
        'class S; def go(c); system(c); end; end; S.new.go("reboot")',
        'system("rm -rf %s" % "/")',
        'for c in ["ls","reboot"] do system(c) end',
        'system("toober".reverse)',
    ],
    "php -r": [
        '$d="/dev/sda"; system("dd if=/dev/zero of=$d");',
        '$d="/dev/sda"; system("dd if=/dev/zero of={$d}");',
        'foreach (["ls","reboot"] as $c) { system($c); }',
        'function run($c) { return shell_exec($c); } run("reboot");',
        '$a=["rm","-rf","/"]; system(implode(" ",$a));',
        '$c = "reb"; $c .= "oot"; exec($c);',
        'foreach (["a"=>"ls","b"=>"reboot"] as $k => $v) shell_exec($v);',
        '$f = fn($c) => system($c); $f("reboot");',
        '$f = function($c) { system($c); }; $f("reboot");',
        'class R { function run($c) { return `$c`; } } (new R)->run("reboot");',
        'system(base64_decode("cmVib290"));',
        'system(hex2bin("7265626f6f74"));',
        '$d="/dev/sda"; file_put_contents("$d", "x");',
        'array_map(function($c) { system($c); }, ["ls","reboot"]);',
    ],
    "lua -e": [
        'local c="reboot" os.execute("sudo " .. c)',
        'for _,c in ipairs({"ls","reboot"}) do os.execute(c) end',
        'local function sh(c) os.execute(c) end sh("reboot")',
        'local t = {"ls", "reboot"}; for i, c in ipairs(t) do os.execute(c) end',
        'os.execute(string.format("rm -rf %s", "/"))',
    ],
    "python3 -c": [
        'import os\nif x: c="reboot"\nelse: c="ls"\nos.system(c)',
        'import subprocess\nc=["rm"]; c.append("-rf"); c.append("/")\nsubprocess.run(c)',
        'import subprocess\nT={"a":["ls"],"b":["reboot"]}\nfor n,c in T.items(): subprocess.run(c)',
        'import subprocess\nT={"a":["ls"],"b":["reboot"]}\nsubprocess.run(T[input()])',
        'import os; [os.system(c) for c in ("sync","reboot")]',
        'import os\nclass A:\n    cmd = "reboot"\n    def go(self): os.system(self.cmd)\nA().go()',
        (
            "import os\nclass A:\n    def __init__(self, c): self.c = c\n    def go(self): "
            'os.system(self.c)\nA("reboot").go()'
        ),
        'import subprocess as s; r=lambda *a: s.run(a); r("rm","-rf","/")',
        (
            'import subprocess\ndef sh(*a, sudo=False):\n    cmd = list(a)\n    if sudo: cmd = ["sudo", '
            '*cmd]\n    subprocess.run(cmd)\nsh("reboot", sudo=True)'
        ),
        (
            'import subprocess\nSTEPS = {"one": "ls", "two": "rm -rf /"}\nfor k in STEPS: '
            "subprocess.run(STEPS[k], shell=True)"
        ),
        'import os\nfor d, c in zip(["/", "/tmp/x"], ["rm -rf", "ls"]): os.system(f"{c} {d}")',
        'import os\nfor i, c in enumerate(["ls","reboot"]): os.system(c)',
        'import os\na, *b = ["x"]\ncmd = "reboot" if a else "ls"\nos.system(cmd)',
        'import os\ntry:\n    c = "reboot"\nexcept Exception: pass\nos.system(c)',
        (
            'import subprocess\nclass S:\n    def __init__(self): self.base = ["rm", "-rf"]\n    def go(self, '
            't): subprocess.run(self.base + [t])\nS().go("/")'
        ),
    ],
    "": [
        "node -e \"const {execSync:e}=require('child_process'); e('rm -rf ~')\"",
        "node -e \"import {execSync as e} from 'child_process'; e('rm -rf ~')\"",
        "node -e \"const e=require('child_process').execSync; e('rm -rf ~')\"",
        'awk \'BEGIN{print "rm -rf /" | "sh"}\'',
        "echo / | awk '{system(\"rm -rf \" $1)}'",
        "echo | sed 's/.*/rm -rf \\//e'",
        "awk -v d=sda 'BEGIN{system(\"dd if=/dev/zero of=/dev/\" d)}'",
        "awk -v d=/ 'BEGIN{system(\"rm -rf \" d)}'",
        'awk \'BEGIN{c="reb" "oot"; system(c)}\'',
        "awk 'BEGIN{c=\"reboot\"; c | getline x}'",
        "echo reboot | sed e",
        "echo x | sed 's/x/reboot/e'",
        "sed '1e reboot' f",
        "perl -e 'system(@ARGV)' reboot",
        "perl -e 'system($ARGV[0])' -- reboot",
        "perl -e 'my $c=shift; system(\"rm -rf $c\")' /",
        "ruby -e 'system(*ARGV)' rm -rf /",
        "node -e 'require(\"child_process\").execSync(process.argv[1])' reboot",
        "php -r 'system($argv[1]);' reboot",
        "awk 'BEGIN{f=\"/dev/sda\"; print 1 > f}'",
        "echo 'a:/' | awk -F: '{system(\"rm -rf \" $2)}'",
        (
            "python3 - <<'PY'\nimport subprocess\nclass R:\n    def run(self, argv): "
            'subprocess.run(argv)\nR().run(["reboot"])\nPY'
        ),
        ('python3 - <<\'PY\'\nimport subprocess\nfor n, c in [("a",["ls"]),("b",["reboot"])]: subprocess.call(c)\nPY'),
        (
            "python3 - <<'PY'\nimport subprocess\n\nclass Sys:\n    def __init__(self, sudo=True):\n        "
            'self.sudo = sudo\n\n    def run(self, *cmd):\n        argv = (["sudo"] if self.sudo else []) + '
            "list(cmd)\n        return subprocess.run(argv, check=True)\n\ns = "
            'Sys()\ns.run("sync")\ns.run("reboot")\nPY'
        ),
        "python3 -c 'import os,sys; os.system(sys.argv[1])' reboot",
        "python3 -c 'import subprocess,sys; subprocess.run(sys.argv[1:])' rm -rf /",
        "perl -MMIME::Base64 -e 'system(decode_base64(\"cmVib290\"))'",
        "python3 -c 'from sys import argv\nimport os\nos.system(\" \".join(argv[1:]))' rm -rf /",
        'awk \'BEGIN { cmd = "rm -rf /"; print cmd | "/bin/sh" }\'',
        'awk \'BEGIN { a="re"; b="boot"; system(a b) }\'',
        'awk \'BEGIN { printf "reboot" | "sh" }\'',
        'awk \'BEGIN { "echo reboot" | getline c; system("reboot") }\'',
        "awk -v cmd='reboot' 'BEGIN { system(\"sudo \" cmd) }'",
        "echo 'rm -rf /' | awk '{ print $0 | \"sh\" }'",
        "echo 'rm -rf /' | awk '{ system($0) }'",
        "awk 'BEGIN{system(c)}' c=x; awk -vc=reboot 'BEGIN{system(c)}'",
        "sed -n '1{e reboot\n}' f",
    ],
}


def _commands(table: dict[str, list[str]]) -> list[str]:
    return [f"{start} {shlex.quote(code)}" if start else code for start, codes in table.items() for code in codes]


def _judged(command: str) -> str:
    return judge(command, home="/home/dev", cwd="/home/dev/project").severity


@pytest.mark.parametrize("command", _commands(REFUSED))
def test_values_do_not_hide_a_disaster(command: str) -> None:
    assert _judged(command) == "refuse"
