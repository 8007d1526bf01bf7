"""Ordinary paths that need no approval."""

import pytest

from hermes_guard import judge
from hermes_guard.paths import judge_path

HOME = "/home/dev"
WORKSPACE = "/home/dev/shop"

PROJECT_TEXT = """
README.md LICENSE CHANGELOG.md CONTRIBUTING.md AGENTS.md CLAUDE.md Makefile Dockerfile docker-compose.yml
pyproject.toml setup.py setup.cfg requirements.txt requirements-dev.txt uv.lock poetry.lock tox.ini noxfile.py
package.json package-lock.json pnpm-lock.yaml yarn.lock tsconfig.json vite.config.ts webpack.config.js .eslintrc.json
.prettierrc .editorconfig .gitignore .gitattributes .dockerignore .nvmrc .python-version .tool-versions .babelrc
.env.example .env.sample .env.template .env.dist .env.local.example config/.env.example env.d.ts environment.yml
.github/workflows/ci.yml .github/dependabot.yml .gitlab-ci.yml .circleci/config.yml Jenkinsfile azure-pipelines.yml
.pre-commit-config.yaml .vscode/extensions.json
src/main.py src/app/__init__.py src/secrets.py src/credentials.ts src/token.go src/keys.rs src/password_reset.py
src/auth/login.tsx src/ssh/client.py src/dev/null.py src/etc/hosts.py src/proc/cpu.c src/boot/start.S src/sys/mod.rs
src/hooks/useAuth.ts src/config.yml config.yml config/settings.yml k8s/deployment.yaml
k8s/ingress.yaml charts/web/values.yaml infra/main.tf infra/variables.tf infra/terraform.tfvars.example
tests/test_shadow.py tests/test_env.py tests/fixtures/passwd tests/fixtures/hosts tests/data/id.json tests/conftest.py
docs/index.md docs/ssh.md docs/aws.md docs/security/credentials.md docs/.pages docs/history.md docs/environ.md
certs/README.md certs/cert.pem certs/fullchain.pem certs/ca.pem certs/server.crt certs/server.csr certs/public.pem
assets/logo.svg assets/key.png assets/keyboard.ts data/users.csv data/export.json data/model.onnx data/dump.sql
build/output.js dist/bundle.min.js target/debug/app node_modules/react/index.js .venv/bin/activate
.venv/lib/python3.12/site-packages/requests/api.py .venv/lib/python3.12/site-packages/certifi/cacert.pem
lib/environment.rb lib/profile.rb app/models/wallet.rb app/models/credential.rb db/schema.rb config/routes.rb
scripts/deploy.sh scripts/backup.sh bin/run bin/setup cmd/server/main.go internal/keyring/keyring.go go.mod go.sum
Cargo.toml Cargo.lock rust-toolchain.toml build.gradle settings.gradle gradle.properties pom.xml CMakeLists.txt
notebooks/analysis.ipynb i18n/de.json locales/fr/LC_MESSAGES/app.po public/favicon.ico a..b.txt ..hidden ...dots/x
.well-known/security.txt .storybook/main.ts .changeset/blue-cats.md checkpoints/model.pth weights/best.pth
charts/app/templates/secret.yaml helm/templates/secrets.yaml k8s/sealed-secret.yaml k8s/external-secret.yaml
tests/fixtures/id_rsa tests/certs/server.key tests/fixtures/credentials.json pkg/tls/testdata/key.pem .secrets.baseline
docs/secrets.yaml src/test/resources/keystore.jks wp-config-sample.php tokenizer.json runs/exp/best.pth model.pth
.devcontainer/Dockerfile lefthook.yml mise.toml .eslintrc.js .prettierrc.json .rubocop.yml .rspec .babelrc
.flake8 .bazelrc .pylintrc .mocharc.json .swcrc .cargo/config.toml .yarnrc.yml .kiro/specs/a.md
.claude/CLAUDE.md GEMINI.md db/seed.ts src/cookies.py src/wallet/Wallet.tsx infra/secrets.tf
./src/../README.md src//double.py src/./dot.py ../shop/src/main.py
"""
UNICODE = [
    "docs/Übersicht.md",
    "docs/日本語.md",
    "docs/отчёт.txt",
    "фото/кот.jpg",
    "notes/ｆｕｌｌ.txt",
    "👨\u200d👩\u200d👧.png",
]
ODD = [
    "a b.txt",
    "src/a file with spaces.txt",
    "file (1).txt",
    "100%.txt",
    "a%20b.txt",
    "what?.md",
    "src/*.py",
    "**/*.json",
    "*",
    "[id].tsx",
    "C#.md",
]
SYSTEM_READS_TEXT = """
/etc/hosts /etc/passwd /etc/group /etc/os-release /etc/resolv.conf /etc/hostname /etc/fstab /etc/nginx/nginx.conf
/etc/ssh/sshd_config /etc/ssh/ssh_config /etc/ssl/certs/ca-certificates.crt /etc/ssl/openssl.cnf /etc/crontab /etc/issue
/etc/apt/sources.list /etc/localtime /etc/timezone /etc/profile /etc/systemd/system.conf /etc/environment /etc/services
/usr/include/stdio.h /usr/include/sys/types.h /usr/bin/env /usr/share/dict/words /usr/lib/os-release /usr/local/bin/x
/usr/share/doc/bash/README /var/log/syslog /var/log/nginx/access.log /var/log/dpkg.log /var/lib/dpkg/status /bin/sh
/proc/cpuinfo /proc/meminfo /proc/loadavg /proc/uptime /proc/version /proc/mounts /proc/self/status /proc/self/cgroup
/proc/net/dev /proc/1/status /proc/1/cmdline /proc/self/fd/0 /proc/sys/kernel/hostname /proc/sys/fs/file-max /proc/stat
/sys/class/net/eth0/address /sys/class/thermal/thermal_zone0/temp /sys/fs/cgroup/memory.max /boot/config-6.8 /dev/null
/dev/stdin /dev/tty /dev /proc /sys /etc / /opt/app/version /srv/www/index.html /mnt/data/set.csv
/lib/systemd/system/ssh.service /System/Library/CoreServices/SystemVersion.plist /Library/Fonts/Arial.ttf
~/.bashrc ~/.zshrc ~/.profile ~/.gitconfig ~/.vimrc ~/.config/nvim/init.lua ~/.ssh/id_ed25519.pub ~/.ssh/known_hosts
~/.ssh/config ~/.hermes/config.yaml ~/.cargo/config.toml ~/notes.txt ~/.cache/pip/x ~/Downloads/a.pdf /home/other/a.txt
"""
WRITES_TEXT = """
/tmp/x /tmp/build/out.log /var/tmp/scratch /private/tmp/a /var/folders/zz/T/a.txt /dev/shm/frame.bin /run/lock/x
~/notes.txt ~/Documents/report.md ~/Downloads/data.csv ~/.cache/app/x.json ~/.local/share/app/state.json ~/code/app/a.c
~/.config/htop/htoprc ~/dotfiles/.bashrc ~/dotfiles/vimrc /dev/null /dev/stdout /dev/stderr /dev/fd/1 /dev/tty
/proc/self/fd/1 ~/shop/src/main.py /home/dev/shop/src/main.py /home/dev/shop/../shop/a.py $HOME/notes.txt ${HOME}/a.md
$TMPDIR/x file:///tmp/a.txt ~/Desktop/todo.txt ~/go/src/x/main.go ~/project/bin/run
/tmp/dev.env ~/.cache/go-build/ab/x ~/.gradle/caches/x ~/.m2/repository/a/b.jar
~/.npm/_cacache/x ~/.cargo/registry/cache/x ~/.config/myapp/settings.json ~/.local/share/myapp/state.json
"""
ANYWHERE_WRITES = [
    "/srv/app/config.yaml",
    "/data/out.csv",
    "/mnt/disk/a.bin",
    "/workspace/a/b.py",
    "/var/www/x/index.html",
]


