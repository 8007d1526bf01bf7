"""A text may stop the containers that it has started."""

import pytest

from hermes_guard import judge

OWN = [
    "docker run -d --name db postgres; pytest; docker stop db",
    "docker run -d --name=db postgres && sleep 5 && docker rm -f db",
    "docker run -d --name db postgres\ntrap 'docker rm -f db' EXIT\npytest",
    "CID=$(docker run -d nginx); curl localhost; docker stop $CID; docker rm $CID",
    "podman run -d --name a x; podman container stop a",
    'docker run -d --name "$NAME" y; docker rm -f "$NAME"',
    "docker compose -f a.yml up -d; pytest; docker compose -f a.yml down",
    "docker compose up -d --wait; docker compose stop",
]
OTHERS = [
    "docker stop db; docker run -d --name db postgres",
    "docker run -d --name db postgres; docker stop web",
    "docker run -d --name db postgres; docker rm -f db web",
    "docker run -d --name db postgres; docker rm -f $(docker ps -aq)",
    "docker run -d --name db postgres; docker stop $X",
    "docker run -d --name db postgres; docker volume rm db",
    "docker run -d --name db postgres; docker rmi db",
    "docker run -d --name db postgres; docker system prune",
    "docker -H tcp://h run -d --name db postgres; docker stop db",
    "docker run -d --name db postgres; podman stop db",
    "docker compose up -d; docker compose down -v",
    "docker compose -f a.yml up -d; docker compose -f b.yml down",
    "docker compose down; docker compose up -d",
    "ssh h docker run -d --name db postgres; docker stop db",
]


@pytest.mark.parametrize("command", OWN)
def test_whoever_made_a_container_may_end_it(command: str) -> None:
    assert judge(command, home="/home/dev").severity == "allow"


@pytest.mark.parametrize("command", OTHERS)
def test_other_containers_are_asked_about(command: str) -> None:
    assert judge(command, home="/home/dev").severity == "ask"
