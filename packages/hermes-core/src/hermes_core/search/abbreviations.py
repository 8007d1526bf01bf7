"""Short forms that stand for one word alone: whoever writes *msg* means a message.

What has several meanings is not here: *app*, *doc* and *temp* are words of their own, and have synonyms instead.
"""

from __future__ import annotations

_SHORT_FORMS = """
account: acct
address: addr
amount: amt
appointment: appt
average: avg
command: cmd
config: cfg
credential: creds cred
department: dept
destination: dst
directory: dir
forward: fwd
image: img
language: lang
management: mgmt
manager: mgr
meeting: mtg
message: msg
notification: notif
number: num
package: pkg
parameter: param params
password: passwd pwd
permission: perm perms
picture: pic
quantity: qty
repository: repo
request: req
response: resp
schedule: sched
server: srv
service: svc
source: src
temporary: tmp
transaction: txn
user: usr
version: ver
video: vid
"""
WRITTEN_OUT: dict[str, str] = {
    form: word
    for line in _SHORT_FORMS.split("\n")
    if line
    for word, forms in [line.split(": ")]
    for short in forms.split()
    for form in (short, f"{short}s")
}
"""The word that a short form, or several of what it stands for, is written out as."""
