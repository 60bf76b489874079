import { readFile } from "node:fs/promises";

import {
  entriesOf,
  unsetMissingCurrent,
  readConfig,
  sectionNames,
  sections,
  takeEntries,
  writeConfig,
  type Section,
} from "../kubeconfig/config-document.ts";
import { editConfigFile, kubeconfigFiles } from "../kubeconfig/config-file.ts";
import { byHostActions, clustersMadeBy } from "./containers.ts";
import {
  isLabPrefix,
  type HostResource,
  type ResourceKind,
} from "../../components/host-resource.ts";

interface Entry extends HostResource {
  readonly file: string;
  readonly section: Section;
  readonly entry: string;
}

/**
 * Entries for a lab in the user's own kubeconfig.
 *
 * `up` never creates one, as its kubeconfig is in `.kindows`, but `kindows kubeconfig --merge` and `kind export kubeconfig`
 * do. Such an entry would point to nothing once the lab is gone.
 */
export const kubeconfigEntries: ResourceKind<Entry> = {
  kind: "kubeconfig entry",

  find: async () => {
    const found = await Promise.all(
      kubeconfigFiles(process.env).map(async (file) => {
        const text = await readFile(file, "utf8").catch(() => "");
        return labEntries(text).map(({ section, name, lab }) => ({
          kind: kubeconfigEntries.kind,
          name: `${sections[section]} ${name} in ${file}`,
          lab,
          identity: `kind cluster ${lab}`,
          file,
          section,
          entry: name,
        }));
      }),
    );
    return found.flat();
  },

  remove: async ({ file, section, entry }) => {
    await editConfigFile(file, (text) => {
      const document = readConfig(text, file);
      const removed = takeEntries(document, section, (each) => each.get("name") === entry);
      unsetMissingCurrent(document);
      return removed.length > 0 ? writeConfig(document, text) : text;
    });
  },

  owned: byHostActions((resource, component) =>
    clustersMadeBy(resource, component).map(({ name }) => ({
      identity: `kind cluster ${name}`,
      essential: false,
    })),
  ),
};

/** Entries of labs in a kubeconfig: those named like a lab, or `kind-` and a lab's name, as kind names them. */
export function labEntries(
  text: string,
): readonly { readonly section: Section; readonly name: string; readonly lab: string }[] {
  try {
    const document = readConfig(text, "");
    return sectionNames.flatMap((section) =>
      entriesOf(document, section).flatMap((entry) => {
        const name = String(entry.get("name"));
        const lab = name.replace(/^kind-/, "");
        return isLabPrefix(lab) ? [{ section, name, lab }] : [];
      }),
    );
  } catch {
    return []; // Not a kubeconfig, so nothing of ours is in it.
  }
}
