"""Tables of clouds, platforms and services whose command lines consist of a noun and a verb."""

from hermes_guard.argv import Spec
from hermes_guard.name_sets import names
from hermes_guard.rules.common.argument_checks import phrases

COMMON = Spec(
    "project= account= format= filter= zone= region= configuration= impersonate-service-account= verbosity= "
    "billing-project= q quiet a= app= r= remote= c= config= o= output= n= name= g= resource-group= "
    "subscription= query= t= access-token= token= context= profile= p= org= scope= team= cwd= S= u= h help "
    "version dry-run dryrun yes y f force confirm= command= m recursive delete-unmatched-destination-objects "
    "delete remove source-ranges= num-nodes= prod env= e= what-if no-prompt i= s= v log-level= log-file= "
    "transfers= checkers= include= exclude= bwlimit= prune delete-removed delete-destination? d n "
    "resync allow= rules= key-file= sql= metadata= environment= all size= node-count= activation-policy= message="
)


_CLOUDS = """
    gcloud az azd oci ibmcloud bx aliyun tccli ve volcengine jdc ksc ucloud bce hcloud yc openstack ovhcloud nova
    glance cinder neutron doctl linode-cli linode vultr-cli scw civo exo upctl upcloud gridscale metal packet ionosctl
    stackit gcore nebius crusoe cmk cloudmonkey onevm oneimage onetemplate onehost onevnet onedatastore oneflow cntb
    cherryctl lsh pnapctl cloudctl rdctl esxcli pvesh pveum pvecm bosh credhub om uaac maas rosa ocm tanzu vcluster
    loft hetzner-k3s kubeone openshift-install rack gandi tugboat usacloud ncloud mgc cloudscale headscale
"""
_PLATFORMS = """
    heroku fly flyctl vercel now netlify ntl wrangler wrangler2 firebase supabase pscale neonctl neon railway render
    cf turso eb copilot amplify chalice zappa sls serverless sam up deployctl surge appwrite meteor dokku nhost koyeb
    northflank porter nitric sst platform upsun eas cap clever scalingo ntfy-cloud hasura pm2-deploy caprover kamal
    gigalixir convox zeabur arc claudia apex alchemy cargo-shuttle shuttle genezio defang qovery humctl acorn waypoint
    flightctl rain sceptre stacker stack_master vela brev coder devpod gitpod daytona pantheon terminus acli lagoon
    nuon mass nim liara hop wsk fn faas-cli func spin wasmer balena particle mender-cli firebase-tools netlify-cli
"""
_DATA = """
    bq cbt databricks confluent snow astra atlas mongocli upstash ecctl influx ccloud ticloud tiup xata fauna sanity
    contentful pinecone lakectl azcopy s5cmd qshell coscli bcecmd tosutil uplink us3cli dbxcli gdrive skicka mega-rm
    juicefs nats rpk kafkactl pulsar-admin pulsarctl emqx_ctl rabbitmqadmin prefect dagster temporal tctl airbyte
    octavia abctl dbtc sscli aiven avn couchbase-cli yugabyted yba ybm cb edgedb gel oasisctl aura-cli vespa tb quilt3
    doveadm pdnsutil
"""
_LEARNING = """
    modal runpodctl vastai sky hf huggingface-cli mlflow kaggle ngc paperspace pspace gradient lightning firectl
    cerebrium truss bentoml zenml determined det dstack replicate anyscale ray openai flyte flytectl pachctl wandb
    polyaxon guild feast optuna
"""
_SERVICES = """
    auth0 okta stripe stripe-cli twilio shopify slack zcli hs jira sentry-cli dog pd circleci travis bk drone
    woodpecker-cli ldcli doppler infisical bws op bw lpass akeyless kcadm kcadm.sh ory zitadel cloudflared flarectl
    cli53 lexicon akamai fastly dnsimple certbot sfdx sf tsh teleport tctl boundary cloudsmith jfrog jf octopus
    spacectl tfe grafanactl gcx linear livekit lk apigeecli apigee-cli deck tower-cli awx checkly tea codefresh
    jenkins-jobs jcli harness gam m365 pac mmctl synadm tootctl ipa occ
"""
PROGRAMS = names(_CLOUDS + _PLATFORMS + _DATA + _LEARNING + _SERVICES)
#: Programs whose verbs are API operations: `aliyun ecs DeleteInstance`.
OPERATIONS = names("netlify ntl ncloud aliyun tccli ve volcengine jdc ksc bce hcloud")
#: Programs whose `run` starts a user's command.
RUNS = names("heroku railway doppler infisical op dokku scalingo modal bws")
#: Programs whose verb is one of the first two words; the rest are user-chosen names.
SHALLOW = names("sls serverless eb vercel now cf surge brev coder devpod sky dstack certbot azd arc rain cap")
#: Phrases that are less dangerous than they sound, by program.
FINE: dict[str, tuple[str, ...]] = {
    "az": ("extension remove", "config unset", "cache purge", "account clear", "cloud unregister"),
    "certbot": ("renew", "rollback"),
    "firebase": ("emulators:stop",),
    "fly": ("apps restart",),
    "flyctl": ("apps restart",),
    "gcloud": ("auth revoke", "config unset", "emulators stop", "components remove", "components restore"),
    "heroku": ("ps:restart", "restart", "local:stop"),
    "hf": ("cache", "auth"),
    "huggingface-cli": ("delete-cache", "cache"),
    "kamal": ("redeploy", "lock release", "build remove"),
    "ray": ("stop",),
    "supabase": ("stop",),
    "temporal": ("server",),
    "tiup": ("uninstall", "clean", "mirror"),
    "wandb": ("artifact cache", "disabled", "offline"),
}
#: Phrases that delete without one of the usual verbs.
DELETES = {
    "atlas": phrases("schema clean"),
    "azd": phrases("down"),
    "certbot": phrases("revoke"),
    "deck": phrases("reset, gateway reset"),
    "defang": phrases("down, compose down"),
    "doctl": phrases("compute droplet-action (restore | rebuild), databases backups restore"),
    "firebase": phrases("firestore:databases:restore, hosting:disable, database:remove"),
    "fly": phrases("ips release"),
    "flyctl": phrases("ips release"),
    "gcloud": phrases("pubsub subscriptions seek, sql backups restore, sql instances restore-backup, firestore import"),
    "heroku": phrases("pg:backups:restore, pg:copy, pg:killall, pg:promote"),
    "influx": phrases("restore"),
    "mlflow": phrases("gc"),
    "nats": phrases("stream (restore | seal), kv (del | purge)"),
    "neonctl": phrases("branches (restore | reset)"),
    "pachctl": phrases("squash commit"),
    "railway": phrases("down"),
    "ray": phrases("down"),
    "sky": phrases("down, jobs cancel"),
    "stripe": phrases("subscriptions cancel"),
    "tiup": phrases("cluster (clean | scale-in | prune), dm (destroy | scale-in)"),
    "turso": phrases("db invalidate"),
    "wrangler": phrases("d1 time-travel restore, rollback"),
}
#: Phrases that grant access without one of the usual verbs.
OPENS = (
    "role assignment create", "iam service-accounts keys create", "vm run-command invoke", "vm open-port",
    "network nsg rule create", "ad app credential", "ad sp credential", "ad group member add",
    "storage container set-permission", "login-as", "role add", "access:add", "apps:transfer", "authorizations:create",
    "permissions set",
)  # fmt: skip
