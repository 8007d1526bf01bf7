"""Clouds and infrastructure as code: deletes, stops, rights given away, and changes that nobody has seen."""

import re
import shlex
from collections.abc import Iterator

from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.family import Context, Family
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

FAMILY = Family("cloud")

DELETE = FAMILY.rule(
    "cloud.delete",
    "deletes something in a cloud: {path}",
    effects=("delete",),
    match=(
        "aws s3 rm s3://b --recursive",
        "aws --profile p --region r ec2 terminate-instances --instance-ids i",
        "aws s3 rb s3://b --force",
        "aws s3 sync . s3://b --delete",
        "aws rds delete-db-instance --db-instance-identifier x",
        "aws cloudformation delete-stack --stack-name x",
        "aws kms schedule-key-deletion --key-id x",
        "gcloud projects delete x",
        "gcloud compute instances delete x --quiet",
        "gsutil -m rm -r gs://b",
        "gsutil rsync -d a gs://b",
        "az group delete -n x --yes",
        "az storage blob delete-batch -s x",
        "heroku apps:destroy -a x --confirm x",
        "heroku pg:reset",
        "fly apps destroy x",
        "vercel rm x",
        "netlify sites:delete",
        "wrangler delete",
        "firebase firestore:delete --all-collections",
        "doctl compute droplet delete x",
        "hcloud server delete x",
        "supabase db reset",
        "rclone purge r:x",
        "rclone sync a r:b",
        "mc rm --recursive x",
        "s3cmd del s3://b/x",
        "serverless remove",
        "sam delete",
        "restic forget --prune",
        "borg delete r::a",
        "aws sqs purge-queue --queue-url x",
        "bq rm -r d",
        "linode-cli linodes delete 1",
        "eb terminate x",
    ),
    not_match=(
        "aws s3 ls",
        "aws ec2 describe-instances",
        "aws s3 cp s3://b/x .",
        "aws s3 sync . s3://b",
        "aws s3 rm s3://b/x --dryrun",
        "gcloud projects list",
        "gsutil ls",
        "az group list",
        "heroku logs -a x",
        "fly status",
        "rclone ls r:x",
        "rclone sync -n a r:b",
        "aws help",
        "gcloud compute instances list --filter=delete",
        "firebase deploy",
        "mc ls x",
        "borg list r",
        "restic snapshots",
        "aws ec2 terminate-instances --dry-run --instance-ids i",
    ),
)
STOP = FAMILY.rule(
    "cloud.stop",
    "stops or restarts something in a cloud: {path}",
    effects=("service",),
    match=(
        "aws ec2 stop-instances --instance-ids i",
        "gcloud compute instances stop x",
        "az vm deallocate -g x -n y",
        "heroku ps:stop web",
        "aws ecs update-service --desired-count 0 --service x",
        "heroku ps:scale web=0",
        "fly machine stop x",
        "hcloud server poweroff x",
    ),
    not_match=(
        "aws ec2 start-instances --instance-ids i",
        "gcloud compute instances start x",
        "az vm start -n x",
        "heroku ps",
        "aws ecs update-service --force-new-deployment --service x",
        "heroku ps:scale web=2",
    ),
)
RIGHTS = FAMILY.rule(
    "cloud.rights",
    "changes who may do what in a cloud, or opens it: {path}",
    effects=("privilege",),
    match=(
        "aws iam create-access-key --user-name x",
        "aws iam attach-user-policy --user-name x --policy-arn y",
        "aws s3api put-bucket-policy --bucket b",
        "aws s3 cp x s3://b --acl public-read",
        "gcloud projects add-iam-policy-binding p --member x",
        "az role assignment create --assignee x",
        "gsutil iam ch allUsers:objectViewer gs://b",
        "aws ec2 authorize-security-group-ingress --group-id x",
        "aws iam put-user-policy --user-name x",
        "aws ssm send-command --document-name x",
        "gcloud iam service-accounts keys create k.json --iam-account x",
        "aws route53 change-resource-record-sets --hosted-zone-id x",
        "mc anonymous set public x",
    ),
    not_match=(
        "aws iam list-users",
        "aws sts get-caller-identity",
        "aws iam get-user",
        "gcloud projects get-iam-policy p",
        "az role assignment list",
        "gsutil iam get gs://b",
        "aws eks update-kubeconfig --name x",
        "aws configure list",
    ),
)
INFRASTRUCTURE = FAMILY.rule(
    "cloud.infrastructure",
    "changes or destroys real infrastructure: {path}",
    effects=("delete", "service"),
    match=(
        "terraform destroy",
        "terraform -chdir=x destroy -auto-approve",
        "terraform apply -auto-approve",
        "tofu apply plan.out",
        "terraform state rm x",
        "terraform taint x",
        "terraform workspace delete x",
        "terragrunt run-all destroy",
        "pulumi destroy --yes",
        "pulumi up -y",
        "cdk destroy x",
        "cdk deploy --require-approval never",
        "terraform force-unlock x",
        "pulumi stack rm x",
        "terragrunt run --all apply",
    ),
    not_match=(
        "terraform plan",
        "terraform plan -destroy",
        "terraform init",
        "terraform validate",
        "terraform fmt",
        "terraform state list",
        "pulumi preview",
        "pulumi destroy --preview-only",
        "cdk diff",
        "cdk synth",
        "terraform apply -help",
        "terragrunt plan",
        "terraform output",
        "cdk deploy",
    ),
)
FLEET = FAMILY.rule(
    "cloud.fleet",
    "changes every machine of a group: {path}",
    effects=("service", "execute"),
    match=(
        "ansible all -m service -a 'name=x state=stopped'",
        "ansible all -b -m file -a 'path=/x state=absent'",
        "ansible web -m apt -a 'name=x'",
        "salt '*' state.apply",
        "ansible-playbook site.yml",
    ),
    not_match=(
        "ansible all -m ping",
        "ansible all -m setup",
        "ansible all -m shell -a uptime",
        "ansible-playbook x.yml --check",
        "ansible-playbook --syntax-check x.yml",
        "salt '*' test.ping",
        "ansible --version",
        "ansible-galaxy install x",
    ),
)

