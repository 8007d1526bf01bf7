"""Judges deployments to production: new versions, and changed settings of what runs there."""

from collections.abc import Iterator

from hermes_guard.name_sets import names
from hermes_guard.rules.cloud.rules import DEPLOY, FAMILY
from hermes_guard.rules.common.argument_checks import (
    Arguments,
    Check,
    any_word,
    flag,
    says,
    starts,
    verb,
)
from hermes_guard.rules.common.deployment_stages import own_stage
from hermes_guard.rules.family import Context, abbreviate
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_PROD = flag("--prod --production --prod=true")
_VERCEL = _PROD | verb("promote") | Check(lambda given: "--target=production" in given.flags)
_NETLIFY = verb("deploy") & (_PROD | flag("-p")) | says("env:set", "env:import")
_WRANGLER = starts("deploy", "publish", "pages deploy|publish", "versions deploy", "triggers deploy", "secret put|bulk")
_FLY = starts("deploy", "secrets set|import") & ~flag("--build-only --no-deploy")
_SERVERLESS = starts("deploy", "rollback")
_FIREBASE = starts("deploy", "hosting:clone", "functions:config:set", "functions:secrets:set", "remoteconfig:rollback")
_GCLOUD = says(
    "app deploy",
    "run deploy",
    "run services update|replace|update-traffic",
    "run jobs deploy",
    "functions deploy",
    "app services set-traffic",
    "api-gateway gateways update",
    "endpoints services deploy",
    "deploy releases create|promote",
    "deployment-manager deployments update|create",
    "workflows deploy",
    "compute instance-groups managed rolling-action",
)
_AZURE = says(
    "webapp deploy|up",
    "webapp deployment source",
    "webapp config appsettings",
    "functionapp deployment source",
    "functionapp deploy",
    "functionapp config appsettings",
    "containerapp up|update",
    "deployment group|sub|mg|tenant create",
    "staticwebapp appsettings",
    "spring app deploy",
) & ~any_word("list show")
_AWS = says(
    "lambda update-function-code|update-function-configuration|publish-version|update-alias",
    "ecs update-service",
    "ecs deploy",
    "deploy create-deployment|push",
    "cloudformation deploy|update-stack|execute-change-set",
    "elasticbeanstalk update-environment",
    "apprunner start-deployment|update-service",
    "amplify start-job|start-deployment",
    "secretsmanager put-secret-value|update-secret",
    "apigateway create-deployment",
)
#: How each program deploys.
_DEPLOYS: dict[str, Check] = {
    **dict.fromkeys(("vercel", "vc", "now"), _VERCEL | starts("env add|rm")),
    **dict.fromkeys(("netlify", "ntl"), _NETLIFY),
    **dict.fromkeys(("wrangler", "wrangler2"), _WRANGLER),
    **dict.fromkeys(("fly", "flyctl"), _FLY),
    **dict.fromkeys(("serverless", "sls"), _SERVERLESS),
    "firebase": _FIREBASE,
    "gcloud": _GCLOUD,
    "az": _AZURE,
    "aws": _AWS,
    **dict.fromkeys(("cdk", "aws-cdk"), verb("deploy") & ~flag("--hotswap --no-execute")),
    "azd": verb("up deploy provision"),
    "func": says("azure functionapp publish", "azure containerapps deploy"),
    "sam": verb("deploy"),
    "eb": verb("deploy swap setenv"),
    "cap": any_word("deploy deploy:rollback deploy:restart"),
    "mina": any_word("deploy rollback"),
    "shipit": any_word("deploy rollback"),
    "dep": any_word("deploy rollback"),
    "deployer": any_word("deploy rollback"),
    "envoy": says("run deploy"),
    "pm2": verb("deploy"),
    "amplify": verb("publish push"),
    "heroku": starts("config:set", "container:release", "releases:rollback", "pipelines:promote", "builds:create"),
    "railway": starts("up", "deploy", "redeploy", "variables set"),
    "render": says("deploys create"),
    "kamal": starts("deploy", "redeploy", "rollback", "setup", "env push"),
    "dokku": starts("config:set", "git:from-image", "git:from-archive", "git:sync", "ps:rebuild"),
    "scalingo": verb("deploy env-set"),
    "clever": verb("deploy"),
    "cf": verb("push set-env rolling-restart"),
    "platform": verb("push"),
    "upsun": verb("push"),
    "copilot": starts("deploy", "svc|job|env|app|pipeline deploy"),
    "chalice": verb("deploy"),
    "zappa": verb("deploy update rollback"),
    "sst": verb("deploy"),
    "arc": verb("deploy"),
    "nitric": verb("up"),
    "up": verb("deploy"),
    "modal": verb("deploy"),
    "cerebrium": verb("deploy"),
    "truss": verb("push"),
    "bentoml": verb("deploy"),
    "deployctl": verb("deploy") & _PROD,
    "shuttle": verb("deploy"),
    "spin": verb("deploy"),
    "koyeb": starts("deploy", "service|services update|redeploy"),
    "faas-cli": verb("up deploy"),
    "supabase": starts("functions deploy", "db push", "secrets set", "config push"),
    "convex": verb("deploy"),
    "hasura": starts("deploy"),
    "eas": verb("submit update"),
    "expo": verb("publish"),
    "fastlane": any_word("deploy release supply deliver pilot upload_to_app_store upload_to_play_store"),
    "meteor": verb("deploy"),
    "mup": verb("deploy setup"),
    "surge": ~any_word("list whoami login token teardown") & Check(lambda given: bool(given.words)),
    "gh-pages": Check(lambda given: bool(given.texts)),
    "caprover": verb("deploy"),
    "gigalixir": starts("config:set", "ps:migrate"),
    "waypoint": verb("up deploy release"),
    "porter": verb("apply"),
    "qovery": says("application deploy", "environment deploy", "service deploy"),
    "astro": says("deploy"),
    "databricks": says("bundle deploy"),
    "sfdx": says("force:source:deploy", "project deploy"),
    "sf": says("project deploy start"),
    "shopify": starts("app deploy", "theme push", "hydrogen deploy"),
    "nomad": starts("job run", "run", "job revert|promote", "deployment promote"),
    "werf": verb("converge"),
    "wasmer": verb("deploy"),
    "balena": verb("push deploy"),
}
#: Options for a dry run, or for answering a prompt.
_REHEARSES = names(
    "--dry-run --dryrun --noop --no-execute-changeset --preview --help -h --version --list -T --what-if "
    "--validate-only --build-only --no-deploy --local --check"
)


@FAMILY.judges(*_DEPLOYS)
def deploys(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about deploying a new version or setting that others use."""
    given = Arguments(command.args)
    if given.helps or not _REHEARSES.isdisjoint(given.flags) or not _DEPLOYS[command.program or ""].holds(given):
        return
    if not own_stage(text for text in given.texts if text[:1] != "-" or "=" in text):
        yield DEPLOY.found(command, path=abbreviate(command))
