import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";

/** Everything that is on a machine, files by content and Windows' settings; the feature, scripts and media aside. */
export async function listing(host: RehearsalHost): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const below = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(host.driveC, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (["/kindows/steps", "/kindows/media", "/rehearsal"].includes(path)) continue;
      if (entry.isDirectory()) {
        found[`${path}/`] = "";
        await below(path);
      } else {
        const text = await readFile(join(host.driveC, path), "utf8");
        // A checked program's note ends with the time of its last change, which is another on each machine.
        found[path] = path.endsWith(".checked") ? text.replace(/ \d+$/, "") : text;
      }
    }
  };
  await below("");
  const state = JSON.parse(
    await readFile(join(host.driveC, "rehearsal/state.json"), "utf8"),
  ) as Record<string, unknown>;
  const passing = ["bootTime", "features", "faultsPlayed"];
  for (const [key, value] of Object.entries(state)) {
    if (!passing.includes(key))
      found[key] = JSON.stringify(key === "registry" ? valued(value) : value);
  }
  for (const name of ["kubelet", "containerd"]) {
    found[`running ${name}`] = String(await host.programs.isServiceRunning(name));
  }
  return found;
}

/** Keys of the registry that have values: the others are those that Windows keeps some in at times. */
function valued(registry: unknown): Record<string, object> {
  const keys = Object.entries(registry as Record<string, object>);
  return Object.fromEntries(keys.filter(([, values]) => Object.keys(values).length > 0));
}
