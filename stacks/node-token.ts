import type * as pulumi from "@pulumi/pulumi";
import { BootstrapToken } from "../components/controlplane/bootstrap-token.ts";
import type { ControlPlane } from "../components/controlplane/control-plane.ts";
import type { Machine } from "../components/machine/machine.ts";

/** What tokens are minted by. */
export interface TokenCluster {
  readonly controlPlane: ControlPlane;
  readonly tokenTtlMinutes: number;
}

/** The token a machine joins the stack's cluster with; secret. */
export function nodeToken(
  nodeName: string,
  { instanceId }: Pick<Machine, "instanceId">,
  { controlPlane, tokenTtlMinutes: ttlMinutes }: TokenCluster,
): pulumi.Output<string> {
  return new BootstrapToken(nodeName, { controlPlane, nodeName, instanceId, ttlMinutes }).token;
}
