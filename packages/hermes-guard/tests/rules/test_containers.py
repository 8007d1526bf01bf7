"""Containers and virtual machines: the spellings an attacker would try, and a day of ordinary commands."""

import pytest

from hermes_guard.guard import Guard
from hermes_guard.rules.containers import FAMILY

GUARD = Guard()
OWN = {rule.id for rule in FAMILY.rules}

STOPS = (
    "docker $HOST rm -f web",
    "docker compose $FILES down",
    "docker stop $(docker ps -q)",
    "docker --host=ssh://h stop web",
    "docker --log-level debug container kill x",
    "sudo docker restart web",
    "docker ps -q | xargs docker stop -t 1",
    "docker compose --profile x -f a.yml -f b.yml -p n down --remove-orphans",
    "docker-compose --file a.yml restart db",
    "docker --context prod compose kill",
    "podman pod stop p",
    "nerdctl -n k8s.io kill x",
    "docker service scale web=0",
    "docker node update --availability drain n1",
    "podman-compose down",
)
DELETES = (
    "docker rm -fv a b",
    "docker container prune --force",
    "docker rmi $(docker images -q)",
    "docker image rm -f x",
    "docker volume prune -af",
    "docker system prune --all --volumes -f",
    "docker compose down --volumes --rmi all",
    "docker-compose rm -sf",
    "docker buildx prune -f",
    "docker builder prune",
    "docker network prune",
    "docker stack rm prod",
    "docker service rm web",
    "docker swarm leave -f",
    "docker secret rm s",
    "docker context rm c",
    "podman system reset -f",
    "buildah rm --all",
    "ctr -n k8s.io images rm x",
    "crictl rmp -f x",
)
ESCAPES = (
    "docker run --rm -it --privileged alpine sh",
    "docker run --privileged=true x",
    "docker run -v=/:/mnt x",
    "docker run --volume /etc:/e x",
    "docker run --volume=/root:/r x",
    "docker run --mount type=bind,src=/,dst=/host x",
    "docker run -v $HOME:/h x",
    "docker run -v /home/u/.aws:/a x",
    "docker run --pid host x",
    "docker run --cap-add=CAP_SYS_ADMIN x",
    "docker run --security-opt=apparmor:unconfined x",
    "docker run --security-opt label=disable x",
    "docker container run --userns=host x",
    "podman run --device /dev/nvme0n1 x",
    "nerdctl run --privileged x",
    "docker -H tcp://h:2375 run -v /:/x y",
    "docker run -dv /var/run/docker.sock:/s x",
    "docker exec -it --privileged c bash",
    "docker create --pid=host x",
    "docker-compose run --volume /:/x app sh",
)
MACHINES = (
    "virsh destroy vm",
    "virsh snapshot-delete vm s1",
    "VBoxManage controlvm x poweroff",
    "vagrant destroy -f",
    "multipass delete --all --purge",
    "limactl stop -f default",
    "qm destroy 100",
    "prlctl delete vm",
    "wsl --terminate Ubuntu",
    "minikube stop",
    "xe vm-shutdown uuid=x",
    "virsh managedsave vm",
    "utmctl stop vm",
    "vagrant destroy --force web",
    "vagrant halt",
    "virsh --connect qemu:///system destroy vm",
    "virsh undefine vm --remove-all-storage",
    "multipass delete --purge vm",
    "multipass purge",
    "kind delete cluster --name x",
    "minikube -p x delete",
    "k3d cluster delete --all",
    "incus delete -f c",
    "VBoxManage controlvm vm poweroff",
    "VBoxManage snapshot vm delete s",
    "colima delete",
    "limactl delete -f x",
    "qm stop 100",
    "pct destroy 101",
    "k3s-uninstall.sh",
    "machinectl terminate x",
)
PUBLISHES = (
    "docker push ghcr.io/o/x:1",
    "podman push x",
    "docker buildx build --platform linux/amd64 --push -t o/x .",
    "crane push x.tar h/x",
    "skopeo copy docker://a docker://b",
)
ORDINARY = (
    "docker ps -a",
    "docker images",
    "docker build -t x --build-arg A=b .",
    "docker buildx build --load -t x .",
    "docker run --rm -it -v $(pwd):/w -w /w node:20 npm test",
    'docker run --rm -v "$PWD":/app img pytest',
    "docker run -d --name db -e POSTGRES_PASSWORD=x -p 5432:5432 postgres:16",
    "docker run --rm --network host curlimages/curl http://localhost",
    "docker run --gpus all --ipc=host --shm-size 8g pytorch python train.py",
    "docker run --restart unless-stopped -d nginx",
    "docker run --cap-add NET_ADMIN vpn",
    "docker run --cap-drop ALL x",
    "docker run --user 1000:1000 --read-only x",
    "docker run -v cache:/root/.cache x",
    "docker run --stop-timeout 5 x",
    "docker run x stop",
    "docker exec -it db psql -U app -c 'select 1'",
    "docker exec web ls /",
    "docker logs -f --tail 100 web",
    "docker inspect web",
    "docker compose up -d --build",
    "docker compose -f dev.yml logs -f web",
    "docker compose exec web sh",
    "docker compose run --rm web pytest",
    "docker compose config",
    "docker compose pull",
    "docker-compose build --no-cache",
    "docker cp web:/app/x .",
    "docker tag a b",
    "docker pull alpine",
    "docker volume create v",
    "docker network ls",
    "docker system df",
    "docker stats --no-stream",
    "docker start web",
    "docker top web",
    "docker history x",
    "docker save x | gzip > x.tgz",
    "docker context use default",
    "docker login ghcr.io",
    "docker stop --help",
    "podman ps",
    "vagrant up",
    "vagrant status",
    "virsh list",
    "multipass launch",
    "kind create cluster",
    "kind load docker-image x",
    "minikube start",
    "limactl list",
)


@pytest.mark.parametrize("command", [*STOPS, *DELETES, *ESCAPES, *MACHINES, *PUBLISHES])
def test_stops_deletes_and_escapes_are_asked_about(command: str) -> None:
    assert not GUARD.judge(command, home="/home/u").allowed


@pytest.mark.parametrize("command", ORDINARY)
def test_ordinary_commands_run_unasked(command: str) -> None:
    assert not OWN & set(GUARD.judge(command, home="/home/u").rules)


@pytest.mark.parametrize("command", [command for rule in FAMILY.rules for command in rule.not_match])
def test_the_family_leaves_its_counterexamples_alone(command: str) -> None:
    assert not OWN & set(GUARD.judge(command, home="/home/u").rules)
