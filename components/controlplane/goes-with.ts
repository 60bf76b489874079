import type * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "./control-plane.ts";

/** Options of what lives in a cluster: it goes with it, unless the cluster stays when the stack goes. */
export function goesWith({
  resource,
  stays,
}: Pick<ControlPlane, "resource" | "stays">): Pick<pulumi.CustomResourceOptions, "deletedWith"> {
  return stays === true ? {} : { deletedWith: resource };
}
