"""A table of programs that run the command after their options."""

from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.argv.options import Spec
from hermes_guard.shell.command import Elsewhere
from hermes_guard.shell.wrappers.inner_command import posix

#: A word that sets a variable for the command after it.
ASSIGNMENT = re.compile(r"[A-Za-z_][\w%()]*=")


class Kind(NamedTuple):
    """How a program runs its inner command."""

    spec: Spec
    #: Operands before the command.
    skip: int = 0
    #: Options whose value is shell code.
    code: tuple[str, ...] = ()
    #: The command's words are joined and read by a shell, as by ssh and watch.
    joined: bool = False
    as_root: bool = False
    #: `machine` or `container` when the command runs elsewhere.
    elsewhere: Elsewhere = ""
    #: Options with which it runs nothing.
    unless: tuple[str, ...] = ()
    #: Operands of the form NAME=value before the command are its environment.
    environment: bool = False
    #: Operands are not a command; only `code` is.
    only_code: bool = False
    #: Options for the directory to run in.
    folder: tuple[str, ...] = ()


_SUDO = posix(
    "A b E e H h= i K k l n P S s V v B N u= g= p= C= c= D= R= r= t= T= U= a= user= group= prompt= "
    "close-from= chdir= chroot= "
    "role= type= command-timeout= other-user= host= login-class= preserve-env? login shell stdin askpass background "
    "non-interactive set-home list validate version help remove-timestamp reset-timestamp edit bell"
)
_SSH_OPTIONS = (
    "4 6 A a C f G g K k M N n q s T t V v X x Y y B= b= c= D= E= e= F= I= i= J= L= l= m= O= o= P= p= Q= R= S= W= w="
)
_SSH = posix(_SSH_OPTIONS)

