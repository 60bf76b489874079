import { isLabPrefix } from "./lab-thing.ts";
import type { Finder } from "./lab-thing.ts";
import { lines } from "./host.ts";

/** Docker's network on a lab's bridge. */
export const dockerNetworks: Finder = {
  kind: "docker network",

  find: async (host) => {
    const listed = await host.run("docker", [
      ...["network", "ls", "--no-trunc", "--filter", "name=^kindows-"],
      ...["--format", "{{.ID}} {{.Name}}"],
    ]);
    return lines(listed)
      .map((line) => line.split(" "))
      .flatMap(([id = "", name = ""]) =>
        isLabPrefix(name)
          ? [
              {
                kind: dockerNetworks.kind,
                name,
                lab: name,
                identity: `docker network ${id}`,
                place: id,
              },
            ]
          : [],
      );
  },

  remove: async ({ place }, host) => {
    const id = place ?? "";
    await host.run("docker", ["network", "rm", id]).catch(async (error: unknown) => {
      const left = await host.run("docker", ["network", "ls", "--no-trunc", "--quiet"]);
      if (lines(left).includes(id)) {
        throw error;
      }
    });
  },
};
