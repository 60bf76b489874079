import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { isLabPrefix, type ResourceKind } from "../../components/host-resource.ts";
import { actionParameter } from "../../components/host-action/action-parameter.ts";
import {
  fabricHostSchema,
  fabricsFolder,
  removeText,
  unitName,
} from "../../components/network/fabric/host-script.ts";
import { runAsRoot } from "../../components/network/fabric/run-as-root.ts";

const kind = "network fabric";

/** Network fabrics, which connect this host with a lab's others, and are removed by a script that `up` installs. */
export function networkFabrics(folder = fabricsFolder, asRoot = runAsRoot): ResourceKind {
  const program = (lab: string): string => path.join(folder, lab, "fabric");
  return {
    kind,
    find: async () =>
      (existsSync(folder) ? await readdir(folder) : [])
        .filter((lab) => isLabPrefix(lab) && existsSync(program(lab)))
        .map((lab) => ({ kind, name: lab, lab, identity: `${kind} ${lab}` })),
    byHand: ({ lab }) =>
      `systemctl disable --now ${unitName(lab)}; sh ${program(lab)} down; rm -r ${path.join(folder, lab)}`,
    owned: {
      "command:local:Command": (resource, component) => {
        if (component !== "kindows:network:FabricHost") return [];
        const { lab, server } = actionParameter(resource, "FABRIC_HOST", fabricHostSchema);
        return server ? [] : [{ identity: `${kind} ${lab}`, essential: true }];
      },
    },
    remove: async ({ lab }) => {
      const script = await readFile(program(lab), "utf8");
      await asRoot(undefined, removeText({ lab, script }), 120);
    },
  };
}
