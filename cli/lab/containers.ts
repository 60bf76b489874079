import { clusterLabel } from "../../config/names.ts";
import { isLabPrefix } from "./lab-thing.ts";
import type { Finder } from "./lab-thing.ts";
import { lines } from "./host.ts";

/** Containers of a lab's kind cluster: its nodes and its load balancer. */
export const containers: Finder = {
  kind: "docker container",

  find: async (host) => {
    const listed = await host.run("docker", [
      ...["ps", "--all", "--no-trunc", "--filter", `label=${clusterLabel}`],
      ...["--format", `{{.Names}} {{.Label "${clusterLabel}"}}`],
    ]);
    return lines(listed)
      .map((line) => line.split(" "))
      .flatMap(([name = "", lab = ""]) =>
        isLabPrefix(lab)
          ? [{ kind: containers.kind, name, lab, identity: `docker container ${name}` }]
          : [],
      );
  },

  remove: async ({ name }, host) => {
    await host.run("docker", ["rm", "--force", "--volumes", name]);
  },
};
