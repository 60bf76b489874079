import type { WindowsHost } from "../windows-host.ts";

/** Makes Defender leave these alone, or takes that back; what is not among `paths` stays as it is. */
export async function setDefenderExclusion(
  host: WindowsHost,
  enabled: boolean,
  paths: readonly string[],
): Promise<{ readonly changed: boolean; readonly state: "set" | "off" }> {
  const known = host.settings.defenderExclusions;
  const others = known.filter((path) => !paths.includes(path));
  const present = known.length - others.length;
  const changed = enabled ? present < paths.length : present > 0;
  if (changed) await host.settings.setDefenderExclusions(enabled ? [...others, ...paths] : others);
  return { changed, state: enabled ? "set" : "off" };
}
