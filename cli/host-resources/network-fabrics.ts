import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { isLabPrefix, type ResourceKind } from "../../components/host-resource.ts";
import { actionParameter } from "../../components/host-action/action-parameter.ts";
import {
  fabricHostSchema,
  fabricsFolder,
  markFile,
  removeText,
  unitName,
} from "../../components/network/fabric/host-script.ts";
import { runAsRoot } from "../../components/network/fabric/run-as-root.ts";

const kind = "network fabric";

const ownedSchema = fabricHostSchema.pick({ lab: true, server: true });

/** Network fabrics, which connect this host with a lab's others, and are removed by a script that `up` installs. */
export function networkFabrics(folder = fabricsFolder, asRoot = runAsRoot): ResourceKind {
  const program = (lab: string): string => path.join(folder, lab, "fabric");
  const markOf = async (lab: string): Promise<string> =>
    (await readFile(path.join(folder, lab, markFile), "utf8").catch(() => "")).trim();
  return {
    kind,
    find: async () => {
      const labs = existsSync(folder) ? await readdir(folder) : [];
      return Promise.all(
        labs
          .filter((lab) => isLabPrefix(lab) && existsSync(program(lab)))
          .map(async (lab) => {
            const id = (await markOf(lab)).slice(`${lab}.`.length);
            return { kind, name: lab, lab, identity: `${kind} ${lab}`, mark: id };
          }),
      );
    },
    byHand: ({ lab }) =>
      `systemctl disable --now ${unitName(lab)}; sh ${program(lab)} down; rm -r ${path.join(folder, lab)}`,
    owned: {
      "command:local:Command": (resource, component) => {
        if (component !== "kindows:network:FabricHost") return [];
        const { lab, server } = actionParameter(resource, "FABRIC_HOST", ownedSchema);
        return server ? [] : [{ identity: `${kind} ${lab}`, essential: true }];
      },
    },
    remove: async ({ lab }) => {
      const script = await readFile(program(lab), "utf8");
      await asRoot(undefined, removeText({ lab, mark: await markOf(lab), script }), 120);
    },
  };
}
