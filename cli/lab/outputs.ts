import * as z from "zod";

import type { Pulumi } from "../engine/pulumi.ts";
import { Failure } from "../failure.ts";

const nodeSchema = z.object({
  /** Node and computer name. */
  name: z.string(),
  os: z.enum(["windows", "linux"]),
  address: z.string(),
  /** Public SSH host key. */
  hostKey: z.string(),
  sshUser: z.string(),
});

const outputsSchema = z.object({
  kubeconfig: z.string(),
  sshPrivateKey: z.string(),
  controlPlane: z.object({
    /** `host:port` as nodes see it. */
    endpoint: z.string(),
    hostsEntries: z.array(z.object({ address: z.string(), name: z.string() })),
    kubernetesVersion: z.string(),
  }),
  nodes: z.array(nodeSchema),
});

/** What a stack says about its lab when it is up. */
export type LabOutputs = z.infer<typeof outputsSchema>;

/**
 * Outputs of a stack.
 *
 * @returns nothing while the stack is not up, or not completely.
 */
export async function labOutputs(pulumi: Pulumi): Promise<LabOutputs | undefined> {
  const text = await pulumi.state(["stack", "output", "--json", "--show-secrets"]);
  const values: unknown = JSON.parse(text);
  if (typeof values === "object" && values !== null && !("kubeconfig" in values)) {
    return undefined;
  }
  const parsed = outputsSchema.safeParse(values);
  if (!parsed.success) {
    // Paths only: the values hold secrets.
    const paths = parsed.error.issues.map((issue) => issue.path.join("."));
    throw new Failure(
      `the outputs of stack ${pulumi.stack} are not those of this version of the project (${paths.join(", ")}): run \`kindows up --stack ${pulumi.stack}\``,
    );
  }
  return parsed.data;
}
