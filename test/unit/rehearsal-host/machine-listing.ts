import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { RegistryJson } from "../../../rehearsal/windows/registry.ts";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";

/** Everything that is on a machine, files by content and Windows' settings; the feature, scripts and media aside. */
export async function listing(
  host: Pick<RehearsalHost, "driveC" | "programs">,
): Promise<Record<string, string>> {
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
  const passing = ["bootTime", "features", "faultsPlayed", "registry"];
  for (const [key, value] of Object.entries(state)) {
    if (!passing.includes(key)) found[key] = JSON.stringify(value);
  }
  // Keys without values mean nothing here.
  for (const [key, values] of Object.entries(state["registry"] as RegistryJson)) {
    for (const [name, { data }] of Object.entries(values)) {
      found[`HKLM\\${key}\\${name}`] = JSON.stringify(data);
    }
  }
  for (const name of ["kubelet", "containerd"]) {
    found[`running ${name}`] = String(await host.programs.isServiceRunning(name));
  }
  return found;
}
