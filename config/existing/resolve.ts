import { pathText, SettingsError } from "../problem.ts";
import type { SettingsProblem } from "../problem.ts";
import { repaired } from "../repair.ts";
import type { StandIn } from "../repair.ts";
import type { SettingsSource } from "../resolve.ts";
import { shapeProblems } from "../shape-problems.ts";
import { defaultContainerdVersion } from "../supported.ts";
import { existingChecks } from "./checks/all.ts";
import { effectiveHops, effectiveLogin } from "./effective-login.ts";
import { forwardPort } from "./forward-port.ts";
import { existingSchema } from "./settings.ts";
import type { ExistingSettings, WrittenExisting } from "./settings.ts";

/** Settings whose values are secrets, misspelt ones too: none is ever shown. */
const secretKey = /key|pass|text|token|secret/i;

/** What is none of them by its name. */
const noSecrets: readonly string[] = ["hostKey", "privateKeyFile", "context"];

/** Something in the place of a machine's broken address and host key, and another for each: no two look like one. */
const standIns: readonly StandIn[] = [
  { path: /^nodes\/\d+\/address$/, value: (place) => addressOf(Number(place)) },
  { path: /^nodes\/\d+\/hostKey$/, value: (place) => keyOf(Number(place)) },
];

function addressOf(place: number): string {
  return `192.0.${2 + (place >> 8)}.${place % 256}`;
}

/** As SSH writes keys: strings with their lengths (RFC 4253, section 6.6). */
function keyOf(place: number): string {
  const type = "ssh-ed25519";
  const bytes = Buffer.concat([Buffer.from([0, 0, 0, type.length]), Buffer.from(type)]);
  const key = Buffer.alloc(36);
  key.writeUInt32BE(32, 0);
  key.writeUInt32BE(place, 32);
  return `${type} ${Buffer.concat([bytes, key]).toString("base64")}`;
}

/**
 * Everything the program is told of machines and a cluster that are there already, from the sections as written. Reads
 * no file.
 *
 * @param others Mistakes around the sections, to be told with the others.
 * @throws SettingsError with every mistake there is, in the order of the settings; without secrets.
 */
export function resolveExisting(
  written: Readonly<Record<string, unknown>>,
  source: Pick<SettingsSource, "file">,
  others: readonly SettingsProblem[] = [],
): ExistingSettings {
  const parsed = existingSchema.safeParse(written);
  const broken = parsed.success ? [] : shapeProblems(existingSchema, written, parsed.error.issues);
  const settings = parsed.success ? parsed.data : repaired(existingSchema, written, standIns);
  const brokenPaths = broken.map(({ path }) => pathText(path));
  const crossed = existingChecks
    .filter(({ reads }) => !reads.some((path) => brokenPaths.includes(`kindows:${path}`)))
    .flatMap((check) => check.run(settings, source.file))
    // What was taken out as broken misses now; it is told as broken.
    .filter(({ path }) => !broken.some((one) => below(one.path, path) && crossedPathHides(path)));
  const problems = [...others, ...broken, ...crossed].map(withoutSecret);
  if (problems.length > 0) {
    throw new SettingsError(inOrder(problems), source.file);
  }
  return filled(settings, source.file);
}

/** Whether `path` is at `place` or below. */
function below(path: SettingsProblem["path"], place: SettingsProblem["path"]): boolean {
  return place.every((key, index) => path[index] === key);
}

/** Problems of a whole machine or list, which say nothing new where a part of it is broken. */
function crossedPathHides(path: SettingsProblem["path"]): boolean {
  return typeof path.at(-1) === "number" || path.at(-1) === "kubeconfig";
}

function withoutSecret(problem: SettingsProblem): SettingsProblem {
  const key = String(problem.path.at(-1));
  const secret = secretKey.test(key) && !noSecrets.includes(key);
  return secret ? { ...problem, value: undefined } : problem;
}

/** Fills in what a machine has in common with the others. */
function filled({ windows, nodes, ...settings }: WrittenExisting, file: string): ExistingSettings {
  return {
    ...settings,
    windows: {
      ...windows,
      containerdVersion: windows.containerdVersion ?? defaultContainerdVersion,
    },
    nodes: nodes.map((node) => {
      const { name, os, address, hostKey, labels, taints, kubeletArgs, nodeIp } = node;
      const login = effectiveLogin(settings.login, node);
      const port = forwardPort(login, file);
      return {
        ...{ name, os, address, hostKey, labels, taints, kubeletArgs },
        nodeIp: nodeIp ?? address,
        login: {
          ...login,
          bastions: effectiveHops(login),
          ...(port !== undefined && { forwardPort: port }),
        },
      };
    }),
  };
}

function inOrder(problems: readonly SettingsProblem[]): SettingsProblem[] {
  const sections = Object.keys(existingSchema.shape);
  const rank = (problem: SettingsProblem): number => {
    const place = sections.indexOf(String(problem.path[0]));
    return place < 0 ? sections.length : place;
  };
  return [...problems].sort((one, other) => rank(one) - rank(other));
}
