"""Function names that matter to the reader, by what they do."""

from hermes_guard import lazy_re as re
from hermes_guard.name_sets import names

#: Functions whose first argument is shell code.
SHELL = names(
    """
    os.system os.popen os.popen2 os.popen3 os.popen4 subprocess.getoutput subprocess.getstatusoutput
    commands.getoutput commands.getstatusoutput popen2.popen2 popen2.popen3 popen2.popen4
    asyncio.create_subprocess_shell platform.popen os.startfile
    """
)
PROCESS = names(
    """
    subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen pty.spawn
    pexpect.spawn pexpect.run asyncio.create_subprocess_exec
    """
)
EXEC = re.compile(r"os\.(?:exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?)\Z")
TREES = frozenset(["shutil.rmtree", "os.removedirs", "distutils.dir_util.remove_tree"])
FILES = frozenset(["os.remove", "os.unlink"])
EVAL = frozenset(["exec", "eval", "compile", "execfile"])
#: Functions that run the code in their first argument, and the index of the setup code.
CODE_RUNNERS: dict[str, int | None] = {
    **dict.fromkeys(
        [
            "cProfile.run",
            "cProfile.runctx",
            "profile.run",
            "profile.runctx",
            "pdb.run",
            "pdb.runeval",
            "bdb.Bdb.run",
            "code.interact",
            "builtins.exec",
            "trace.Trace.run",
        ],
        None,
    ),
    "timeit.timeit": 1,
    "timeit.repeat": 1,
    "timeit.Timer": 1,
}
#: Functions that write a file, and the index of its path.
TARGETS: dict[str, int] = {
    "shutil.copy": 1,
    "shutil.copy2": 1,
    "shutil.copyfile": 1,
    "shutil.copytree": 1,
    "shutil.move": 1,
    "os.rename": 1,
    "os.replace": 1,
    "os.symlink": 1,
    "os.link": 1,
    "os.mkfifo": 0,
    "os.mknod": 0,
    "urllib.request.urlretrieve": 1,
    "urllib.urlretrieve": 1,
    "wget.download": 1,
}
NETWORK = re.compile(
    r"(?:urllib2?(?:\.request)?\.(?:urlopen|urlretrieve|Request)|requests\.(?:get|post|request|put|Session)|"
    r"httpx\.(?:get|post|stream|Client)"
    r"|aiohttp\.ClientSession|urllib3\.PoolManager|http\.client\.HTTPS?Connection|wget\.download|ftplib\.FTP)\Z"
)
ACTING = SHELL | PROCESS | TREES | FILES
#: Functions that return several files.
BULK = frozenset({"glob", "rglob", "iglob", "listdir", "scandir", "walk", "iterdir", "iter_child"})
