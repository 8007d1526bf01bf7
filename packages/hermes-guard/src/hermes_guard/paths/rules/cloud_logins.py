"""Rules for logins to clouds, storage and model providers."""

from hermes_guard.paths.rule import BOTH, PathRule

_PLATFORMS = (
    "~/.snowsql/**", "~/.config/snowflake/**", "~/.tsh/**", "~/.tbot/**", "~/.config/supabase/**",
    "~/.config/configstore/**", "~/.config/render/**", "~/.render/**", "~/.koyeb.yaml", "~/.config/upctl.yaml",
    "~/.civo.json", "~/.config/civo/**", "~/.ovh.conf", "~/.config/yandex-cloud/**", "~/.config/equinix/**",
    "~/.config/metal/**", "~/.hcloud/**", "~/.config/vultr-cli.yaml", "~/.config/ionosctl/**", "~/.config/stackit/**",
    "~/.config/upcloud/**", "~/.cf/**", "~/.ibmcloud/**", "~/.edgerc", "~/.config/fastly/**", "~/.fastly/**",
    "~/.config/bunny*/**", "~/.railway.json", "~/.config/flyctl/**", "~/.expo/**", "~/.config/expo/**",
    "~/.config/eas-cli/**", "~/.config/shopify*/**", "~/.shopify/**", "~/.config/sanity/**", "~/.contentfulrc.json",
    "~/.config/planetscale/**", "~/.config/turso/**", "~/.config/neonctl/**", "~/.hasura/**", "~/.config/prisma-*/**",
    "~/.config/atlascli/**", "~/.config/mongocli*", "~/.confluent/**", "~/.ccloud/**", "~/.influxdbv2/**", "~/.dogrc",
    "~/.config/datadog/**", "~/.newrelic/**", "~/.pd.yml", "~/.config/axiom*", "~/.axiom.toml",
    "~/.config/grafanactl/**", "~/.elastic/**", "~/.config/algolia/**", "~/.algolia/**", "~/.config/stripe-cli/**",
    "~/.config/square/**", "~/.paypal/**", "~/.twilio/**", "~/.nexmorc", "~/.vonage/**", "~/.config/postmark/**",
    "~/.sendgrid/**", "~/.config/doppler/**", "~/.clasprc.json", "~/.config/gam/**", "~/.gam/**", "~/.gamadv*/**",
    "~/.config/gws/**", "~/.config/m365/**", "~/.cli-m365*", "~/.sfdx/**", "~/.sf/**", "~/.zcli", "~/.zcli/**",
    "~/.config/hubspot/**", "~/.hubspot/**", "~/.hscli/**", "~/.config/heroku*", "~/.heroku/**",
    "~/.local/share/heroku/**", "~/.netlify.json", "~/.surge", "~/.now/**", "~/.config/now/**", "~/.deployctl/**",
    "~/.config/zeit/**", "~/.scw/**", "~/.scwrc", "~/.config/ovhcloud/**", "~/.qovery/**", "~/.config/northflank/**",
    "~/.porter/**", "~/.okteto/**", "~/.config/gitpod/**", "~/.config/coder*/**", "~/.config/daytona/**",
    "~/.upctl.yaml", "~/.config/porkbun*/**", "~/.porkbun*", "~/.config/namecheap*/**", "~/.config/godaddy*/**",
    "~/.config/gandi*/**", "~/.gandi/**", "~/.config/dnscontrol/**", "~/.lexicon/**", "~/.config/hetzner*/**",
    "~/.config/contabo*", "~/.cntb.yaml", "~/.config/kamatera*", "~/.config/transip*", "~/.config/desec*",
)  # fmt: skip
_STORAGE = (
    "~/.config/b2/**", "~/.b2_account_info", "~/.ossutilconfig", "~/.cos.conf", "~/.cos.yaml", "~/.qshell/**",
    "~/.s3cfg*", "~/.s3ql/**", "~/.config/s3ql/**", "~/.gsutil/**", "~/.mcli/**", "~/.mc/**", "~/.config/mc-client/**",
    "~/.gdrive/**", "~/.config/gdrive*/**", "~/.gdfuse/**", "~/.megacmd/**", "~/.megarc", "~/.config/onedrive*/**",
    "~/.dropbox/**", "~/.dropbox_uploader", "~/.config/maestral/**", "~/.local/share/maestral/**",
    "~/.config/nextcloud/**", "~/.local/share/nextcloud/**", "~/.config/owncloud/**", "~/.ccnet/**",
    "~/.config/seafile/**", "~/.pcloud/**", "~/.insync/**", "~/.config/insync/**", "~/.config/kopia/**",
    "~/.config/borg/**", "~/.config/borgmatic/**", "~/.borgmatic/**", "~/.config/restic/**", "~/.config/rustic/**",
    "~/.config/resticprofile/**", "~/.config/duplicati/**", "~/.duplicacy*/**", "~/.config/tarsnap/**",
    "~/.lakectl.yaml", "~/.config/dvc/config", "~/.aliyunpan/**", "~/.config/aliyunpan/**", "~/.bypy/**",
    "~/.config/juicefs/**", "~/.passwd-*",
)  # fmt: skip
# Model providers and experiment trackers: a key allows spending money.
_MODELS = (
    "~/.openai/**", "~/.openai_api_key", "~/.openai", "~/.anthropic/**", "~/.anthropic_api_key", "~/.cohere/**",
    "~/.mistral/**", "~/.mistralai/**", "~/.together/**", "~/.groq/**", "~/.config/groq/**", "~/.openrouter/**",
    "~/.config/openrouter/**", "~/.deepseek/**", "~/.perplexity/**", "~/.replicate/**", "~/.config/replicate/**",
    "~/.gemini_api_key", "~/.xai/**", "~/.config/google-generativeai/**", "~/.runpod/**", "~/.vast_api_key",
    "~/.config/vastai/**", "~/.modal.toml", "~/.lambda_cloud/**", "~/.paperspace/**", "~/.lightning/**",
    "~/.comet.config", "~/.clearml.conf", "~/clearml.conf", "~/.neptune/**", "~/.mlflow/**", "~/.config/kaggle/**",
    "~/.config/wandb/**", "~/.modelscope/**", "~/.cache/modelscope/credentials/**", "~/.ngc/**", "~/.cerebrium/**",
    "~/.config/huggingface/**", "~/.huggingface/**", "~/.cache/huggingface/token*", "~/.baseten/**", "~/.trussrc",
    "~/.config/beam/**", "~/.beam/**", "~/.dstack/**", "~/.sky/*.yaml", "~/.config/elevenlabs/**",
    "~/.config/deepl/**", "~/.langsmith/**", "~/.config/langsmith/**", "~/.wolframalpha*", "~/.roboflow/**",
    "~/.config/roboflow/**", "~/.config/dataiku/**", "~/.dataiku/**", "~/.config/deepgram/**",
    "~/.config/assemblyai/**", "~/.labelbox/**", "~/.config/prodigy/**",
)  # fmt: skip
# Logins to a cloud through a third party.
_LOGINS = (
    "~/.saml2aws*", "~/.awsvault/**", "~/.okta/**", "~/.okta_aws_login_config", "~/.okta-aws-cli*", "~/.okta_*",
    "~/.granted/**", "~/.leapp/**", "~/.aws-sam/**", "~/.aws-azure-login/**", "~/.clisso.yaml",
    "~/.gimme-aws-creds/**", "~/.config/gimme-aws-creds/**", "~/.config/hcp/**", "~/.hcp/**", "~/.spacelift/**",
    "~/.config/infracost/**", "~/.doppler/**", "~/.infisical/**", "~/.config/infisical/**", "~/.akeyless/**",
    "~/.envkey/**", "~/.phase/**", "~/.chef/**", "~/.config/boundary/**", "~/.boundary/**", "~/.config/teleport*/**",
    "~/.hoop/**", "~/.strongdm/**", "~/.sdm/**", "~/.azure-devops/**", "~/.azure-functions-core-tools/**",
    "~/.identityservice/**", "~/.local/share/.identityservice/**", "~/.local/.identityservice/**",
    "~/.config/conjur/**", "~/.conjurrc", "~/.conjur/**",
)  # fmt: skip