PROJECT = PROJECT_TEXT.split()
SYSTEM_READS = SYSTEM_READS_TEXT.split()
WRITES = WRITES_TEXT.split()


@pytest.mark.parametrize("path", [*PROJECT, *UNICODE, *ODD])
def test_a_project_file_is_ordinary(path: str) -> None:
    for workspace in (WORKSPACE, None):
        assert judge_path("read", path, workspace=workspace, home=HOME).rules == ()
        assert judge_path("write", path, workspace=workspace, home=HOME).rules == ()


@pytest.mark.parametrize("path", SYSTEM_READS)
def test_reading_an_ordinary_file_of_the_machine_is_allowed(path: str) -> None:
    assert judge_path("read", path, workspace=WORKSPACE, home=HOME).rules == ()
    assert judge_path("read", path, home=HOME).rules == ()


@pytest.mark.parametrize("path", WRITES)
def test_writing_to_the_home_and_to_temporary_folders_is_allowed(path: str) -> None:
    assert judge_path("write", path, workspace=WORKSPACE, home=HOME).rules == ()
    assert judge_path("write", path, home=HOME).rules == ()


@pytest.mark.parametrize("path", ANYWHERE_WRITES)
def test_without_a_workspace_places_for_data_are_ordinary(path: str) -> None:
    assert judge_path("write", path, home=HOME).rules == ()
    assert judge_path("write", path, home=HOME, workspace=WORKSPACE).rules == ("path.outside-workspace",)


@pytest.mark.parametrize(
    "workspace", ["/usr/src/app", "/opt/build/app", "/var/lib/ci/job", "/srv/app", "/app", "/repo"]
)
def test_a_workspace_is_ordinary_wherever_it_lies(workspace: str) -> None:
    assert judge_path("write", "src/main.py", workspace=workspace, home=HOME).rules == ()
    assert judge_path("write", f"{workspace}/src/main.py", workspace=workspace, home=HOME).rules == ()


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/urandom"])
def test_a_command_may_take_from_an_endless_device_and_a_file_tool_is_asked(path: str) -> None:
    assert judge(f"head -c 8 {path}").allowed
    assert judge(f"python3 -c \"open('{path}', 'rb').read(8)\"").allowed
    assert judge_path("read", path).rules == ("path.endless-device",)


def test_the_list_is_long_enough_to_mean_something() -> None:
    assert len({*PROJECT, *UNICODE, *ODD, *SYSTEM_READS, *WRITES}) >= 250