# Amazon

_AWS = Spec(
    "profile= region= output= endpoint-url= query= color= ca-bundle= cli-read-timeout= cli-connect-timeout= "
    "cli-binary-format= no-verify-ssl no-paginate no-sign-request no-cli-pager debug "
    "cli-auto-prompt version help dry-run dryrun generate-cli-skeleton? recursive delete force exclude= "
    "include= acl= quiet only-show-errors storage-class= sse? grants= source-region= metadata= "
    "content-type= cache-control= page-size= desired-count= desired-capacity= min-size= max-size= "
    "cli-input-json= website-redirect="
)
_AWS_DELETES = re.compile(
    r"(?:batch-|admin-|force-|bulk-)?(?:delete|terminate|remove|deregister|purge|schedule-key-deletion|release-address"
    r"|release-hosts|abort-environment|wipe|destroy|empty|reset|forget|leave-organization|close-account"
    r"|decommission|untag-log)(?:-|$)|.*-deletion$"
)
_AWS_STOPS = re.compile(
    r"(?:stop|reboot|suspend|disable|detach|disassociate|failover|restore-db|cancel-(?:spot|key|export)|drain"
    r"|rebuild|restart|deactivate|shutdown|fail-over|hibernate)(?:-|$)"
)
_AWS_RIGHTS = re.compile(
    r"(?:attach|authorize|grant|share)-|create-(?:access-key|login-profile|policy-version"
    r"|service-specific-credential|user|grant|virtual-mfa|role)$|update-(?:login-profile|assume-role-policy"
    r"|access-key|account-password-policy|role)$"
    r"|put-(?:bucket-(?:policy|acl|public-access-block|website|replication|lifecycle.*|versioning|encryption"
    r"|ownership-controls|cors)|object-acl|public-access-block|(?:user|role|group|key|resource|function"
    r"|registry|repository|secret)-(?:policy|permissions.*)|account-.*)$"
    r"|add-(?:user-to-group|role-to-instance-profile|permission|layer-version-permission|client-id.*)$"
    r"|change-resource-record-sets|send-command|send-ssh-public-key|modify-(?:.*-attribute|db-(?:instance"
    r"|cluster)|image.*|snapshot.*|instance.*)$"
    r"|set-(?:default-policy-version|security-groups|identity-pool-roles)|set-repository-policy|revoke-"
    r"|run-command|execute-command|update-security-group|upload-(?:ssh-public-key|signing-certificate)"
    r"|import-key-pair|disable-key"
)
_AWS_READS = re.compile(
    r"(?:describe|list|get|ls|head|lookup|search|query|scan|filter|test|validate|simulate|batch-get|view"
    r"|preview|estimate|check|detect|tail|presign|help|wait)(?:-|$)"
)


