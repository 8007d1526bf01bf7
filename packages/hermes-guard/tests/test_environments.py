"""Commands that run in a container or on another machine are found and judged."""

import pytest

from hermes_guard import judge
from hermes_guard.shell.reader import read

ASKED = r"""
fly ssh console -C 'rm -rf /data'
fly ssh console -a x -C "sh -c 'rm -rf /data'"
flyctl machine exec 123 'rm -rf /data'
multipass exec vm -- rm -rf /srv/x
wsl rm -rf /mnt/c/Users
wsl -d Ubuntu -e rm -rf x
wsl -- rm -rf x
crictl exec abc rm -rf /data
crictl exec -it abc sh -c 'rm -rf /data'
oc rsh pod rm -rf /data
oc rsh -c app pod rm -rf /data
oc exec pod rm -rf /data
kubectl exec pod rm -rf /data
kubectl exec -it pod -c app -- rm -rf /data
kubectl exec pod -c app rm -rf /data
k exec pod -- rm -rf /data
ctr task exec --exec-id x c rm -rf /data
ctr -n k8s.io t exec -t --exec-id 1 c sh -c 'rm -rf /data'
nomad alloc exec abc rm -rf /data
nomad alloc exec -task web abc rm -rf /data
systemd-nspawn -D /mnt rm -rf /srv
apptainer exec x.sif rm -rf /data
toolbox run rm -rf src
toolbox run -c fed rm -rf src
distrobox enter box -- rm -rf src
devcontainer exec rm -rf src
devcontainer exec --workspace-folder . rm -rf src
limactl shell default rm -rf /data
colima ssh -- rm -rf /data
lima rm -rf src
podman unshare rm -rf src
buildah run c rm -rf /data
buildah run c -- rm -rf /data
docker machine ssh x rm -rf /data
docker-machine ssh x 'rm -rf /data'
podman machine ssh rm -rf /data
machinectl shell web /bin/rm -rf /data
gcloud compute ssh vm --zone z --command='rm -rf /srv/x'
gcloud compute ssh vm -- 'rm -rf /srv/x'
minikube ssh -- sudo rm -rf /data
minikube ssh 'rm -rf /data'
minikube kubectl -- exec pod -- rm -rf /data
k3s kubectl exec pod -- rm -rf /data
heroku run -a x rails db:drop
heroku ps:exec -a x -- rm -rf /app/x
cf ssh app -c 'rm -rf /data'
eb ssh -c 'rm -rf /data'
copilot svc exec -n api -c 'rm -rf /data'
doctl compute ssh web --ssh-command 'rm -rf /data'
hcloud server ssh web rm -rf /data
platform ssh -e main 'rm -rf /data'
tsh ssh root@web rm -rf /data
juju ssh app/0 'rm -rf /data'
juju exec --all 'rm -rf /data'
sky exec c 'rm -rf /data'
pct exec 101 -- rm -rf /data
qm guest exec 101 -- rm -rf /data
kamal app exec 'rm -rf /data'
ddev exec rm -rf web
lando ssh -c 'rm -rf /app'
flatpak-spawn --host rm -rf src
okteto exec -- rm -rf /data
runc exec web rm -rf /data
jexec web rm -rf /data
dokku run app rm -rf /data
podman-remote exec c rm -rf /data
finch run alpine rm -rf /data
railway run rm -rf src
railway ssh rm -rf /data
modal shell -c 'rm -rf /data'
rdctl shell rm -rf /data
prlctl exec vm rm -rf /data
orb run -m u rm -rf /data
"""
#: What shares the root or the home of this machine, or is a machine of its own.
REFUSED = r"""
multipass exec vm -- rm -rf /
systemd-nspawn -D / rm -rf /
systemd-nspawn --directory=/ -- rm -rf /etc
apptainer exec x.sif rm -rf ~
singularity exec --nv x.sif rm -rf /home/u
toolbox run rm -rf ~
distrobox enter box -- rm -rf ~
podman unshare rm -rf /
machinectl shell .host /bin/rm -rf /
flatpak-spawn --host rm -rf /
"""
ALLOWED = r"""
fly ssh console -C 'ls /data'
fly ssh console
multipass exec vm -- ls -la
multipass shell vm
wsl ls -la
wsl --list --verbose
wsl -d Ubuntu -- make test
crictl exec -it abc ls
oc rsh pod ls -l
oc rsh pod
kubectl exec pod -c app ls -la
ctr -n k8s.io t exec -t --exec-id 1 c sh
nomad alloc exec -task web abc cat /x
systemd-nspawn -D /mnt ls
systemd-nspawn -bD /mnt
singularity exec --nv -B /data:/data x.sif python train.py
apptainer run x.sif
toolbox run -c fed make test
toolbox enter
distrobox enter box -- make
distrobox enter box
devcontainer exec --workspace-folder . npm test
devcontainer up --workspace-folder .
limactl shell default uname -a
colima ssh -- df -h
lima uname -a
podman unshare cat /proc/self/uid_map
buildah run c -- make install
docker-machine ssh x uptime
gcloud compute ssh vm -- -L 8080:localhost:80
gcloud compute ssh vm --command uptime
minikube ssh -- ls
minikube kubectl -- get pods
heroku run -a x rails console
heroku run bash
cf ssh app -c 'ls'
copilot svc exec -n api -c 'ls'
tsh ssh root@web uptime
sky exec c python train.py
kamal app exec 'bin/rails runner x'
ddev exec php -v
flatpak-spawn --host git status
"""


@pytest.mark.parametrize("command", ASKED.strip().splitlines())
def test_what_is_deleted_there_is_asked_about(command: str) -> None:
    assert judge(command, home="/home/u").severity == "ask"


@pytest.mark.parametrize("command", REFUSED.strip().splitlines())
def test_the_root_and_the_home_are_never_wiped(command: str) -> None:
    assert judge(command, home="/home/u").severity == "refuse"


@pytest.mark.parametrize("command", ALLOWED.strip().splitlines())
def test_ordinary_commands_run_there_unasked(command: str) -> None:
    assert judge(command, home="/home/u").severity == "allow"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("multipass exec vm -- ls -la", ("ls", "-la")),
        ("oc rsh -c app pod ls -l", ("ls", "-l")),
        ("ctr -n x task exec --exec-id 1 c ls", ("ls",)),
        ("kubectl exec pod -c app ls -la", ("ls", "-la")),
        ("limactl shell --workdir /x default make test", ("make", "test")),
        ("distrobox enter box -e make test", ("make", "test")),
        ("gcloud compute ssh vm --zone z --command='make test'", ("make", "test")),
        ("minikube kubectl -- exec pod -- ls", ("ls",)),
        ("heroku run -a x 'make test'", ("make", "test")),
        ("heroku run rails runner 'a | b'", ("rails", "runner", "a | b")),
        ("balena device ssh x make", ("make",)),
    ],
)
def test_the_command_inside_is_read_with_its_own_options(command: str, words: tuple[str, ...]) -> None:
    assert words in [found.texts for found in read(command).commands]
