"""Tables of cloud verbs: what deletes, what stops, what grants access."""

from collections.abc import Sequence

from hermes_guard import lazy_re as re
from hermes_guard.name_sets import names
from hermes_guard.shell.word import Word

DELETING = re.compile(
    r"(?:delete|destroy|terminate|remove|purge|rm|rb|del|undeploy|unpublish|erase|wipe|unset|unlink|uninstall"
    r"|nuke|drop|clear|destroy-all|deregister|deletefile|rmdirs?|delete_?[a-z]*|batch-?delete|detach|decommission"
    r"|deprovision|unprovision|unregister|truncate|flush|expunge|rmr|rrdelete|rrpurge|obliterate|teardown|tear-down"
    r"|reinstall|reimage|rebuild|force-delete|hard-delete|bulk-?delete|leave)"
    r"(?:-[a-z-]+)?$|reset(?:-db|-windows)?$|.*[-_](?:delete|destroy|remove|purge|wipe|terminate|del)$"
)
STOPPING = re.compile(
    r"(?:stop|deallocate|restart|reboot|suspend|shutdown|power-?off|poweroff|power-cycle|reset|disable"
    r"|failover|kill|killall|halt|restage|rollback|power_off|deactivate|hibernate|redeploy|evacuate|drain|quarantine|pause|abort|abandon|swap"
    r"|rolling-restart)(?:-[a-z-]+)?$"
)
GRANTING = re.compile(
    r"(?:add|set|remove)-iam-policy(?:-binding)?$|set-policy$|(?:reset|regenerate|renew|rotate)-?(?:ssh|credentials?"
    r"|keys?|password|access-keys?|user|tokens?|secrets?)?$|create-for-rbac$|add-metadata$|set-metadata$"
    r"|add-access-config$|revoke(?:-[a-z-]+)?$|(?:create|add)-(?:access-key|login-profile)$"
    r"|(?:attach|authorize|grant)-[a-z-]*(?:policy|policies|role|permission|group-ingress|security-group|privilege)s?(?:-to-[a-z-]+)?$"
)
#: Words after which user-chosen names follow.
_HARMLESS = names(
    "list ls get show describe create new init inspect view info status add update set start login clone pull download "
    "tail retrieve read dev launch browse edit import export fetch publish send put query execute submit"
)
#: The same, unless they come first and name a product: `gcloud run services delete`.
_HARMLESS_LATER = names("run deploy call use")
_STAGES = names("alpha beta preview")
_WORD = re.compile(r"[a-z0-9][a-z0-9:_.-]*$")
_OPERATION = re.compile(r"[A-Za-z][A-Za-z0-9]*$")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
#: Verbs are among the first words; names follow.
_LIMIT = 5
#: No verb is longer. The limit keeps the patterns fast.
_MAX_LENGTH = 64


def spoken(words: Sequence[Word], *, operations: bool = False) -> list[str]:
    """Return the first words that may be subcommands. `operations` are written like DeleteInstance."""
    found: list[str] = []
    for word in words[:_LIMIT]:
        text = word.raw
        if len(text) > _MAX_LENGTH:
            break
        if operations and _OPERATION.match(text):
            text = _HUMP.sub("-", text).lower()
        if not word.certain or not _WORD.match(text):
            break
        found.append(text)
    return found


def pieces(verbs: Sequence[str]) -> list[str]:
    """Return the parts of the subcommands, up to the first verb that only shows or creates something."""
    found: list[str] = []
    for piece in " ".join(verbs).replace(":", " ").split():
        if piece in _HARMLESS or (found and piece in _HARMLESS_LATER):
            break
        if found or piece not in _STAGES:
            found.append(piece)
    return found