RULES = (
    PathRule(
        id="path.cloud-credentials",
        ops=BOTH,
        severity="ask",
        reason="Anyone who has it can act in the cloud in your name.",
        effects=frozenset({"spend"}),
        patterns=(
            *_PLATFORMS, *_STORAGE, *_MODELS, *_LOGINS, "**/.aws/**", "~/.config/gcloud/**",
            "**/application_default_credentials.json", "~/appdata/roaming/gcloud/**", "~/.azure/**",
            "**/.azure/accesstokens.json", "**/.azure/azureprofile.json", "**/.azure/msal_token_cache*", "**/.oci/**",
            "~/.config/doctl/**", "~/library/application support/doctl/**", "~/.config/hcloud/**",
            "~/.config/linode-cli", "~/.linode-cli/**", "**/.fly/config.yml", "~/.config/heroku/**", "~/.config/scw/**",
            "~/.config/exoscale/**", "~/.config/openstack/**", "**/.openstack/clouds.yaml", "**/openrc.sh",
            "~/.config/vercel/**", "~/.local/share/com.vercel.cli/**",
            "~/library/application support/com.vercel.cli/**", "~/.vercel/auth.json", "~/.netlify/**",
            "~/.config/netlify/**", "~/.wrangler/**", "~/.config/.wrangler/**", "~/.railway/**", "~/.supabase/**",
            "~/.config/configstore/firebase-tools.json", "~/.aliyun/**", "~/.bluemix/**", "~/.tccli/**",
            "~/.vultr-cli.yaml", "~/.config/rclone/**", "**/rclone.conf", "~/.s3cfg", "~/.mc/config.json", "~/.boto",
            "~/.passwd-s3fs", "~/.pulumi/credentials.json", "~/.snowflake/**", "~/.databrickscfg",
            "~/.kaggle/kaggle.json", "~/.huggingface/token", "~/.cache/huggingface/token",
            "~/.cache/huggingface/stored_tokens", "~/.config/openai/**", "~/.config/anthropic/**", "~/.wandb/**",
            "~/.ngrok2/**", "~/.config/ngrok/**", "~/.cloudflared/**", "~/.config/stripe/**", "~/.config/sentry/**",
            "~/.sentryclirc", "~/.twilio-cli/**",
        ),
        match=(
            "~/.aws/credentials", "~/.aws/config", "~/.config/gcloud/credentials.db", "~/.azure/accessTokens.json",
            "~/.oci/config", "~/.config/doctl/config.yaml", "~/.config/hcloud/cli.toml", "~/.fly/config.yml",
            "~/.config/rclone/rclone.conf", "/root/.aws/credentials", "~/.snowsql/config",
            "~/.tsh/keys/teleport.example.com/dev", "~/.openai/api_key", "~/.config/supabase/access-token",
            "~/.modal.toml", "~/.saml2aws", "~/.config/b2/account_info",
            "~/Library/Application Support/doctl/config.yaml",
            "~/.var/app/com.nextcloud.desktopclient.nextcloud/config/Nextcloud/nextcloud.cfg",
        ),
    ),
)  # fmt: skip
