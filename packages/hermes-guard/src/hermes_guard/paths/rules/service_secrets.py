"""Rules for passwords and keys of the machine and its services."""

from hermes_guard.paths.rule import READ, PathRule

_PRIVILEGED = frozenset({"privileged"})

# Data that services store for themselves.
_STATE = (
    "/var/lib/cloud/instance/**", "/var/lib/cloud/instances/**", "/var/lib/cloud/seed/**",
    "/run/cloud-init/*sensitive*", "/var/lib/waagent/**", "/var/lib/sss/**", "/var/lib/tailscale/**",
    "/var/lib/zerotier-one/**", "/var/lib/netbird/**", "/etc/netbird/**", "/etc/nebula/**", "/var/lib/headscale/**",
    "/var/lib/networkmanager/secret_key", "/var/lib/bluetooth/**", "/var/lib/connman/**", "/var/lib/docker/volumes/**",
    "/var/lib/docker/swarm/**", "/var/lib/docker/containers/**", "/var/lib/docker/overlay2/**",
    "/var/lib/containers/**", "/var/lib/kubelet/**", "/var/lib/rancher/**", "/var/lib/k0s/**", "/var/lib/minikube/**",
    "/var/snap/microk8s/**", "/var/lib/lxd/**", "/var/lib/lxc/**", "/var/lib/incus/**", "/var/snap/lxd/**",
    "/var/lib/libvirt/**", "/etc/libvirt/secrets/**", "/etc/libvirt/passwd.db", "/var/lib/vault/**", "/opt/vault/**",
    "/var/lib/consul/**", "/opt/consul/**", "/opt/nomad/**", "/var/lib/nomad/**", "/etc/consul.d/**",
    "/etc/nomad.d/**", "/etc/boundary.d/**", "/var/lib/jenkins/secrets/**", "/var/lib/jenkins/users/**",
    "/var/lib/jenkins/*.key*", "/var/lib/jenkins/identity.key.enc", "/var/jenkins_home/secrets/**",
    "/var/jenkins_home/credentials.xml", "/etc/gitlab-runner/**", "/etc/gitlab/**", "/var/opt/gitlab/**",
    "/var/lib/gitea/**", "/etc/gitea/**", "/etc/forgejo/**", "/var/lib/forgejo/**", "/var/lib/grafana/**",
    "/var/lib/redis/**", "/var/lib/valkey/**", "/var/lib/mongodb/**", "/var/lib/mongo/**", "/var/lib/pgsql/**",
    "/var/lib/mariadb/**", "/var/lib/cassandra/**", "/var/lib/clickhouse/**", "/var/lib/elasticsearch/**",
    "/var/lib/opensearch/**", "/var/lib/influxdb/**", "/var/lib/rabbitmq/**", "/var/lib/couchdb/**",
    "/var/lib/neo4j/**", "/var/lib/kafka/**", "/var/lib/zookeeper/**", "/var/lib/scylla/**", "/var/lib/arangodb3/**",
    "/var/lib/minio/**", "/var/lib/ceph/**", "/etc/ceph/*.keyring", "/var/lib/ldap/**", "/var/lib/openldap/**",
    "/var/lib/dirsrv/**", "/var/lib/ipa/**", "/var/lib/pki/**", "/var/kerberos/**", "/var/lib/heimdal-kdc/**",
    "/var/lib/samba/*.tdb", "/var/lib/winbindd/**", "/var/lib/systemd/random-seed", "/var/lib/systemd/homed/**",
    "/var/lib/systemd/pcrlock*", "/var/lib/private/**", "/var/lib/fprint/**", "/var/lib/snmp/**",
    "/var/lib/teleport/**", "/var/lib/acme/**", "/var/lib/caddy/**", "/var/lib/dehydrated/**",
    "/var/lib/letsencrypt/**", "/var/lib/bitwarden*/**", "/var/lib/vaultwarden/**", "/var/lib/homeassistant/**",
    "/var/lib/hass/**", "/var/lib/tor/**", "/var/lib/i2p*/**", "/var/lib/bitcoin*/**", "/var/lib/lnd/**",
    "/var/lib/monero/**", "/var/lib/matrix-synapse/**", "/etc/matrix-synapse/**", "/var/lib/prosody/**",
    "/var/lib/ejabberd/**", "/var/lib/unifi/**", "/var/lib/nextcloud/**", "/var/lib/syncthing/**", "/var/lib/gdm*/**",
    "/var/lib/lightdm/**", "/var/lib/sddm/**", "/var/lib/swtpm*/**", "/var/lib/tpm*/**", "/var/lib/softhsm/**",
    "/var/lib/puppet/ssl/**", "/var/lib/mysql-keyring/**", "/var/lib/amazon/**", "/var/lib/google/**",
    "/var/lib/git-secret*/**", "/var/spool/cron/**", "/var/at/**", "/var/spool/at/**", "/var/spool/cups/**",
    "/var/log/installer/**", "/var/cache/debconf/passwords.dat", "/var/log/sudo-io/**", "/var/log/btmp*",
    "/root/anaconda-ks.cfg", "/root/original-ks.cfg", "/run/credentials/**", "/run/agenix/**", "/run/agenix.d/**",
    "/run/secrets.d/**", "/run/keys/**", "/run/user/*/secrets.d/**", "/run/user/*/agenix/**", "/run/user/*/krb5cc*",
    "/run/sudo/**", "/run/cryptsetup/**", "/var/db/sudo/**", "/var/lib/sudo/**", "/etc/tailscale/**",
)  # fmt: skip
# Passwords in the configuration of a service.
_CONFIGURATION = (
    "/etc/rsyncd.secrets", "/etc/rsyncd.scrt", "/etc/rsync*.secrets", "/etc/racoon/psk.txt", "/etc/freeradius/**",
    "/etc/raddb/**", "/etc/ddclient.conf", "/etc/ddclient/**", "/etc/inadyn*", "/etc/rndc.key", "/etc/bind/*.key",
    "/etc/named/*.key", "/etc/tsig*", "/etc/nut/upsd.users", "/etc/ups/upsd.users", "/etc/snmp/snmpd.conf",
    "/etc/bacula/**", "/etc/bareos/**", "/etc/rclone*", "/etc/rclone/**", "/etc/davfs2/secrets",
    "/etc/webmin/miniserv.users", "/etc/pve/priv/**", "/etc/pve/user.cfg", "/etc/teleport.yaml", "/etc/cloudflared/**",
    "/etc/ngrok*", "/etc/newrelic*", "/etc/newrelic-infra*", "/etc/icinga2/**/api-users.conf", "/etc/phpmyadmin/**",
    "/etc/roundcube/**", "/etc/dbconfig-common/**", "/etc/wordpress/**", "/etc/nextcloud/**", "/etc/salt/pki/**",
    "/etc/puppetlabs/**/private_keys/**", "/etc/puppet/**/private_keys/**", "/etc/chef/**", "/etc/apt/auth.conf",
    "/etc/apt/auth.conf.d/**", "/etc/hostapd/**", "/etc/wicd/**", "/etc/iwd/**", "/etc/keys/**", "/etc/tcb/**",
    "/etc/msmtprc", "/etc/ssmtp/**", "/etc/mail/authinfo*", "/etc/exim4/passwd*", "/etc/dovecot/private/**",
    "/etc/dovecot/*.conf.ext", "/etc/dovecot/users", "/etc/dovecot/passwd*", "/etc/postfix/sasl/**",
    "/etc/postfix/*mysql*.cf", "/etc/postfix/*pgsql*.cf", "/etc/opendkim/keys/**", "/etc/dkimkeys/**",
    "/etc/rspamd/dkim/**", "/etc/ldap.secret", "/etc/libnss-ldap.secret", "/etc/pam_ldap.secret",
    "/etc/ldap/ldap.secret", "/etc/nslcd.conf", "/etc/sssd/**", "/etc/pgbouncer/userlist.txt", "/etc/pgpass",
    "/etc/mysql/*.cnf.d/*password*", "/etc/redis/users.acl", "/etc/rabbitmq/**/*.erl", "/etc/kibana/*.keystore",
    "/etc/default/*secret*", "/etc/environment.d/*secret*", "/etc/wgetrc.secret", "/etc/cifs/**", "/etc/samba/*cred*",
    "/etc/smbcredentials", "/etc/*credentials*", "/etc/*.secret", "/etc/*.secrets", "/etc/*-secrets",
    "/etc/secrets/**", "/etc/secret/**", "/etc/openconnect/**", "/etc/vpnc/**", "/etc/fortivpn/**",
    "/etc/openfortivpn/**", "/etc/strongswan/**", "/etc/swanctl/**", "/etc/mosquitto/passwd*", "/etc/machine-secret",
    "/etc/nixos/secrets*", "/etc/nixos/**/secrets/**", "/etc/sops/**", "/etc/age/**", "/etc/step-ca/**",
    "/etc/acme*/**", "/etc/lego/**", "/etc/dehydrated/**", "/etc/ssl/*.key", "/etc/nginx/**/*.key",
    "/etc/nginx/.htpasswd*", "/etc/nginx/htpasswd*", "/etc/apache2/*htpasswd*", "/etc/httpd/*htpasswd*",
    "/etc/squid/passwd*", "/etc/proftpd/*passwd*", "/etc/vsftpd/**/*users*", "/etc/caldav*/**", "/etc/radicale/users",
    "/etc/kcpassword", "/etc/security/keytabs/**", "/etc/hadoop/**/*.jceks", "/etc/ipa/**/*.key", "/etc/k3s*/**",
    "/etc/kubernetes/**/*secret*", "/etc/origin/**", "/etc/grafana/grafana.ini", "/etc/zabbix/*.psk",
    "/etc/zabbix/web/*.php", "/etc/zabbix/zabbix_server.conf", "/etc/datadog-agent/datadog.yaml",
)  # fmt: skip
_MACOS = (
    "/var/db/systemkey", "/var/db/shadow/**", "/var/db/lockdown/**", "/var/db/configurationprofiles/**",
    "/var/db/krb5kdc/**", "/var/db/auth.db*", "/var/db/sysdiagnose/**", "/var/db/locationd/**",
    "/library/preferences/com.apple.wifi.known-networks.plist",
    "/library/preferences/systemconfiguration/com.apple.airport.preferences.plist",
    "/library/preferences/com.apple.loginwindow.plist", "/library/server/**",
    "/library/application support/apple/parentalcontrols/**", "/library/application support/zerotier/**",
    "/library/tailscale/**",
)  # fmt: skip
#: Where the root of another system may be mounted: a container, a disk, a snapshot.
_OTHER_ROOTS = (
    *("/host", "/hostfs", "/rootfs", "/sysroot", "/mnt", "/media", "/srv", "/.snapshots", "/var/lib/machines"),
    *("/chroot", "/target", "/newroot", "/run/media"),
)
_OTHER_SYSTEMS = (
    *(f"{root}/**/etc/{name}" for root in _OTHER_ROOTS for name in ("shadow*", "gshadow*", "sudoers", "krb5.keytab")),
    *(f"/mnt/*/windows/{name}" for name in ("system32/config/**", "repair/sam", "repair/system", "ntds/ntds.dit")),
    "/mnt/*/users/*/ntuser.dat*",
)
_CLIENTS = (
    "~/.mail/**", "~/.local/share/mail/**", "~/.local/share/geary/**", "~/.local/share/evolution/**",
    "~/.local/share/local-mail/**", "~/.local/share/akonadi/**", "~/.cache/mutt/**", "~/.cache/neomutt/**",
    "~/.cache/evolution/**", "~/.config/thunderbird/**", "~/library/containers/com.apple.mail/**",
    "/var/spool/mqueue/**", "/var/spool/postfix/**", "/var/spool/exim*/**", "/var/vmail/**", "~/.notmuch/**",
    "~/.local/share/protonmail/**", "~/nsmail/**", "~/.betterbird/**", "~/.local/share/mailspring/**", "~/mbox",
)  # fmt: skip

