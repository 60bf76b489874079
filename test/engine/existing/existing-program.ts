import type { HollowMedia } from "../../../rehearsal/host/hollow/hollow-media.ts";

/** A machine of the program's settings. */
export interface Member {
  readonly name: string;
  readonly address: string;
  readonly hostKey: string;
  /** Of its SSH server on this host. */
  readonly port: number;
  readonly labels: Readonly<Record<string, string>>;
  /** SSH server on this host by which it is reached. */
  readonly bastion?: { readonly port: number; readonly hostKey: string };
}

/** The stack's own composition, with a cluster that is really looked at, and programs that the machines carry. */
export function existingProgram(
  members: readonly Member[],
  endpoint: string,
  media: HollowMedia,
): string {
  const nodes = members.map(({ name, address, hostKey, labels, port, bastion }) => ({
    ...{ name, address, hostKey, labels, port },
    bastions: bastion ? [{ ...bastion, address: "localhost", user: "jump" }] : [],
  }));
  return `
  import { readFileSync } from "node:fs";
  import { examineCluster } from "./components/controlplane/existing/examine-cluster.ts";
  import { defaultRequirements } from "./components/windows/host-requirements.ts";
  import { imageSoftware } from "./components/windows/software.ts";
  import { resolveExisting } from "./config/existing/resolve.ts";
  import { existingMachines } from "./stacks/existing-machines.ts";

  const file = process.cwd() + "/kubeconfig";
  const settings = resolveExisting({
    cluster: { kubeconfig: { file }, endpoint: ${JSON.stringify(endpoint)} },
    cni: { kind: "none" },
    login: { privateKeyFile: process.cwd() + "/key" },
    nodes: ${JSON.stringify(nodes)},
  }, { file: "Pulumi.test.yaml" });
  const { cni, nodes: machines } = settings;
  const cluster = await examineCluster(settings.cluster.kubeconfig, { ...settings.cluster, cni, nodes: machines });
  const privateKey = readFileSync("key", "utf8");
  const stack = existingMachines(
    settings,
    {
      cluster,
      // Machines on this host: their addresses are only for the cluster.
      access: ({ hostKey, login: { user, port, bastions: [bastion] } }) => ({
        machine: { host: "127.0.0.1", port, user, hostKey, privateKey },
        ...(bastion && {
          bastion: { ...bastion, host: "127.0.0.1", privateKey },
        }),
      }),
    },
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
