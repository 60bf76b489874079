import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { isLabPrefix, type ResourceKind } from "../../components/host-resource.ts";
import {
  fabricHostSchema,
  fabricsFolder,
  removeText,
} from "../../components/network/fabric/host-script.ts";
import { runAsRoot } from "../../components/network/fabric/run-as-root.ts";
import { parseJson } from "../../toolchain/parse-json.ts";

const kind = "network fabric";

/** What connects this host with a lab's others, by the program that `up` has installed here for it. */
export function networkFabrics(folder = fabricsFolder, asRoot = runAsRoot): ResourceKind {
  const program = (lab: string): string => path.join(folder, lab, "fabric");
  return {
    kind,
    find: async () =>
      (existsSync(folder) ? await readdir(folder) : [])
        .filter((lab) => isLabPrefix(lab) && existsSync(program(lab)))
        .map((lab) => ({ kind, name: lab, lab, identity: `${kind} ${lab}` })),
    owned: {
      "command:local:Command": ({ inputs }, component) => {
        const environment = inputs?.["environment"] as
          Readonly<Record<string, unknown>> | undefined;
        const host = fabricHostSchema.safeParse(
          parseJson(String(environment?.["FABRIC_HOST"])),
        ).data;
        return component !== "kindows:network:FabricHost" || host === undefined || host.server
          ? []
          : [{ identity: `${kind} ${host.lab}`, essential: true }];
      },
    },
    remove: async ({ lab }) => {
      const script = await readFile(program(lab), "utf8");
      await asRoot(undefined, removeText({ lab, script }), 120);
    },
  };
}
