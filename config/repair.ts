import type * as z from "zod";
import type { SettingsProblem } from "./problem.ts";
import { valueAt } from "./schema-paths.ts";

type Path = (string | number)[];
type Container = Record<string | number, unknown>;

/** More rounds than the settings have levels: a value, then what it left incomplete, and so on up. */
const maxRounds = 10;

/** Something in the place of a value with a mistake. */
export interface StandIn {
  readonly path: RegExp;
  /** What is put there; `place` is the number, or the name, of what it is a part of. */
  readonly value: (place: string) => unknown;
}

/** The public half of a key that nobody has. */
const someHostKey = `ssh-ed25519 ${Buffer.from(`\0\0\0\x0bssh-ed25519\0\0\0\x20${"0".repeat(32)}`, "latin1").toString("base64")}`;

/**
 * What stands in for values without which a greater whole would have to go, and hide its other mistakes. Places in
 * lists must stay, as later problems name them.
 */
const standIns: readonly StandIn[] = [
  { path: /^nodes\/\d+\/name$/, value: (place) => `unnamed-${place}` },
  { path: /^cluster\/workers\/\d+\/name$/, value: (place) => `unnamed-${place}` },
  { path: /^windows\/image\/path$/, value: () => "/unnamed" },
  { path: /^hypervisors\/\d+\/name$/, value: (place) => `unnamed-${place}` },
  {
    path: /^hypervisors\/\d+\/uri$/,
    value: (place) => `qemu+ssh://unnamed@unnamed-${place}/system`,
  },
  { path: /^hypervisors\/\d+\/hostKey$/, value: () => someHostKey },
  { path: /^hypervisors\/\d+\/privateKeyFile$/, value: () => "/unnamed" },
  { path: /^hypervisors\/\d+\/bridge$/, value: () => "unnamed" },
  { path: /^hyperVHosts\/\d+\/name$/, value: (place) => `unnamed-h${place}` },
  { path: /^hyperVHosts\/\d+\/address$/, value: (place) => `unnamed-${place}` },
  { path: /^hyperVHosts\/\d+\/hostKey$/, value: () => someHostKey },
  { path: /^hyperVHosts\/\d+\/privateKeyFile$/, value: () => "/unnamed" },
  { path: /^hyperVHosts\/\d+\/switch$/, value: () => "unnamed" },
  { path: /^hyperVHosts\/\d+\/folder$/, value: () => "C:\\unnamed" },
  { path: /^hyperVHosts\/\d+\/image$/, value: () => "C:\\unnamed.vhdx" },
];

/** A taint with a mistake, whatever it is: one that is like no other. */
const taint = /^nodes\/\d+\/taints\/(\d+)/;

/**
 * The settings with whatever the schema refuses taken out, so that the rest can still be judged in the same go.
 *
 * Only good for finding more problems: nobody may act on it.
 *
 * @param further stand-ins, besides those for names.
 */
export function repaired<T>(
  schema: z.ZodType<T>,
  written: unknown,
  further: readonly StandIn[] = [],
): T {
  const all = [...standIns, ...further];
  const copy: unknown = structuredClone(written);
  for (let round = 0; round < maxRounds; round++) {
    const result = schema.safeParse(copy);
    if (result.success) {
      return result.data;
    }
    // From the back: what is taken out of a list moves what follows it.
    for (const issue of result.error.issues.toReversed()) {
      const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
      if (issue.code === "unrecognized_keys") {
        issue.keys.forEach((key) => Reflect.deleteProperty(valueAt(copy, path) as object, key));
      } else {
        takeOut(copy, path, all);
      }
    }
  }
  throw new Error("the settings' schema refuses even its own defaults");
}

/** Removes what stands at `path`; where nothing does, something is missing, and what misses it goes instead. */
function takeOut(root: unknown, path: Path, all: readonly StandIn[]): void {
  const key = path.at(-1);
  const parent = valueAt(root, path.slice(0, -1));
  if (key === undefined || typeof parent !== "object" || parent === null) {
    return;
  }
  const place = path.join("/");
  const standIn = all.find((one) => one.path.test(place));
  const container = parent as Container;
  const [, taintNumber] = taint.exec(place) ?? [];
  if (taintNumber !== undefined) {
    const taints = valueAt(root, path.slice(0, 3)) as Container;
    taints[Number(taintNumber)] = { key: `unnamed-${taintNumber}`, effect: "NoSchedule" };
  } else if (standIn !== undefined) {
    container[key] = standIn.value(String(path.at(-2)));
  } else if (Array.isArray(parent) && hasStandIn(path)) {
    container[key] = {};
  } else if (Array.isArray(parent)) {
    parent.splice(Number(key), 1);
  } else if (key in container) {
    delete container[key];
  } else {
    takeOut(root, path.slice(0, -1), all);
  }
}

/** Whether an item at `path` could be filled with a stand-in name. */
function hasStandIn(path: SettingsProblem["path"]): boolean {
  return standIns.some((one) => one.path.test([...path, "name"].join("/")));
}