RULES = (
    PathRule(
        id="path.system-secret",
        ops=READ,
        severity="ask",
        reason="It holds passwords or keys of the machine.",
        effects=_PRIVILEGED,
        patterns=(
            *_STATE, *_CONFIGURATION, *_MACOS, "/etc/shadow*", "/etc/gshadow*", *_OTHER_SYSTEMS, "/etc/master.passwd",
            "/etc/spwd.db", "/etc/security/opasswd", "/var/backups/*shadow*", "/etc/sudoers", "/etc/sudoers.d/**",
            "/etc/doas.conf", "/etc/ssl/private/**", "/etc/pki/tls/private/**", "/etc/pki/*/private/**",
            "/etc/letsencrypt/live/**", "/etc/letsencrypt/archive/**", "/etc/letsencrypt/keys/**",
            "/etc/letsencrypt/accounts/**", "/etc/ssh/ssh_host_*_key", "/etc/ssh/*_key",
            "/etc/networkmanager/system-connections/**", "/etc/netplan/**", "/etc/wpa_supplicant/**", "/var/lib/iwd/**",
            "/etc/wireguard/**", "/etc/openvpn/**", "/etc/boto.cfg", "/etc/openldap/slapd.d/**", "/etc/ldap/slapd.d/**",
            "/etc/ipsec.secrets", "/etc/ipsec.d/private/**", "/etc/swanctl/private/**", "/etc/ppp/*-secrets",
            "/etc/krb5.keytab", "/var/lib/krb5kdc/**", "/etc/mysql/debian.cnf", "/etc/kubernetes/*.conf",
            "/etc/kubernetes/pki/**", "/etc/rancher/**", "/var/lib/kubelet/pki/**", "/var/lib/etcd/**",
            "/run/secrets/**", "/var/run/secrets/**", "/etc/docker/key.json", "/etc/grub.d/*password*",
            "/boot/grub/user.cfg", "/boot/grub2/user.cfg", "/etc/samba/smbpasswd", "/var/lib/samba/private/**",
            "/etc/exim4/passwd.client", "/etc/postfix/sasl_passwd*", "/etc/fstab.creds", "/etc/cifs-credentials",
            "/etc/borgmatic/**", "/etc/restic/**", "/var/lib/systemd/credential.secret", "/etc/credstore/**",
            "/etc/credstore.encrypted/**", "/etc/vault.d/**", "/etc/munge/munge.key", "/etc/crypttab.key",
            "/etc/luks/**", "/etc/cryptsetup-keys.d/**", "/var/db/dslocal/**", "/var/lib/mysql/**",
            "/var/lib/postgresql/**", "/windows/system32/config/sam", "/windows/system32/config/security",
            "/windows/system32/config/system", "/windows/repair/sam", "/windows/ntds/ntds.dit",
        ),
        unless=("/etc/letsencrypt/live/readme", "/etc/letsencrypt/live/*/readme", "/run/secrets", "/var/run/secrets"),
        match=(
            "/etc/shadow", "/etc/shadow-", "/host/etc/shadow", "/.snapshots/12/snapshot/etc/shadow",
            "/mnt/c/Windows/System32/config/SAM", "/etc/boto.cfg", "/etc/gshadow", "/etc/sudoers",
            "/etc/ssl/private/server.key", "/etc/ssh/ssh_host_ed25519_key", "/run/secrets/db_password",
            "/var/run/secrets/kubernetes.io/serviceaccount/token", "/etc/kubernetes/admin.conf",
            "/etc/wireguard/wg0.conf", "/var/lib/cloud/instance/user-data.txt", "/var/lib/sss/db/cache_default.ldb",
            "/var/lib/tailscale/tailscaled.state", "/var/lib/bluetooth/AA/BB/info",
            "/var/lib/docker/volumes/db/_data/x", "/etc/gitlab-runner/config.toml", "/var/db/SystemKey",
            "/var/spool/cron/crontabs/root", "/run/credentials/app.service/token",
        ),
    ),
    PathRule(
        id="path.mail",
        ops=READ,
        severity="ask",
        reason="It is a user's mail.",
        patterns=(
            *_CLIENTS, "/var/mail/**", "/var/spool/mail/**", "~/mail/**", "~/maildir/**", "~/.thunderbird/**",
            "~/.mozilla/thunderbird/**", "~/library/mail/**", "~/library/messages/**",
            "~/.local/share/evolution/mail/**", "~/library/thunderbird/**",
        ),
        match=(
            "/var/mail/dev", "~/Maildir/new/1", "~/.thunderbird/x.default/Mail/a", "~/Library/Messages/chat.db",
            "~/.mail/work/cur/1", "~/.var/app/org.mozilla.Thunderbird/.thunderbird/x/Mail/a",
        ),
    ),
)  # fmt: skip
