"""Programs that run the command behind their options: one line each."""

import re
from typing import NamedTuple

from hermes_guard.argv.options import Spec
from hermes_guard.shell.command import Elsewhere
from hermes_guard.shell.inner import posix

#: A word before a command that sets a variable for it.
ASSIGNMENT = re.compile(r"[A-Za-z_][\w%()]*=")


class Kind(NamedTuple):
    """How one program wraps."""

    spec: Spec
    #: Operands before the command.
    skip: int = 0
    #: Options whose value is shell code.
    code: tuple[str, ...] = ()
    #: The command's words are joined and read by a shell, as ssh and watch do.
    joined: bool = False
    as_root: bool = False
    #: `machine` or `container` when it runs there.
    elsewhere: Elsewhere = ""
    #: With one of these options it runs nothing.
    unless: tuple[str, ...] = ()
    #: Operands of the form NAME=value before the command are its environment.
    environment: bool = False
    #: Its operands are no command; only `code` is.
    only_code: bool = False
    #: Options that name the folder to run in.
    folder: tuple[str, ...] = ()


_SUDO = posix(
    "A b E e H h? i K k l n P S s V v B N u= g= p= C= c= D= R= r= t= T= U= a= user= group= prompt= "
    "close-from= chdir= chroot= "
    "role= type= command-timeout= other-user= host= login-class= preserve-env? login shell stdin askpass background "
    "non-interactive set-home list validate version help remove-timestamp reset-timestamp edit bell"
)
_SSH_OPTIONS = (
    "4 6 A a C f G g K k M N n q s T t V v X x Y y B= b= c= D= E= e= F= I= i= J= L= l= m= O= o= P= p= Q= R= S= W= w="
)
_SSH = posix(_SSH_OPTIONS)

