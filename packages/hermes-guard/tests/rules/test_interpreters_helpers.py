"""Functions that Python code defines and calls."""

import pytest

from hermes_guard import judge

RUN = "import subprocess\ndef run(*args, **kw):\n    return subprocess.run(args, **kw)\n"
SH = "import subprocess\ndef sh(cmd, **kw):\n    return subprocess.run(cmd, shell=True, **kw)\n"
GIT = "import subprocess\ndef git(args): return subprocess.run(['git'] + args)\n"

ALLOWED = [
    RUN + "run('ls')",
    RUN + "head = run('git', 'rev-parse', 'HEAD', check=True).stdout\nfor f in x: run('python', '-m', 'py_compile', f)",
    RUN + "def main():\n    run('ls')\nmain()",
    SH + "sh('ls -la')\nsh('git status', check=True)",
    SH + "for c in ('ls', 'pwd'): sh(c)",
    GIT + "names = git(['diff', '--name-only', 'main'])",
    "import os\ndef sh(c='ls'): os.system(c)\nsh()",
    "import subprocess\nsh = lambda c: subprocess.run(c, shell=True)\nsh('ls')",
    "import asyncio\nasync def run(name, *argv):\n    await asyncio.create_subprocess_exec(*argv)\n"
    "async def main():\n    await run('unit', 'pytest', '-q')\nasyncio.run(main())",
]
REFUSED = [
    RUN + "run('rm', '-rf', '/')",
    SH + "sh('ls')\nsh('rm -rf /')",
    "import subprocess\ndef run(*a, **kw): return subprocess.run(*a, **kw)\nrun('rm -rf /', shell=True)",
    "import os\ndef f(p): os.system(f'rm -rf {p}')\nf(p='/')",
    "import os\ndef f(c='rm -rf /'): os.system(c)\nf()",
    "import os\ndef b(c): os.system(c)\ndef a(c): b(c)\na('rm -rf /')",
    "import os\nf = lambda c: os.system(c)\nf('rm -rf /')",
    "import os\ndef f(): os.system('rm -rf /')",
]
ASKED = [
    SH,
    SH + "sh(input())",
    SH + "sh('ls'); g = sh; g(input())",
    SH + "sh('ls'); list(map(sh, x))",
    SH + "sh('ls'); sh(*x)",
    SH + "sh('ls'); sh(**x)",
    SH + "sh('ls'); globals()['sh'](x)",
    SH + "def sh(cmd): pass\nsh('ls')",
    "import subprocess\ndef sh(c):\n  subprocess.run(c, shell=True)\n  sh(c + x())\nsh('ls')",
    "import subprocess\nclass A:\n  def sh(self, c): subprocess.run(c, shell=True)\nA().sh(input())\nsh('ls')",
    "import subprocess\n@app.command\ndef sh(c): subprocess.run(c, shell=True)\nsh('ls')",
    SH + "sh('ls')\n" * 2_000,
]


def _judged(code: str) -> str:
    return judge(f"python3 <<'PY'\n{code}\nPY\n", home="/home/dev").severity


@pytest.mark.parametrize("code", ALLOWED)
def test_a_helper_that_is_given_harmless_words_runs_unasked(code: str) -> None:
    assert _judged(code) == "allow"


@pytest.mark.parametrize("code", REFUSED)
def test_a_helper_does_not_hide_what_it_is_given(code: str) -> None:
    assert _judged(code) == "refuse"


@pytest.mark.parametrize("code", ASKED, ids=range(len(ASKED)))
def test_a_helper_that_may_be_given_anything_is_a_question(code: str) -> None:
    assert _judged(code) == "ask"


@pytest.mark.parametrize(
    "code",
    [
        "const cp=require('child_process'); cp.execSync('ls'); console.log(/a(b)/.exec('ab'))",
        "const cp=require('child_process'); const m = RegExp('x').exec(cp.execSync('git log').toString())",
        "const cp=require('child_process'); const m = new RegExp('x', 'g').exec(cp.execSync('git log'))",
    ],
)
def test_a_pattern_of_node_starts_no_program(code: str) -> None:
    assert judge(f'node -e "{code}"', home="/home/dev").severity == "allow"