@FAMILY.judges("aws", "awslocal")
def aws(command: Command, _: Context) -> Iterator[Finding]:
    """The operation's first word says what it does."""
    options = parse(command, _AWS)
    if options.helps or options.has("dry-run", "dryrun", "generate-cli-skeleton") or command.program == "awslocal":
        return
    while options.operands and options.operands[0].splits:
        options.operands = options.operands[1:]
    service, verb = options.subcommand(), options.subcommand(1)
    if (
        "help" in {service, verb, options.subcommand(2)}
        or _AWS_READS.match(verb)
        or service in {"configure", "sts", "sso", "help"}
    ):
        return
    what = f"{service} {verb}"
    if service == "s3":
        if (
            verb in {"rm", "rb"}
            or (verb == "sync" and options.has("delete"))
            or (verb == "mv" and options.has("recursive"))
        ):
            yield DELETE.found(command, path=f"{what} {options.subcommand(2)}")
        acl = options.value("acl")
        if (
            verb == "website"
            or (acl is not None and acl.raw.startswith("public"))
            or any("AllUsers" in word.raw for word in options.values("grants"))
        ):
            yield RIGHTS.found(command, path=what)
    elif _AWS_DELETES.match(verb):
        yield DELETE.found(command, path=what)
    elif _AWS_RIGHTS.match(verb) and not (service in {"ec2", "ecr"} and verb in {"create-role", "attach-volume"}):
        yield RIGHTS.found(command, path=what)
    elif _AWS_STOPS.match(verb) or any(
        word.raw == "0" for word in options.values("desired-count", "desired-capacity", "max-size")
    ):
        yield STOP.found(command, path=what)


# The others: verbs among the first words

