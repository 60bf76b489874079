#!/bin/sh
# Installs released versions of KubeVirt and CDI in the cluster of $KUBECONFIG, for one machine with the rehearsal's
# guest. KUBEVIRT_VERSION, CDI_VERSION: releases.
set -eu
: "${KUBEVIRT_VERSION:?}" "${CDI_VERSION:?}"

releases=https://github.com/kubevirt
for part in "kubevirt/releases/download/$KUBEVIRT_VERSION/kubevirt" "containerized-data-importer/releases/download/$CDI_VERSION/cdi"; do
  kubectl create -f "$releases/$part-operator.yaml"
  kubectl create -f "$releases/$part-cr.yaml"
done
kubectl --namespace kubevirt wait kubevirt/kubevirt --for=condition=Available --timeout=15m
kubectl wait cdi/cdi --for=condition=Available --timeout=15m

# CDI may not know the access modes of kind's own storage class.
kubectl wait storageprofile/standard --for=create --timeout=5m
kubectl patch storageprofile standard --type=merge --patch '
  {"spec": {"claimPropertySets": [{"accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem"}]}}'

# The guest's kernel has no driver for SATA, which the identity disc of Windows machines uses.
kubectl create -f - <<'POLICY'
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: { name: rehearsal }
spec:
  matchConstraints:
    resourceRules:
      - { apiGroups: [kubevirt.io], apiVersions: [v1], operations: [CREATE], resources: [virtualmachineinstances] }
  reinvocationPolicy: Never
  mutations:
    - patchType: JSONPatch
      jsonPatch:
        expression: >-
          [
            JSONPatch{op: "remove", path: "/spec/domain/devices/disks/1/cdrom"},
            JSONPatch{op: "add", path: "/spec/domain/devices/disks/1/disk", value: {"bus": "virtio"}}
          ]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: { name: rehearsal }
spec: { policyName: rehearsal }
POLICY

kubectl create namespace windows