#: Wrappers by program. What is not named here and runs commands is read by functions of `wrappers`.
WRAPPERS: dict[str, Kind] = {
    "sudo": Kind(
        _SUDO,
        as_root=True,
        environment=True,
        unless=("l", "list", "V", "version", "v", "validate", "help", "e", "edit"),
        folder=("D", "chdir"),
    ),
    "doas": Kind(posix("n s L u= C= a="), as_root=True, unless=("C", "L")),
    "pkexec": Kind(posix("user= disable-internal-agent version help"), as_root=True),
    "su": Kind(
        Spec(
            "c= command= session-command= l login m p preserve-environment s= shell= g= group= G= "
            "supp-group= f fast P pty w="
        ),
        code=("c", "command", "session-command"),
        only_code=True,
        as_root=True,
    ),
    "runuser": Kind(
        posix("c= command= u= user= l login s= shell= g= group= m p f"), code=("c", "command"), as_root=True
    ),
    "env": Kind(
        posix("i 0 v u= C= S= unset= chdir= split-string= ignore-environment null debug"),
        code=("S", "split-string"),
        environment=True,
        folder=("C", "chdir"),
    ),
    "timeout": Kind(posix("s= k= v signal= kill-after= preserve-status foreground verbose"), skip=1),
    "gtimeout": Kind(posix("s= k= v signal= kill-after= preserve-status foreground verbose"), skip=1),
    "nice": Kind(Spec("n= adjustment=", posix=True, numeric=True)),
    "ionice": Kind(posix("c= n= p= t class= classdata= pid= ignore P= u="), unless=("p", "pid")),
    "nohup": Kind(posix("help version")),
    "setsid": Kind(posix("c f w ctty fork wait")),
    "stdbuf": Kind(posix("i= o= e= input= output= error=")),
    "unbuffer": Kind(posix("p")),
    "script": Kind(
        Spec("c= command= a append e return f flush q quiet t? I= O= B= T= m= E="),
        code=("c", "command"),
        only_code=True,
    ),
    "flock": Kind(
        posix(
            "c= command= s shared x e exclusive u unlock n nb nonblock w= wait= timeout= E= "
            "conflict-exit-code= o close F no-fork v"
        ),
        skip=1,
        code=("c", "command"),
    ),
    "time": Kind(posix("p f= format= o= output= a append v verbose q quiet l h")),
    "command": Kind(posix("p v V"), unless=("v", "V")),
    "builtin": Kind(posix("")),
    "exec": Kind(posix("c l a=")),
    "chroot": Kind(posix("userspec= groups= skip-chdir"), skip=1, elsewhere="container"),
    "unshare": Kind(
        posix(
            "m? u? i? n? p? U? C? T? f r c kill-child? mount-proc? map-root-user map-user= map-group= "
            "setgroups= propagation= R= w= S= G= root= wd= fork user? pid? net? mount? uts? ipc? "
            "map-current-user"
        )
    ),
    "nsenter": Kind(
        posix(
            "a t= m? u? i? n? p? U? C? T? r? w? W= F S= G= Z target= all mount? uts? ipc? net? pid? user? "
            "cgroup? root? wd? no-fork preserve-credentials"
        )
    ),
    "setarch": Kind(posix("B F I L R S T X Z v 3 uname-2.6 addr-no-randomize"), skip=1),
    "linux32": Kind(posix("R v")),
    "linux64": Kind(posix("R v")),
    "strace": Kind(
        posix(
            "a= b= e= E= I= o= O= p= P= s= S= u= U= X= c C d D f F i k n q r t T v V w x y z Z trace= output= attach="
        )
    ),
    "ltrace": Kind(posix("a= A= D= e= F= l= n= o= p= s= u= w= x= X= b c C f i L r S t T V")),
    "watch": Kind(
        posix("n= interval= d? differences? b beep c color C e errexit g chgexit t no-title p precise q= x exec w r"),
        joined=True,
    ),
    "xvfb-run": Kind(
        posix(
            "a auto-servernum e= error-file= f= auth-file= l listen-tcp n= server-num= p= xauth-protocol= "
            "s= server-args= w= wait="
        )
    ),
    "chrt": Kind(posix("a b d f i m o p r R v T= P= D="), skip=1, unless=("p", "m")),
    "taskset": Kind(posix("a c p all-tasks cpu-list pid"), skip=1, unless=("p", "pid")),
    "numactl": Kind(
        posix("i= m= N= C= p= l a s H interleave= membind= cpunodebind= physcpubind= preferred= localalloc")
    ),
    "prlimit": Kind(
        posix(
            "p= o= pid= c? d? e? f? i? l? m? n? q? r? s? t? u? v? x? y? nofile? nproc? as? core? cpu? "
            "fsize? stack? verbose noheadings raw"
        ),
        unless=("p", "pid"),
    ),
    "systemd-run": Kind(
        posix(
            "u= unit= p= property= d same-dir t pty P pipe G collect q quiet E= setenv= uid= gid= nice= "
            "working-directory= slice= description= M= machine= H= host= user system scope wait no-block "
            "on-calendar= on-active= on-boot= r remain-after-exit service-type= S shell background="
        )
    ),
    "systemd-inhibit": Kind(posix("what= who= why= mode= list no-pager")),
    "caffeinate": Kind(posix("d i m s u t= w=")),
    "proxychains": Kind(posix("q f=")),
    "proxychains4": Kind(posix("q f=")),
    "torsocks": Kind(posix("i a= P= u= p= q d")),
    "torify": Kind(posix("v")),
    "tsocks": Kind(posix("")),
    "dbus-run-session": Kind(posix("config-file= dbus-daemon=")),
    "dbus-launch": Kind(posix("exit-with-session sh-syntax")),
    "faketime": Kind(posix("m f p exclude-monotonic"), skip=1),
    "fakeroot": Kind(posix("l= s= i= b= u lib= faked=")),
    "proot": Kind(posix("r= b= w= R= S= 0 q= k= rootfs= bind= cwd=")),
    "gdb": Kind(posix("args batch ex= x= q p= nx quiet"), unless=("p",)),
    "rlwrap": Kind(posix("a? c r f= H=")),
    "pdsh": Kind(posix("w= x= g= l= f= R= b"), joined=True, elsewhere="machine"),
    "pssh": Kind(posix("h= H= l= p= t= o= e= i P"), joined=True, elsewhere="machine"),
    "parallel-ssh": Kind(posix("h= H= l= p= t= o= e= i P"), joined=True, elsewhere="machine"),
    "gosu": Kind(posix(""), skip=1),
    "su-exec": Kind(posix(""), skip=1),
    "setpriv": Kind(
        posix("reuid= regid= clear-groups init-groups groups= inh-caps= bounding-set= no-new-privs reset-env")
    ),
    "capsh": Kind(posix("c="), code=("c",), only_code=True),
    "cpulimit": Kind(posix("l= p= e= P= limit= pid= exe= path= z lazy b background v")),
    "firejail": Kind(posix("quiet noprofile private? net= profile=")),
    "catchsegv": Kind(posix("")),
    "valgrind": Kind(posix("q v")),
    "perf": Kind(posix("e= o= a g F= p= r="), skip=1),
    "hyperfine": Kind(
        Spec(
            "w= warmup= r= runs= m= M= p= prepare= c= cleanup= n= s= setup= i export-json= export-markdown= "
            "style= S= shell= N"
        ),
        joined=True,
        code=("p", "prepare", "c", "cleanup", "s", "setup"),
    ),
    "entr": Kind(posix("a c d n p r s z")),
    "chronic": Kind(posix("v e")),
    "sg": Kind(posix("c="), skip=1, code=("c",), joined=True),
    "newgrp": Kind(posix(""), only_code=True),
    "ssh": Kind(_SSH, skip=1, joined=True, elsewhere="machine"),
    "autossh": Kind(posix(_SSH_OPTIONS + " M="), skip=1, joined=True, elsewhere="machine"),
    "mosh": Kind(posix("ssh= p= port= predict="), skip=1, elsewhere="machine"),
    "vagrant": Kind(Spec("c= command= p plain"), code=("c", "command"), only_code=True, elsewhere="machine"),
    "dotenv": Kind(posix("f= file= e=")),
    "nix-shell": Kind(
        Spec("run= command= p= packages= I= A= attr= E= expr= arg= argstr= pure"),
        code=("run", "command"),
        only_code=True,
    ),
    "cross-env": Kind(posix(""), environment=True),
    "env-cmd": Kind(posix("f= file= e= environments= r= rc-file= x silent verbose no-override"), environment=True),
    "envchain": Kind(posix(""), skip=1),
    "spring": Kind(posix(""), environment=True),
    "direnv": Kind(posix(""), skip=2),
}
WRAPPERS["ssh-agent"] = Kind(posix("a= c D d E= k O= P= s T t="), unless=("k",))
WRAPPERS["sshpass"] = Kind(posix("p= f= d= e v P="))
WRAPPERS["nocache"] = WRAPPERS["eatmydata"] = WRAPPERS["ltrace"]._replace(spec=posix(""))
