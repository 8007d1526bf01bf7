"""Programs that start commands or packaged programs do not hide them."""

import pytest

from hermes_guard.guard import Guard

GUARD = Guard()

HIDDEN = (
    "npx rimraf dist",
    "poetry run rm -rf x",
    "uv run --with x rm -rf y",
    "bundle exec rm -rf x",
    "npm exec -- rm -rf x",
    "npm exec -c 'rm -rf x'",
    "npx -c 'rm -rf x'",
    "conda run -n e rm -rf x",
    "aws-vault exec prod -- terraform destroy",
    # A program out of a package
    "npx -y prisma@5 migrate reset",
    "npx @changesets/cli publish",
    "npx npx rimraf dist",
    "pnpm dlx rimraf dist",
    "sail artisan migrate:fresh",
    "./vendor/bin/sail php artisan db:wipe",
    "ddev drush sql-drop -y",
    "lando wp db reset --yes",
    "yarn typeorm-ts-node-commonjs schema:drop -d ds.ts",
    "npx chrome-webstore-upload-cli upload --source x.zip",
    "pnpm rimraf dist",
    "pnpm -c exec 'rm -rf x'",
    "pnpm exec -c 'rm -rf x'",
    "yarn dlx rimraf@5 dist",
    "bunx rimraf dist",
    "uvx --from x twine upload dist/*",
    "pipx run --spec x twine upload dist/*",
    "uv run -m twine upload dist/*",
    "python -X dev -m twine upload dist/*",
    # Environments
    "mise exec -- rm -rf x",
    "mise exec node@20 -- rm -rf x",
    "mise x -c 'rm -rf x'",
    "nvm exec 18 rm -rf x",
    "nvm exec rm -rf x",
    "rustup run nightly cargo publish",
    "nix shell nixpkgs#x -c rm -rf y",
    "nix develop --command rm -rf y",
    "nix-shell shell.nix --run 'rm -rf x'",
    "nix-shell -p a b --command 'rm -rf x'",
    "cross-env A=b rm -rf x",
    "env-cmd -f .env rm -rf x",
    "envchain aws rm -rf x",
    "dotenvx run -f .env -- rm -rf x",
    "doppler run --command 'rm -rf x'",
    "chamber exec a b -- rm -rf x",
    "sops exec-env f 'rm -rf x'",
    "sops exec-env f rm -rf x",
    "op run --env-file=.env -- rm -rf x",
    "poetry run A=b rm -rf x",
    # git
    "git bisect run rm -rf x",
    "git -C d bisect run sh -c 'rm -rf x'",
    "git submodule foreach --recursive rm -rf x",
    "git submodule --quiet foreach 'rm -rf x'",
    "git $X rebase -x 'rm -rf x' main",
    "git difftool --extcmd='rm -rf x'",
    # What a runner reads or writes is read and written by its command
    "echo 'drop table t' | npx psql",
    "npx psql <<< 'drop table t'",
    "poetry run echo 'rm -rf x' | sh",
)
ORDINARY = (
    'poetry run pytest "$X"',
    "npx prettier --write $FILES",
    "uv run -m pytest -k rm",
    "uvx ruff@latest check",
    "pnpm dlx create-vite x",
    "yarn exec tsc",
    "RAILS_ENV=test bundle exec rails db:reset",
    "cross-env RAILS_ENV=test rails db:reset",
    "mise exec node@20 -- node app.js",
    "nvm exec 18 npm test",
    "nix shell nixpkgs#x -c make",
    "nix-shell -p jq --run make",
    "sops exec-env f 'make test'",
    "git bisect run make test",
    "git submodule foreach 'git status'",
    "git -c alias.lg='log --oneline' lg \"$BRANCH\"",
    "python -m pytest -q",
    "python -m http.server",
    "python app.py -m pip uninstall",
    "npm run rm",
    "poetry install",
)


@pytest.mark.parametrize("command", HIDDEN)
def test_a_command_is_seen_behind_its_runner(command: str) -> None:
    assert not GUARD.judge(command, home="/home/u").allowed


@pytest.mark.parametrize("command", ORDINARY)
def test_ordinary_commands_of_runners_run_unasked(command: str) -> None:
    found = GUARD.judge(command, home="/home/u").findings
    assert not [finding for finding in found if finding.rule != "secret.print"]
