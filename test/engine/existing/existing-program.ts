import type { FakeMedia } from "../../../rehearsal/host/fake/fake-media.ts";

/** A machine of the program's settings. */
export interface Member {
  readonly name: string;
  readonly address: string;
  readonly hostKey: string;
  /** Of its SSH server on this host. */
  readonly port: number;
  readonly labels: Readonly<Record<string, string>>;
  /** SSH servers on this host by which it is reached, in their order. */
  readonly bastions?: readonly { readonly port: number; readonly hostKey: string }[];
}

/**
 * The stack's own composition, with a cluster that is really looked at, and programs that the machines carry.
 *
 * @param windows settings that all machines have in common.
 */
export function existingProgram(
  members: readonly Member[],
  endpoint: string,
  media: FakeMedia,
  windows: object = {},
): string {
  const nodes = members.map(({ name, address, hostKey, labels, port, bastions = [] }) => ({
    ...{ name, address, hostKey, labels, port },
    bastions: bastions.map((one) => ({ ...one, address: "localhost", user: "jump" })),
  }));
  return `
  import { readFileSync } from "node:fs";
  import { examineCluster } from "./components/controlplane/existing/examine-cluster.ts";
  import { defaultRequirements } from "./components/windows/host-requirements.ts";
  import { imageSoftware } from "./components/windows/software.ts";
  import { resolveExisting } from "./config/existing/resolve.ts";
  import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
  import { openForwards } from "./stacks/bastion-forwards.ts";
  import { existingMachines } from "./stacks/existing-machines.ts";
  import { machineAccess } from "./stacks/machine-access.ts";

  const file = process.cwd() + "/kubeconfig";
  const settings = resolveExisting({
    cluster: { kubeconfig: { file }, endpoint: ${JSON.stringify(endpoint)} },
    cni: { kind: "none" },
    login: { privateKeyFile: process.cwd() + "/key" },
    windows: ${JSON.stringify(windows)},
    nodes: ${JSON.stringify(nodes)},
  }, { file: "Pulumi.test.yaml" });
  const { cni, nodes: machines } = settings;
  const cluster = await examineCluster(settings.cluster.kubeconfig, { ...settings.cluster, cni, nodes: machines });
  const privateKey = readFileSync("key", "utf8");
  // Machines and bastions are on this host: their addresses are only for the cluster.
  const here = (server) => ({ ...server, host: "127.0.0.1" });
  const access = (node) => {
    const { machine, bastion, forward } = machineAccess(
      node,
      ({ user, port }) => ({ user, port, privateKey }),
    );
    return {
      machine: here(machine),
      ...(bastion && { bastion: here(bastion) }),
      ...(forward && { forward: { ...forward, through: forward.through.map(here) } }),
    };
  };
  if (!isDryRun()) {
    await openForwards(machines.map((node) => [node.name, access(node)]));
  }
  const stack = await existingMachines(
    settings,
    { cluster, access },
    {
      software: imageSoftware(
        { kubernetes: "1.36.4", containerd: "2.4.2" },
        ${JSON.stringify({ windowsBuild: "", media })},
      ),
      requirements: defaultRequirements,
    },
  );
  export const nodes = stack.nodes;
`;
}
