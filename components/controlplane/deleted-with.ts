import type * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "./control-plane.ts";

/** Options of what lives in a cluster: it is deleted with the cluster, unless the cluster is retained. */
export function deletedWith({
  resource,
  isRetained,
}: Pick<ControlPlane, "resource" | "isRetained">): Pick<
  pulumi.CustomResourceOptions,
  "deletedWith"
> {
  return isRetained === true ? {} : { deletedWith: resource };
}
