import { readFile } from "node:fs/promises";

import type { YAMLMap } from "yaml";

import { projectRoot } from "../../toolchain/project.ts";
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
import { isOf } from "../kubeconfig/lab-entries.ts";
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
 * do. Only the first notes where an entry comes from. Others are shown and left: their lab may be on another computer.
 */
export const kubeconfigEntries: ResourceKind<Entry> = {
  kind: "kubeconfig entry",

  find: async ({ of }) => {
    const found = await Promise.all(
      kubeconfigFiles(process.env).map(async (file) => {
        const text = await readFile(file, "utf8").catch(() => "");
        return labEntries(text, of?.stack).map(({ section, name, lab, isOurs }) => ({
          kind: kubeconfigEntries.kind,
          name: `${sections[section]} ${name} in ${file}`,
          lab,
          isOurs,
          identity: `kind cluster ${lab}`,
          file,
          section,
          entry: name,
        }));
      }),
    );
    return found.flat();
  },

  byHand: ({ file, section, entry }) =>
    `kubectl config --kubeconfig '${file}' delete-${sections[section]} ${entry}`,

  remove: async ({ file, section, entry }, { of }) => {
    await editConfigFile(file, (text) => {
      const document = readConfig(text, file);
      const removed = takeEntries(
        document,
        section,
        (each) => each.get("name") === entry && isOfStack(each, section, of?.stack),
      );
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

/** Whether `kindows kubeconfig --merge` of the stack in this clone made the entry. */
function isOfStack(entry: YAMLMap, section: Section, stack: string | undefined): boolean {
  return stack !== undefined && isOf(entry, section, { project: projectRoot, stack });
}

interface LabEntry extends Pick<Entry, "section" | "name" | "lab"> {
  readonly isOurs: boolean;
}

/**
 * Entries of labs in a kubeconfig: those named like a lab, or `kind-` and a lab's name, as kind names them.
 *
 * @param stack the current stack, whose own entries are told from others'.
 */
export function labEntries(text: string, stack: string | undefined): readonly LabEntry[] {
  try {
    const document = readConfig(text, "");
    return sectionNames.flatMap((section) =>
      entriesOf(document, section).flatMap((entry) => {
        const name = String(entry.get("name"));
        const lab = name.replace(/^kind-/, "");
        const isOurs = isOfStack(entry, section, stack);
        return isLabPrefix(lab) ? [{ section, name, lab, isOurs }] : [];
      }),
    );
  } catch {
    return []; // Not a kubeconfig, so nothing of ours is in it.
  }
}
