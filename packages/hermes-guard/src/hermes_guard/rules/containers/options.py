"""Option tables of Docker and compatible programs."""

from hermes_guard.argv import Options, Spec, parse_words

DOCKER = Spec(
    "H= host= c= context= config= D debug l= log-level= tls tlscacert= tlscert= tlskey= tlsverify n= "
    "namespace= a= address= root= runroot= storage-driver= storage-opt= remote r url= connection= identity= "
    "help v version",
    posix=True,
)
COMPOSE = Spec(
    "f= file= p= project-name= profile= env-file= project-directory= ansi= progress= parallel= compatibility "
    "dry-run H= host= c= context= verbose no-ansi podman-args= help version",
    posix=True,
)
RUN = Spec(
    "d detach e= env= env-file= i interactive t tty privileged? u= user= w= workdir= detach-keys= index= T "
    "no-TTY rm a= attach= add-host= annotation= blkio-weight= cap-add= cap-drop= "
    "cgroup-parent= cgroupns= cidfile= cpu-shares= c= cpus= cpuset-cpus= device= device-cgroup-rule= "
    "disable-content-trust? dns= dns-search= dns-option= domainname= entrypoint= expose= gpus= group-add= "
    "health-cmd= health-interval= health-retries= health-timeout= health-start-period= h= hostname= init ip= "
    "ip6= ipc= isolation= l= label= label-file= link= log-driver= log-opt= m= memory= memory-swap= "
    "memory-reservation= mount= name= net= network= network-alias= no-healthcheck oom-kill-disable pid= "
    "pids-limit= platform= P publish-all p= publish= pull= q quiet read-only restart= runtime= "
    "security-opt= shm-size= sig-proxy? stop-signal= stop-timeout= storage-opt= sysctl= tmpfs= ulimit= "
    "userns= uts= v= volume= volume-driver= volumes-from= replace pod= build no-deps "
    "service-ports use-aliases remove-orphans secret= arch= os= tls-verify? authfile= rootfs systemd= "
    "timezone= umask= uidmap= gidmap= help",
    posix=True,
)
#: Options that may follow any other verb.
REST = Spec(
    "f force a all v volumes rmi= t= timeout= s= signal= time= help push load output= o= filter= n dry-run "
    "images q replicas= availability= file= tag= platform= build-arg= no-cache p= project= allow= "
    "grant-all-permissions alias= d V renew-anon-volumes restart="
)


def past_unknown(options: Options, spec: Spec) -> Options:
    """Return the options without unknown words before the verb, as in `docker $HOST rm`."""
    while len(options.operands) > 1 and options.operands[0].splits:
        options = parse_words(options.operands[1:], spec)
    return options


def targets(options: Options, start: int = 1) -> str:
    """Return the operands that name the targets."""
    return " ".join(word.text for word in options.operands[start : start + 6])[:100]
