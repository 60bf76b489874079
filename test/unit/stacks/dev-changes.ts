import { joinOf, machineOf } from "./node-resources.ts";
import type { SettingChange } from "./planned.ts";

const pushes = (node: string, more: readonly string[] = []): readonly string[] =>
  ["containerd", "crictl", "kubelet", "kubeadm", "kubelogrunner", ...more].map(
    (program) => `CopyToRemote ${node}-push-${program}`,
  );
const commands = (...steps: readonly string[]): readonly string[] =>
  steps.map((step) => `Command win-1-${step}`);
const calico = (node: string): readonly string[] => [
  ...pushes(node),
  `Command ${node}-add-externalnetwork`,
  `Command ${node}-confirm-externalnetwork`,
];

/** Changes of the stack `dev`, with Calico and a prepared disk, each alone, that plan something else than in `rehearsal`. */
export const devChanges: readonly SettingChange[] = [
  {
    name: "another node",
    settings: { nodes: [{ name: "win-1" }, { name: "win-2" }] },
    plans: {
      created: [
        "Command win-2-host-key",
        machineOf("win-2", { real: true }),
        joinOf("win-2", calico("win-2")),
      ],
      changed: ["Command calico-windows", "Command kube-proxy-windows-on-nodes"],
    },
  },
  {
    name: "another containerd",
    settings: {
      windows: { containerdVersion: "2.4.2", checksums: { containerd: "6".repeat(64) } },
    },
    // The Node is closed before and opened again afterwards.
    plans: {
      replaced: ["CopyToRemote win-1-push-containerd"],
      changed: ["Command win-1-install-containerd", "Action win-1-registration"],
    },
  },
  {
    name: "a smaller packet for Linux pods",
    settings: { cni: { calico: { mtu: 1400 } } },
    // What waits for the operator waits for it again.
    plans: { changed: ["Installation calico", "Command calico-linux", "Command calico-windows"] },
  },
  {
    name: "a field of Felix",
    settings: { cni: { calico: { felix: { logSeverityScreen: "Debug" } } } },
    plans: { changed: ["Command calico-configuration"] },
  },
  {
    name: "a Linux worker",
    settings: {
      cluster: { workers: ["worker-1", "worker-2", "worker-3"].map((name) => ({ name })) },
    },
    plans: { created: ["Action control-plane-worker-3"] },
  },
  {
    name: "a byte in Add-ExternalNetwork.ps1",
    host: { editedStep: "Add-ExternalNetwork.ps1" },
    plans: {
      changed: ["CopyToRemote win-1-home", ...commands("steps", "add-externalnetwork")],
    },
  },
  {
    name: "a new image",
    host: "new image",
    plans: { replaced: ["Volume machines-base"], changed: ["Command machines-images"] },
  },
];

/** Changes of the stack `dev` with Flannel, each alone. */
export const flannelChanges: readonly SettingChange[] = [
  {
    name: "routes instead of VXLAN",
    settings: { cni: { flannel: { backend: "host-gw" } } },
    // Its Linux pods, its service on each Windows node, and what is named after the network there.
    plans: {
      replaced: ["ConfigMap flannel"],
      changed: [
        "DaemonSet flannel",
        ...commands("install-flannel", "add-externalnetwork", "confirm-externalnetwork"),
        "DaemonSet kube-proxy-windows",
        "Command kube-proxy-windows-on-nodes",
      ],
    },
  },
];
