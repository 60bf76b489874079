import { joinOf, linuxJoinOf, machineOf } from "./node-resources.ts";
import type { SettingChange } from "./planned.ts";

/** Its pods have no network on Windows nodes, which get routes instead. */
const routes = (node: string): readonly string[] => [`Command ${node}-set-clusterroute`];

/** Changes of the stack `rehearsal`, each alone. There is one version of Kubernetes, and one of the pod network. */
export const rehearsalChanges: readonly SettingChange[] = [
  {
    name: "another node",
    settings: { nodes: [{ name: "win-1" }, { name: "win-2" }] },
    plans: {
      created: ["Command win-2-host-key", machineOf("win-2"), joinOf("win-2", routes("win-2"))],
      // It is waited for on the new node too.
      changed: ["Command kube-proxy-windows-on-nodes"],
    },
  },
  {
    name: "no node",
    settings: { nodes: [] },
    // Without Windows nodes there is no image of Windows either.
    plans: {
      deleted: [
        ...["Command win-1-host-key", machineOf("win-1"), joinOf("win-1", routes("win-1"))],
        ...["Command machines-images", "Volume machines-base"],
        ...["Command node-routes", "Command kube-proxy-windows-on-nodes"],
      ],
    },
  },
  {
    name: "a Linux worker",
    settings: { cluster: { workers: [{ name: "worker-1" }] } },
    // Its pods are reached by way of it.
    plans: { created: ["Action control-plane-worker-1"], changed: ["Command node-routes"] },
    // By what the lookup of the routes says, which a preview without a state has not got.
    alsoWhenUp: routes("win-1"),
  },
  {
    name: "a Linux machine as another node",
    settings: { nodes: [{ name: "win-1" }, { name: "linux-1", os: "linux" }] },
    plans: {
      created: [
        ...["Command linux-machines-images", "Volume linux-machines-base"],
        ...["Command linux-1-host-key", machineOf("linux-1", { real: true })],
        linuxJoinOf("linux-1"),
      ],
      changed: ["Command node-routes"],
    },
    alsoWhenUp: routes("win-1"),
  },
  {
    name: "more memory",
    settings: { windows: { memoryMiB: 4096 } },
    plans: { replaced: ["Domain win-1"] },
  },
  {
    name: "a larger disk",
    settings: { windows: { diskGiB: 32 } },
    plans: {
      replaced: [machineOf("win-1"), joinOf("win-1", routes("win-1"))],
      changed: ["Command kube-proxy-windows-on-nodes"],
    },
  },
  {
    name: "a shorter life of join tokens",
    settings: { cluster: { tokenTtlMinutes: 30 } },
    plans: {},
  },
  {
    name: "a label",
    settings: { nodes: [{ name: "win-1", labels: { zone: "a" } }] },
    plans: { changed: ["Command win-1-join-node", "Action win-1-registration"] },
  },
  {
    name: "a byte in Install-Kubernetes.ps1",
    host: { editedStep: "Install-Kubernetes.ps1" },
    plans: {
      changed: [
        "CopyToRemote win-1-home",
        "Command win-1-steps",
        "Command win-1-install-kubernetes",
      ],
    },
  },
  {
    name: "a new image",
    host: "new image",
    plans: { replaced: ["Volume machines-base"], changed: ["Command machines-images"] },
  },
  {
    name: "a registry",
    settings: { registry: true },
    plans: {
      created: ["Action registry", "ConfigMap registry-hosting", "Command control-plane-registry"],
      changed: ["Command win-1-install-containerd"],
    },
  },
  {
    name: "another range for pods",
    settings: { cluster: { podCidr: "10.245.0.0/16" } },
    // The machine stays: its node joins again, because of what reads the new token and kubeconfig.
    plans: {
      replaced: [
        "Action control-plane",
        "Command control-plane-ready",
        "Command node-routes",
        "Action win-1-token",
        "ConfigMap kube-proxy-windows",
        "DaemonSet kube-proxy-windows",
        "Command kube-proxy-windows-on-nodes",
        "Action win-1-registration",
        "Command win-1-ready",
      ],
      changed: [
        ...["kubernetes control-plane", "Command win-1-set-hostsentry"],
        ...["Command win-1-join-node", "Command win-1-set-clusterroute"],
      ],
    },
  },
];
