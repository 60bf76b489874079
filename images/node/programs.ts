import {
  agnhost,
  containerdLinux,
  coredns,
  etcd,
  kubeApiserver,
  kubectl,
  kubernetesLinux,
  localPathProvisioner,
} from "../../toolchain/tools/table.ts";

/** Artifacts of the programs on a node and in the images that it carries. */
export const nodePrograms = {
  kubeadm: kubernetesLinux,
  kubelet: kubernetesLinux,
  "kube-apiserver": kubeApiserver,
  "kube-controller-manager": kubernetesLinux,
  "kube-scheduler": kubernetesLinux,
  "kube-proxy": kubernetesLinux,
  kubectl,
  containerd: containerdLinux,
  "containerd-shim-runc-v2": containerdLinux,
  ctr: containerdLinux,
  etcd,
  coredns,
  "local-path-provisioner": localPathProvisioner,
  agnhost,
} as const;

/** The path of a program on this host. */
export type ProgramPath = (name: keyof typeof nodePrograms) => string;
