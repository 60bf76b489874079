#!/bin/sh
# Installs containerd, runc, CNI plugins, kubelet, kubeadm and container images from an archive on the machine, and
# starts containerd. Run again with the same archive, it only restores what has changed.
# Usage: install-programs.sh ARCHIVE SHA256
set -eu
# shellcheck source=components/linux/steps/lib.sh
. "$(dirname "$0")/lib.sh"
begin install-programs
archive=$1
sha256=$2
home=/var/lib/kindows
installed=$home/installed
mkdir -p "$home" /etc/containerd /etc/systemd/system/kubelet.service.d

is_new=false
if [ "$(cat "$installed" 2>/dev/null)" != "$sha256" ]; then
  check_archive "$archive" "$sha256"
  rm -f "$installed"
  tar --extract --gzip --no-overwrite-dir --no-same-owner --file "$archive" --directory /
  is_new=true
  changed=true
fi

# runc is Debian's and needs the C library of Debian 12, which an older system does not have.
/usr/local/sbin/runc --version >/dev/null ||
  fail ProgramsUnfit "runc does not run on this system: it said why above." \
    "Use an image of Debian 12, Ubuntu 22.04 or newer."

# config_path, because containerd takes its default, a list of two folders, for one (containerd/containerd#12808).
write_file /etc/containerd/config.toml <<'CONF'
version = 3
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = 'registry.k8s.io/pause:3.10'
[plugins.'io.containerd.cri.v1.images'.registry]
  config_path = '/etc/containerd/certs.d'
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
  runtime_type = 'io.containerd.runc.v2'
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
    SystemdCgroup = true
CONF
# From containerd's own project.
write_file /etc/systemd/system/containerd.service <<'CONF'
[Unit]
Description=containerd container runtime
After=network.target local-fs.target
[Service]
ExecStart=/usr/local/bin/containerd
Environment=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
Type=notify
Delegate=yes
KillMode=process
Restart=always
RestartSec=5
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity
OOMScoreAdjust=-999
TimeoutStartSec=300
[Install]
WantedBy=multi-user.target
CONF
# From Kubernetes' packages. The kubelet does not start without its configuration, which the join writes.
write_file /etc/systemd/system/kubelet.service <<'CONF'
[Unit]
Description=kubelet: The Kubernetes Node Agent
Wants=network-online.target
After=network-online.target containerd.service
ConditionPathExists=/var/lib/kubelet/config.yaml
StartLimitIntervalSec=0
[Service]
ExecStart=/usr/bin/kubelet
Restart=always
RestartSec=10
[Install]
WantedBy=multi-user.target
CONF
write_file /etc/systemd/system/kubelet.service.d/10-kubeadm.conf <<'CONF'
[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
EnvironmentFile=-/etc/default/kubelet
ExecStart=
ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
CONF

if [ "$changed" = true ]; then
  systemctl daemon-reload
  systemctl enable --quiet containerd kubelet
  systemctl restart containerd
fi
systemctl start containerd
await 120 ctr version ||
  fail ContainerdSilent "containerd does not answer within 120 s." "Look at: journalctl -u containerd."
if [ "$is_new" = true ]; then
  ctr --namespace k8s.io images import --all-platforms --no-unpack --digests "$home/images.tar" >/dev/null
  rm "$home/images.tar" "$archive"
  # A running kubelet needs a restart to use the new version.
  systemctl try-restart kubelet
  echo "$sha256" >"$installed"
fi
kubernetes=$(kubelet --version | sed 's/^Kubernetes v//')
containerd=$(containerd --version | cut -d ' ' -f 3 | sed 's/^v//')
finish "\"kubernetes\":\"$kubernetes\",\"containerd\":\"$containerd\""
