import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import * as z from "zod";

import {
  forgetMissingCurrent,
  readConfig,
  sectionNames,
  sections,
  takeEntries,
  writeConfig,
} from "../kubeconfig/config-document.ts";
import type { Section } from "../kubeconfig/config-document.ts";
import { editConfigFile, kubeconfigFiles } from "../kubeconfig/config-file.ts";
import { isLabPrefix } from "./lab-thing.ts";
import type { Finder, LabThing } from "./lab-thing.ts";

const named = z.array(z.object({ name: z.string() })).nullish();
const kubeconfigSchema = z.object({ contexts: named, clusters: named, users: named });

const placeSchema = z.tuple([z.string(), z.enum(["contexts", "clusters", "users"]), z.string()]);

/**
 * Entries for a lab in the user's own kubeconfig.
 *
 * `up` never makes one, its kubeconfig lies in `.kindows`; but `kindows kubeconfig --merge` and `kind export kubeconfig`
 * do, at the user's wish, and such an entry would point to nothing once the lab is gone.
 */
export const kubeconfigContexts: Finder = {
  kind: "kubeconfig entry",

  find: async () => {
    const found = await Promise.all(
      kubeconfigFiles(process.env).map(async (file) => {
        const text = await readFile(file, "utf8").catch(() => "");
        return labEntries(text).map(({ section, name, lab }): LabThing => ({
          kind: kubeconfigContexts.kind,
          name: `${sections[section]} ${name} in ${file}`,
          lab,
          identity: `kind cluster ${lab}`,
          place: JSON.stringify([file, section, name]),
        }));
      }),
    );
    return found.flat();
  },

  remove: async ({ place }) => {
    const [file, section, name] = placeSchema.parse(JSON.parse(place ?? "[]"));
    await editConfigFile(file, (text) => {
      const document = readConfig(text, file);
      const gone = takeEntries(document, section, (entry) => entry.get("name") === name);
      forgetMissingCurrent(document);
      return gone.length > 0 ? writeConfig(document, text) : text;
    });
  },
};

/** Entries of labs in a kubeconfig: named like one, or `kind-` and its name, as kind does. */
export function labEntries(
  text: string,
): readonly { section: Section; name: string; lab: string }[] {
  let config: z.infer<typeof kubeconfigSchema>;
  try {
    config = kubeconfigSchema.parse(parse(text));
  } catch {
    return []; // Not a kubeconfig, so nothing of ours is in it.
  }
  return sectionNames.flatMap((section) =>
    (config[section] ?? []).flatMap(({ name }) => {
      const lab = name.replace(/^kind-/, "");
      return isLabPrefix(lab) ? [{ section, name, lab }] : [];
    }),
  );
}