#: Wrappers by program. Other wrappers have reader functions in `wrappers`.
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
    "env": Kind(
        posix(
            "i 0 v u= C= S= a= argv0= unset= chdir= split-string= ignore-environment null debug block-signal? "
            "default-signal? ignore-signal? list-signal-handling"
        ),
        code=("S", "split-string"),
        environment=True,
        folder=("C", "chdir"),
    ),
    "timeout": Kind(posix("s= k= v f p signal= kill-after= preserve-status foreground verbose"), skip=1),
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
    "time": Kind(posix("p f= format= o= output= a append v verbose q quiet portability l h V")),
    "command": Kind(posix("p v V"), unless=("v", "V")),
    "builtin": Kind(posix("")),
    "exec": Kind(posix("c l a=")),
    "chroot": Kind(posix("userspec= groups= skip-chdir"), skip=1, elsewhere="container"),
    "unshare": Kind(
        posix(
            "m? u? i? n? p? U? C? T? f r c kill-child? mount-proc? mount-binfmt? map-root-user map-user= map-users= "
            "map-group= map-groups= map-auto map-subids owner= setgroups= propagation= R= w= S= G= l= root= wd= "
            "setuid= setgid= monotonic= boottime= load-interp= fork user? pid? net? mount? uts? ipc? cgroup? time? "
            "keep-caps forward-signals map-current-user"
        )
    ),
    "nsenter": Kind(
        posix(
            "a t= m? u? i? n? p? U? C? T? r? w? W= F S= G= N= Z e c target= all mount? uts? ipc? net? pid? user? "
            "user-parent cgroup? time? root? wd? wdns= setuid= setgid= net-socket= no-fork preserve-credentials "
            "keep-caps follow-context env join-cgroup"
        )
    ),
    "strace": Kind(
        posix(
            "a= b= e= E= I= o= O= p= P= s= S= u= U= X= c C d D f F i k n N q r t T v V w x y Y z Z A h trace= output= "
            "attach= abbrev= verbose= raw= signal= signals= status= read= reads= write= writes= fault= inject= kvm= "
            "quiet? silent? silence? decode-fds? decode-pids= trace-path= string-limit= const-print-style= columns= "
            "detach-on= env= interruptible= user= argv0= summary-sort-by= summary-columns= summary-syscall-overhead= "
            "summary summary-only summary-wall-clock follow-forks output-separately output-append-mode seccomp-bpf "
            "instruction-pointer syscall-number stack-trace? stack-traces? relative-timestamps? absolute-timestamps? "
            "timestamps? syscall-times? no-abbrev strings-in-hex? successful-only failed-only daemonize? debug "
            "pidns-translation secontext? syscall-limit= tips? kill-on-exit arg-names stack-trace-frame-limit="
        )
    ),
    "ltrace": Kind(
        posix(
            "a= A= D= e= F= l= n= o= p= s= u= w= x= X= b c C f i L r S t T V h align= config= debug= library= indent= "
            "output= where= demangle no-signals"
        )
    ),
    "watch": Kind(
        posix(
            "n= interval= d? differences? b beep c color C no-color e errexit g chgexit t no-title p precise q= "
            "equexit= x exec w no-wrap r no-rerun s= shotsdir= f follow h v"
        ),
        joined=True,
    ),
    "xvfb-run": Kind(
        posix(
            "a auto-servernum e= error-file= f= auth-file= l listen-tcp n= server-num= p= xauth-protocol= "
            "s= server-args= w= wait="
        )
    ),
    "chrt": Kind(
        posix(
            "a b d f i m o p r R e v T= P= D= sched-runtime= sched-period= sched-deadline= all-tasks batch deadline "
            "ext fifo idle other rr reset-on-fork max pid verbose"
        ),
        skip=1,
        unless=("p", "m", "pid", "max"),
    ),
    "taskset": Kind(posix("a c p all-tasks cpu-list pid"), skip=1, unless=("p", "pid")),
    "numactl": Kind(
        posix(
            "i= m= N= C= p= P= w= l a s H b all interleave= weighted-interleave= membind= cpunodebind= physcpubind= "
            "preferred= preferred-many= localalloc balancing show hardware length= L= offset= o= shmmode= M= shmid= I= "
            "shm= S= file= f= huge touch strict dump dump-nodes t d D V"
        )
    ),
    "prlimit": Kind(
        posix(
            "p= o= pid= c? d? e? f? i? l? m? n? q? r? s? t? u? v? x? y? nofile? nproc? as? core? cpu? fsize? stack? "
            "data? rss? locks? memlock? msgqueue? nice? rtprio? rttime? sigpending? output= verbose noheadings raw"
        ),
        unless=("p", "pid"),
    ),
    "systemd-run": Kind(
        posix(
            "u= unit= p= property= d same-dir t pty P pipe G collect q quiet E= setenv= uid= gid= nice= "
            "working-directory= slice= description= M= machine= H= host= user system scope wait no-block "
            "on-calendar= on-active= on-boot= on-startup= on-unit-active= on-unit-inactive= on-timezone-change "
            "on-clock-change r remain-after-exit service-type= S shell background= path-property= socket-property= "
            "timer-property= slice-inherit expand-environment= no-ask-password send-sighup json= job-mode= "
            "ignore-failure area= capsule= C= root-directory= v verbose h"
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
    "fakeroot": Kind(posix("l= s= i= b= u lib= faked= unknown-is-real h v")),
    "fakechroot": Kind(posix("s use-system-libs l= lib= d= elfloader= e= environment= c= config-dir= b= bindir= h v")),
    "proot": Kind(posix("r= b= w= R= S= 0 q= k= rootfs= bind= cwd=")),
    "gdb": Kind(
        Spec(
            "args batch ex= eval-command= iex= init-eval-command= x= command= ix= init-command= q p= pid= nx n nh "
            "quiet silent s= symbols= e= exec= se= c= core= cd= d= directory= tui tty= b= l= data-directory= readnow "
            "readnever return-child-result interpreter= i= w nw D= write",
            posix=True,
            single=True,
        ),
        unless=("p", "pid"),
    ),
    "rlwrap": Kind(posix("a? c r f= H=")),
    "pdsh": Kind(posix("w= x= g= l= f= R= b"), joined=True, elsewhere="machine"),
    "pssh": Kind(posix("h= H= l= p= t= o= e= i P"), joined=True, elsewhere="machine"),
    "parallel-ssh": Kind(posix("h= H= l= p= t= o= e= i P"), joined=True, elsewhere="machine"),
    "gosu": Kind(posix(""), skip=1),
    "su-exec": Kind(posix(""), skip=1),
    "setpriv": Kind(
        posix(
            "reuid= regid= ruid= rgid= euid= egid= clear-groups keep-groups init-groups groups= inh-caps= "
            "ambient-caps= bounding-set= no-new-privs nnp reset-env securebits= pdeathsig= selinux-label= "
            "apparmor-profile= landlock-access= landlock-rule= seccomp-filter= ptracer= d dump list-caps"
        )
    ),
    "systemd-cat": Kind(posix("t= identifier= p= priority= stderr-priority= level-prefix= namespace=")),
    "trickle": Kind(posix("s v h V d= u= w= t= l= n= P=")),
    "cpulimit": Kind(posix("l= p= e= P= limit= pid= exe= path= z lazy b background v")),
    "firejail": Kind(posix("quiet noprofile private? net= profile=")),
    "catchsegv": Kind(posix("")),
    "valgrind": Kind(posix("q v d quiet verbose tool? log-file? leak-check? suppressions? xml-file? trace-children?")),
    "hyperfine": Kind(
        Spec(
            "w= warmup= r= runs= m= M= p= prepare= c= cleanup= n= s= setup= i export-json= export-markdown= "
            "style= S= shell= N"
        ),
        joined=True,
        code=("p", "prepare", "c", "cleanup", "s", "setup"),
    ),
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
