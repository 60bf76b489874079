import { readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parse } from "yaml";
import { z } from "zod";

import { builtTool } from "../../toolchain/built.ts";
import { isLabPrefix } from "./lab-thing.ts";
import type { Finder, LabThing } from "./lab-thing.ts";
import type { Host } from "./host.ts";

const named = z.array(z.object({ name: z.string() })).nullish();
const kubeconfigSchema = z.object({ contexts: named, clusters: named, users: named });

/** Word that `kubectl config` uses for each section, in the order they are removed. */
const sections = { contexts: "context", clusters: "cluster", users: "user" } as const;

/**
 * Entries for a lab in the user's own kubeconfig.
 *
 * The program never writes there, its kubeconfig lies in `.kindows`; but `kind export kubeconfig` does, at the user's
 * wish, and such an entry would point to nothing once the lab is gone.
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
          place: JSON.stringify([file, sections[section], name]),
        }));
      }),
    );
    return found.flat();
  },

  remove: async ({ place }, host) => {
    const [file = "", word = "", name = ""] = z.array(z.string()).parse(JSON.parse(place ?? "[]"));
    await runKubectl(host, ["--kubeconfig", file, "config", `delete-${word}`, name]);
  },
};

/** Files a kubectl of this user reads. */
export function kubeconfigFiles(environment: NodeJS.ProcessEnv): readonly string[] {
  const named = (environment["KUBECONFIG"] ?? "").split(":").filter((file) => file !== "");
  return named.length > 0 ? named : [path.join(os.homedir(), ".kube", "config")];
}

/** Entries of labs in a kubeconfig: named like one, or `kind-` and its name, as kind does. */
export function labEntries(
  text: string,
): readonly { section: keyof typeof sections; name: string; lab: string }[] {
  let config: z.infer<typeof kubeconfigSchema>;
  try {
    config = kubeconfigSchema.parse(parse(text));
  } catch {
    return []; // Not a kubeconfig, so nothing of ours is in it.
  }
  return (Object.keys(sections) as (keyof typeof sections)[]).flatMap((section) =>
    (config[section] ?? []).flatMap(({ name }) => {
      const lab = name.replace(/^kind-/, "");
      return isLabPrefix(lab) ? [{ section, name, lab }] : [];
    }),
  );
}

async function runKubectl(host: Host, args: readonly string[]): Promise<void> {
  await host.run(builtTool("kubectl"), args);
}