_DELETING = re.compile(
    r"(?:delete|destroy|terminate|remove|purge|rm|rb|del|undeploy|unpublish|erase|wipe|unset|unlink|uninstall"
    r"|nuke|drop|clear|destroy-all|deregister|deletefile|rmdirs?|delete_?[a-z]*|batch-?delete)"
    r"(?:-[a-z-]+)?$|reset(?:-db|-windows)?$|rebuild$|.*[-_](?:delete|destroy|remove|purge|wipe)$"
)
_STOPPING = re.compile(
    r"(?:stop|deallocate|restart|reboot|suspend|shutdown|power-?off|poweroff|power-cycle|reset|disable"
    r"|failover|kill|killall|halt|restage|rollback|power_off|deactivate|hibernate|redeploy"
    r"|rolling-restart)(?:-[a-z-]+)?$"
)
_GRANTING = re.compile(
    r"(?:add|set|remove)-iam-policy(?:-binding)?$|set-policy$|(?:reset|regenerate|renew)-?(?:ssh|credentials?"
    r"|keys?|password|access-keys?|user)?$|create-for-rbac$|add-metadata$|set-metadata$|add-access-config$"
)
#: Programs whose `run` starts a command of ours.
_RUNS = frozenset({"heroku", "railway", "doppler", "infisical", "op", "dokku", "scalingo", "modal"})
_WORD = re.compile(r"[a-z0-9][a-z0-9:_.-]*$")
_COMMON = Spec(
    "project= account= format= filter= zone= region= configuration= impersonate-service-account= verbosity= "
    "billing-project= q quiet a= app= r= remote= c= config= o= output= n= name= g= resource-group= "
    "subscription= query= t= access-token= token= context= profile= p= org= scope= team= cwd= S= u= h help "
    "version dry-run dryrun yes y f force confirm= command= m recursive delete-unmatched-destination-objects "
    "delete remove source-ranges= num-nodes= prod env= e= what-if no-prompt i= s= v log-level= log-file= "
    "transfers= checkers= include= exclude= bwlimit= prune delete-removed delete-destination? d n "
    "resync allow= rules= key-file= sql= metadata= environment= all"
)
_DRY = ("dry-run", "dryrun", "what-if", "help", "version", "h")
#: Verbs that sound worse than they are, by program.
_FINE = {
    "heroku": frozenset({"ps:restart", "restart", "local:stop"}),
    "fly": frozenset({"apps restart"}),
    "flyctl": frozenset({"apps restart"}),
    "supabase": frozenset({"stop"}),
    "firebase": frozenset({"emulators:stop"}),
    "gcloud": frozenset({"config unset", "emulators stop", "components remove", "components restore"}),
    "az": frozenset({"extension remove", "config unset", "cache purge", "account clear", "cloud unregister"}),
}
_GENERIC = [
    "gcloud",
    "az",
    "heroku",
    "fly",
    "flyctl",
    "vercel",
    "now",
    "netlify",
    "ntl",
    "wrangler",
    "firebase",
    "doctl",
    "hcloud",
    "linode-cli",
    "linode",
    "vultr-cli",
    "scw",
    "civo",
    "exo",
    "oci",
    "ibmcloud",
    "bx",
    "aliyun",
    "tccli",
    "openstack",
    "ovhcloud",
    "nova",
    "glance",
    "cinder",
    "neutron",
    "supabase",
    "pscale",
    "neonctl",
    "neon",
    "railway",
    "render",
    "cf",
    "databricks",
    "confluent",
    "auth0",
    "turso",
    "upctl",
    "gridscale",
    "upcloud",
    "metal",
    "packet",
    "eb",
    "copilot",
    "amplify",
    "chalice",
    "zappa",
    "sls",
    "serverless",
    "sam",
    "up",
    "deployctl",
    "surge",
    "appwrite",
    "meteor",
    "dokku",
    "nhost",
    "koyeb",
    "northflank",
    "porter",
    "nitric",
    "sst",
    "cloudflared",
    "cloudctl",
    "okta",
    "stripe-cli",
    "sentry-cli",
    "platform",
    "upsun",
    "eas",
    "cap",
    "clever",
    "scalingo",
    "ntfy-cloud",
    "bq",
    "wrangler2",
    "hasura",
    "pm2-deploy",
    "caprover",
    "yc",
    "sfdx",
    "sf",
    "tsh",
    "teleport",
    "boundary",
    "op",
    "bw",
    "doppler",
    "infisical",
    "akamai",
    "fastly",
    "cloudsmith",
    "jfrog",
    "jf",
    "octopus",
    "spacectl",
    "tfe",
    "rdctl",
    "s5cmd",
    "azcopy",
    "prefect",
    "dagster",
    "temporal",
    "tctl",
    "modal",
    "runpodctl",
    "vastai",
    "sky",
]


@FAMILY.judges(*_GENERIC)
def generic(command: Command, context: Context) -> Iterator[Finding]:
    """Clouds whose verb stands among the first words: `gcloud compute instances delete`, `heroku apps:destroy`."""
    program = command.program or ""
    options = parse(command, _COMMON)
    if options.has(*(name for name in _DRY if not (name == "h" and program not in {"heroku", "cf", "az"}))):
        return
    verbs = _verbs(options.operands)
    text = " ".join(verbs)
    if (
        not verbs
        or verbs[0] == "help"
        or (verbs[0] in {"run", "exec"} and program in _RUNS)
        or (program == "bq" and verbs[0] == "query")
    ):
        yield from _remote(command, context, options, verbs)
        return
    pieces = [piece for verb in verbs for piece in verb.replace(":", " ").split()][:6]
    if program in {"sls", "serverless", "eb", "vercel", "now", "cf", "surge"}:
        pieces = pieces[:2]
    if any(text.startswith(fine) for fine in _FINE.get(program, ())):
        return
    mirrors = text.startswith("storage rsync") and options.has("delete-unmatched-destination-objects")
    if any(_DELETING.match(piece) for piece in pieces) or mirrors or (program == "railway" and verbs[0] == "down"):
        yield DELETE.found(command, path=text)
    elif (
        any(_GRANTING.match(piece) for piece in pieces)
        or text.startswith(
            (
                "role assignment create",
                "iam service-accounts keys create",
                "vm run-command invoke",
                "vm open-port",
                "network nsg rule create",
                "ad app credential",
                "ad sp credential",
                "login-as",
            )
        )
        or "allUsers" in {word.raw for word in command.args}
        or (
            pieces[:2] == ["compute", "firewall-rules"]
            and any("0.0.0.0/0" in word.raw for word in options.values("source-ranges"))
        )
    ):
        yield RIGHTS.found(command, path=text)
    elif (
        any(_STOPPING.match(piece) for piece in pieces[:5])
        or ("scale" in pieces and any(re.search(r"(?:^|=)0$", word.raw) for word in options.operands[1:]))
        or str(options.value("num-nodes") or "") == "0"
        or pieces[:2] == ["maintenance", "on"]
    ):
        yield STOP.found(command, path=text)
    yield from _remote(command, context, options, verbs)


