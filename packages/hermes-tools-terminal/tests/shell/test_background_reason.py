"""Servers are sent to the background; ordinary commands are not held back."""

from __future__ import annotations

import pytest

from hermes_tools_terminal.shell.command_checks import background_reason

ORDINARY = r"""
ls -la
git status
git commit -m "start the server &"
git commit -m 'a & b'
git log --oneline | head -5
grep -rn nohup .
grep -c '&' file
echo "&"
echo 'it ends with &'
echo done # not &
man nohup
which uvicorn
pip install uvicorn gunicorn
npm install
npm ci
npm test
npm run build
npm run lint
npm run test -- --watch=false
npx tsc --noEmit
npx vite build
npx --version
yarn
yarn install --frozen-lockfile
yarn build
yarn add next
pnpm install
bun test
vite build
vite --version
next build
next lint
flask --version
flask db upgrade
rails db:migrate
ng build
uvicorn --help
gunicorn --check-config app:app
docker compose up -d
docker compose up --build --detach
docker compose down
docker compose logs web
docker-compose ps
docker build .
python -m http.server --help
python3 -m pytest -q
python3 -m venv .venv
python -m uvicorn --version
timeout 5 npm run dev
timeout 10 python3 -m http.server 8000
uvicorn app:app & sleep 2; curl -s localhost:8000; kill %1
python3 -m http.server 8000 & PID=$!; curl localhost:8000; kill $PID
pkill -f uvicorn
kill $(pgrep gunicorn)
make -j4 & wait
sleep 1 & sleep 2 & wait
cat server.py
sed -i 's/dev/start/' package.json
cargo build --release
go test ./...
if ! command -v vite; then echo none; fi
cat <<EOF > run.sh
tail -n 5 nohup.out
find . -name '*.next' -print
awk '{ print $1 }' server.log && true
""".strip().split("\n")

HELD = [
    "npm run dev",
    "npm start",
    "yarn dev",
    "cd web && pnpm dev",
    "PORT=3000 npm run start",
    "npx vite",
    "uvicorn app:app",
    "/usr/bin/gunicorn app",
    "flask run",
    "next dev",
    "docker compose up",
    "docker compose up --build",
    "docker-compose up",
    "python3 -m http.server",
    "python3.12 -m uvicorn app:app",
    "sleep 100 &",
    "nohup ./run",
    "setsid ./run",
    "./run & disown",
    "echo one\nnpm run dev",
]


@pytest.mark.parametrize("command", ORDINARY)
def test_an_ordinary_command_is_not_held_back(command: str) -> None:
    assert background_reason(command) is None


@pytest.mark.parametrize("command", HELD)
def test_what_does_not_end_is_told_from_what_does(command: str) -> None:
    assert background_reason(command)


def test_there_are_many_ordinary_commands() -> None:
    assert len(ORDINARY) >= 60
