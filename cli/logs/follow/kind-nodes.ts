import { clusterLabel, roleLabel } from "../../../config/names.ts";
import type { Host } from "../../lab/host.ts";
import { lines } from "../../lab/host.ts";

/** A container of a lab that is a Linux node. */
export interface KindNode {
  /** Name without the lab's, e.g. `control-plane` or `worker-1`. */
  readonly name: string;
  readonly container: string;
  readonly role: "control-plane" | "worker";
}

/** The Linux nodes of a lab, running or not; its load balancer is none. */
export async function kindNodes(host: Host, lab: string): Promise<readonly KindNode[]> {
  const listed = await host.run("docker", [
    ...["ps", "--all", "--no-trunc", "--filter", `label=${clusterLabel}=${lab}`],
    ...["--format", `{{.Names}} {{.Label "${roleLabel}"}}`],
  ]);
  return lines(listed)
    .flatMap((line) => {
      const [container = "", role = ""] = line.split(" ");
      return role === "control-plane" || role === "worker"
        ? [{ name: container.replace(`${lab}-`, ""), container, role } as const]
        : [];
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