def _verbs(words: list[Word]) -> list[str]:
    found: list[str] = []
    for word in words[:5]:
        if not word.certain or not _WORD.match(word.raw):
            break
        found.append(word.raw)
    return found


def _remote(command: Command, context: Context, options: Options, verbs: list[str]) -> Iterator[Finding]:
    """Shell code for a machine of the cloud."""
    code = options.value("command")
    if code is not None and "ssh" in verbs:
        yield from context.judge_code(code.raw, command)
    if (
        command.program == "heroku"
        and verbs[:1] == ["run"]
        and len(options.operands) > 1
        and options.operands[1].certain
    ):
        words = options.operands[1:]
        yield from context.judge_code(
            words[0].raw if len(words) == 1 else shlex.join(word.raw for word in words), command
        )


@FAMILY.judges("gsutil", "mc", "mcli", "s3cmd", "b2", "rclone", "s4cmd", "swift", "obsutil", "ossutil", "coscmd")
def stores(command: Command, _: Context) -> Iterator[Finding]:
    """Object stores."""
    program = command.program or ""
    options = parse(command, _COMMON)
    verb = options.subcommand()
    rclone = program == "rclone"
    if options.has("help", "version", "dry-run", "dryrun") or (
        (rclone or program in {"gsutil", "s3cmd", "b2"})
        and options.has("n")
        and (rclone or verb in {"rsync", "sync", "rm", "del"})
    ):
        return
    if rclone and any(word.raw == "-n" for word in command.args):
        return
    if (
        verb in {"rm", "rb", "del", "delete", "purge", "deletefile", "rmdirs", "rmdir", "remove"}
        or verb.startswith(("delete-", "delete_"))
        or (rclone and verb in {"sync", "move", "cleanup", "dedupe", "bisync"})
        or (
            verb == "rsync"
            and any(
                word.raw.startswith("-") and not word.raw.startswith("--") and "d" in word.raw for word in command.args
            )
        )
        or (verb == "mirror" and any(word.raw in {"--remove", "--overwrite-delete"} for word in command.args))
        or (verb == "sync" and options.has("delete", "delete-removed"))
        or (verb in {"bucket", "file"} and options.subcommand(1) in {"delete", "rm"})
        or (verb == "admin" and options.subcommand(2) in {"remove", "rm"})
    ):
        yield DELETE.found(command, path=f"{verb} {options.subcommand(1)}"[:100])
    elif verb == "admin" and options.subcommand(1) == "service":
        yield STOP.found(command, path=f"{verb} {options.subcommand(1)}")
    elif (
        (verb in {"iam", "acl", "defacl"} and options.subcommand(1) in {"ch", "set"})
        or (verb in {"anonymous", "policy"} and options.subcommand(1) in {"set", "public", "set-json"})
        or (verb == "setacl" and any(word.raw in {"--acl-public", "-P"} for word in command.args))
    ):
        yield RIGHTS.found(command, path=verb)


@FAMILY.judges("restic", "borg", "borgmatic", "kopia", "duplicity", "tarsnap", "rustic", "bupstash", "duplicati-cli")
def backups(command: Command, _: Context) -> Iterator[Finding]:
    """A backup that is deleted is no backup."""
    options = parse(
        command,
        Spec(
            "r= repo= p= password-file= n dry-run d nuke f= list prune keep-last= keep-daily= keep-weekly= "
            "keep-monthly= keep-within= tag= host= help version force archive="
        ),
    )
    if options.helps or options.has("dry-run") or (options.has("n") and command.program != "tarsnap"):
        return
    verb, second = options.subcommand(), options.subcommand(1)
    if (
        verb in {"forget", "prune", "delete", "recreate", "cleanup", "remove", "rm", "purge"}
        or verb.startswith("remove-")
        or second in {"delete", "remove", "expire"}
        or (command.program == "tarsnap" and options.has("d", "nuke"))
        or (command.program == "restic" and verb == "key" and second == "remove")
    ):
        yield DELETE.found(command, path=f"backups: {verb} {second}".strip())


