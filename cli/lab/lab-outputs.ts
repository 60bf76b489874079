import * as z from "zod";
import type { SshSource } from "../../host/ssh/run-over-ssh.ts";

const nodeSchema = z.object({
  name: z.string(),
  os: z.enum(["windows", "linux"]),
  address: z.string(),
  hostKey: z.string(),
  sshUser: z.string(),
  /** Of a machine that was there before the lab. */
  sshPort: z.number().optional(),
  /** The user's own key for it; undefined if the key itself is a setting. */
  sshKeyFile: z.string().optional(),
});

/** The outputs of a lab's stack (index.ts). */
export const outputsSchema = z.object({
  kubeconfig: z.string(),
  sshPrivateKey: z.string(),
  controlPlane: z.object({
    /** `host:port` as nodes see it. */
    endpoint: z.string(),
    hostsEntries: z.array(z.object({ address: z.string(), name: z.string() })),
    kubernetesVersion: z.string(),
    /** Nodes that came with the cluster itself: control planes, and workers in containers. */
    nodeNames: z.array(z.string()),
    /** Address and port at which the nodes find the lab's registry, if it has one. */
    registry: z.string().optional(),
  }),
  nodes: z.array(nodeSchema),
});

export type LabOutputs = z.infer<typeof outputsSchema>;

/** How to log in to a machine that the lab has made. */
export function machineSource(
  { address, hostKey, sshUser }: LabOutputs["nodes"][number],
  { sshPrivateKey }: Pick<LabOutputs, "sshPrivateKey">,
): SshSource {
  return { host: address, port: 22, user: sshUser, hostKey, privateKey: sshPrivateKey };
}
