#!/bin/sh
# Waits until cloud-init has set up a Linux machine, checks whether it can be a node, installs missing programs if there
# is apt-get, and configures the kernel for pods. Run again, it changes nothing.
# Usage: prepare-host.sh NODE_NAME BOOT_SECONDS
set -eu
# shellcheck source=components/linux/steps/lib.sh
. "$(dirname "$0")/lib.sh"
begin prepare-host
node_name=$1
boot_seconds=$2

# cloud-init writes this file when its last stage has ended.
result=/run/cloud-init/result.json
await "$boot_seconds" test -s "$result" ||
  fail BootUnfinished "cloud-init has not ended within $boot_seconds s." \
    "Log in and look at: cloud-init status --long."
errors=$(tr -d ' \n' <"$result" | sed -n 's/.*"errors":\[\([^]]*\)\].*/\1/p')
[ -z "$errors" ] ||
  fail BootFailed "cloud-init ended with $errors." "Log in and look at /var/log/cloud-init.log."
[ "$(hostname)" = "$node_name" ] ||
  fail WrongName "the machine is called $(hostname), not $node_name." \
    "Its image has not read its identity disk (NoCloud): use one whose cloud-init does."

[ -f /sys/fs/cgroup/cgroup.controllers ] ||
  fail NoCgroupV2 "it has no cgroup v2, which the kubelet needs." "Use an image with a newer system."
missing=$(missing_programs)
if [ -n "$missing" ]; then
  command -v apt-get >/dev/null ||
    fail ProgramsMissing "its image lacks$missing, and has no apt-get to install them with." \
      "Use an image of Debian or Ubuntu, or one that has them."
  # shellcheck disable=SC2046,SC2086 # One word for each program and package.
  install_packages $(packages_of $missing) ||
    fail ProgramsMissing "its image lacks$missing, and apt-get could not install them: it said why above." \
      "Let the lab's segment reach the image's mirror, or put them into the image: virt-customize -a IMAGE --install NAMES."
  missing=$(missing_programs)
  [ -z "$missing" ] ||
    fail ProgramsMissing "its image lacks$missing, which its packages do not contain." "Use an image that has them."
  changed=true
fi

if [ "$(wc -l </proc/swaps)" -gt 1 ]; then
  swapoff -a
  systemctl mask --quiet swap.target
  changed=true
fi
write_file /etc/modules-load.d/kindows.conf <<'CONF'
overlay
br_netfilter
CONF
modprobe -a overlay br_netfilter ||
  fail ModulesMissing "its kernel has no modules overlay or br_netfilter." \
    "Use an image with the distribution's own kernel for clouds or servers."
# Forwards pods' packets, applies iptables to bridged ones, and allows many watches of files, e.g. for containers' logs.
write_file /etc/sysctl.d/90-kindows.conf <<'CONF'
net.ipv4.ip_forward = 1
net.bridge.bridge-nf-call-iptables = 1
fs.inotify.max_user_instances = 8192
CONF
sysctl --quiet --load=/etc/sysctl.d/90-kindows.conf

# In Debian's cloud image, cloud-init rewrites /etc/hosts at each boot, which would remove the cluster's name.
write_file /etc/cloud/cloud.cfg.d/99-kindows.cfg <<'CONF'
manage_etc_hosts: false
CONF

system=$(sed -n 's/^PRETTY_NAME="\(.*\)"$/\1/p' /etc/os-release)
finish "\"system\":\"$system\",\"kernel\":\"$(uname -r)\""