# Infrastructure as code

_TERRAFORM = Spec(
    "chdir= auto-approve? target= var= var-file= lock? lock-timeout= destroy? out= state= backup= input? "
    "no-color parallelism= refresh? refresh-only? replace= compact-warnings json force help h version "
    "terragrunt-working-dir= working-dir= terragrunt-config= terragrunt-non-interactive non-interactive all "
    "filter= queue-include-dir= queue-exclude-dir=",
    single=True,
)


@FAMILY.judges("terraform", "tofu", "terragrunt", "tf", "opentofu", "cdktf")
def terraform(command: Command, _: Context) -> Iterator[Finding]:
    """Plans are fine, what follows them is not."""
    options = parse(command, _TERRAFORM)
    if options.helps or options.has("h"):
        return
    words = [word.raw for word in options.operands]
    if words[:1] in (["run-all"], ["run"], ["stack"], ["exec"]):
        words = [word for word in words[1:] if word not in {"run", "--"}]
    verb, second = [*words, "", ""][:2]
    if (
        verb in {"destroy", "apply", "taint", "force-unlock", "destroy-all", "apply-all"}
        or (verb == "state" and second in {"rm", "push", "mv", "replace-provider"})
        or (verb == "workspace" and second == "delete")
        or (options.has("auto-approve") and verb not in {"plan", "validate", "init"})
    ):
        yield INFRASTRUCTURE.found(command, path=f"{verb} {second}".strip()[:80])


@FAMILY.judges(
    "pulumi",
    "cdk",
    "aws-cdk",
    "crossplane",
    "nixops",
    "cloud-nuke",
    "aws-nuke",
    "packer",
    "driftctl",
    "colmena",
    "deploy-rs",
)
def stacks(command: Command, _: Context) -> Iterator[Finding]:
    """Stacks of other tools."""
    options = parse(
        command,
        Spec(
            "C= cwd= s= stack= y yes f skip-preview skip force c= context= a= app= profile= require-approval= all "
            "preview-only exclusively e= help "
            "version dry-run no-dry-run config= plugin= target= m= message= p= parallel="
        ),
    )
    program = command.program or ""
    verb, second = options.subcommand(), options.subcommand(1)
    if options.helps or options.has("dry-run", "preview-only"):
        return
    approval = options.value("require-approval")
    if (
        (
            program == "pulumi"
            and (
                verb in {"destroy", "down", "dn", "up", "update", "cancel"}
                or (verb, second) in {("stack", "rm"), ("state", "delete"), ("stack", "import"), ("policy", "rm")}
            )
        )
        or (
            "cdk" in program
            and (
                verb == "destroy"
                or (verb in {"deploy", "bootstrap", "rollback"} and approval is not None and approval.raw == "never")
                or (verb == "deploy" and options.has("force", "yes", "y"))
            )
        )
        or (program == "nixops" and verb in {"destroy", "delete", "deploy"})
        or (
            program.endswith("-nuke")
            and (verb in {"aws", "gcp", "azure", "nuke", "run"} or options.has("no-dry-run", "config", "force"))
        )
    ):
        yield INFRASTRUCTURE.found(command, path=f"{program} {verb} {second}".strip()[:80])


# Fleets

_ANSIBLE = Spec(
    "i= inventory= inventory-file= m= module-name= a= args= b become K ask-become-pass u= user= f= forks= l= "
    "limit= e= extra-vars= C check D diff v k private-key= key-file= become-user= become-method= M= "
    "module-path= t= tags= o one-line P= poll= B= background= T= timeout= c= connection= "
    "vault-password-file= vault-id= skip-tags= start-at-task= syntax-check list-hosts list-tasks list-tags "
    "step "
    "flush-cache force-handlers J ask-vault-pass version help playbook-dir= ssh-common-args= tree="
)
_ANSIBLE_READS = frozenset(
    [
        "ping",
        "setup",
        "debug",
        "stat",
        "getent",
        "gather_facts",
        "service_facts",
        "package_facts",
        "win_ping",
        "fetch",
        "slurp",
        "find",
        "assert",
        "fail",
        "set_fact",
        "wait_for",
        "uri",
        "include_vars",
        "listen_ports_facts",
    ]
)


@FAMILY.judges("ansible", "ansible-playbook", "ansible-pull")
def ansible(command: Command, context: Context) -> Iterator[Finding]:
    """Ad hoc commands are read, modules that change something are asked about."""
    options = parse(command, _ANSIBLE)
    if options.helps or options.has("C", "check", "syntax-check", "list-hosts", "list-tasks", "list-tags"):
        return
    if command.program != "ansible":
        if options.operands or command.program == "ansible-pull":
            yield FLEET.found(command, path=" ".join(word.text for word in options.operands)[:80])
        return
    module = options.value("m", "module-name")
    name = (module.raw if module else "command").rsplit(".", 1)[-1]
    arguments = options.value("a", "args")
    if name in {"command", "shell", "raw", "win_shell", "win_command"}:
        if arguments is not None and arguments.raw:
            yield from context.judge_code(
                re.sub(r"^(?:(?:chdir|creates|removes|executable|cmd)=\S+\s+)+", "", arguments.raw), command
            )
    elif name not in _ANSIBLE_READS:
        yield FLEET.found(command, path=f"{name} {arguments.text if arguments else ''}"[:100])


@FAMILY.judges("salt", "salt-ssh", "salt-call", "knife", "puppet", "bolt", "chef-client", "mco")
def fleets(command: Command, context: Context) -> Iterator[Finding]:
    """Other tools for many machines."""
    program = command.program or ""
    words = [word for word in command.args if not word.raw.startswith("-")]
    texts = [word.raw for word in words]
    flags = {word.raw for word in command.args}
    if flags & {"--help", "--version", "--noop", "--why-run", "-W"} or "test=True" in flags:
        return
    if program.startswith("salt"):
        function = next((text for text in texts if re.match(r"[a-z_]+\.[a-z_]+$", text)), "")
        if function in {"cmd.run", "cmd.shell", "cmd.script", "cmd.run_all"}:
            after = words[texts.index(function) + 1 :]
            if after:
                yield from context.judge_code(after[0].raw, command)
        elif re.match(
            r"state\.|system\.|service\.(?:stop|restart|disable)|pkg\.(?:remove|purge|upgrade)|file\.(?:remove|write"
            r"|append)|user\.|cron\.",
            function,
        ):
            yield FLEET.found(command, path=function)
    elif program == "knife":
        if "delete" in texts[:3] or "bulk" in texts[:3]:
            yield DELETE.found(command, path=" ".join(texts[:3]))
        elif texts[:1] == ["ssh"] and len(words) > 2:
            yield from context.judge_code(words[2].raw, command)
    elif program == "bolt" and texts[:2] == ["command", "run"] and len(words) > 2:
        yield from context.judge_code(words[2].raw, command)
    elif (
        program == "puppet"
        and texts[:1] in (["apply"], ["agent"])
        and (texts[:1] == ["apply"] or flags & {"-t", "--test"})
    ) or (program == "puppet" and "clean" in texts[:3]):
        yield FLEET.found(command, path=" ".join(texts[:3]))


@FAMILY.judges("pdsh", "pssh", "parallel-ssh", "clush", "dsh", "mussh", "rsh", "remsh")
def shells(command: Command, context: Context) -> Iterator[Finding]:
    """The code that many machines shall run."""
    options = parse(
        command,
        Spec(
            "w= x= l= R= t= u= f= g= h= H= p= o= e= a b i v P A O= X= m= c= M n r= host= hosts= user= group=",
            posix=True,
        ),
    )
    words = options.operands[1:] if command.program in {"rsh", "remsh"} else options.operands
    if words and words[0].certain:
        yield from context.judge_code(" ".join(word.raw for word in words), command)
    for word in options.values("c") if command.program == "mussh" else ():
        yield from context.judge_code(word.raw, command)
