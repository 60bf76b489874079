import type { SettingsProblem } from "../../../config/problem.ts";

type Group = Record<string | number, unknown>;
type Key = string | number;

/** What a user writes where an error leaves the choice to him, by the last key of its place. */
const answers: Readonly<Record<string, (path: readonly Key[], value: unknown) => unknown>> = {
  name: (path) => `other-${path.at(-2)}`,
  path: () => "/srv/windows.qcow2",
  sha256: () => "0".repeat(64),
  productKey: () => "AAAAA-BBBBB-CCCCC-DDDDD-EEEEE",
  podCidr: () => "10.244.0.0/16",
  key: () => "example.com/other",
  disk: () => "very-fast",
  v: () => "4",
  kubeProxyImage: () => "registry.example.com/kube-proxy:v1.36.4",
  failsafeInboundHostPorts: () => "tcp:22",
  cpus: () => 4,
  memoryMiB: () => 4096,
  diskGiB: () => 60,
  tokenTtlMinutes: () => 60,
  // What stands there in another shape than it has to.
  workers: () => [],
  nodes: (_, value) => Object.keys((value ?? { "win-1": {} }) as Group).map((name) => ({ name })),
  network: (_, value) => ({ cidr: value }),
  image: (_, value) => ({ kind: "disk", path: value }),
  labels: () => ({ zone: "a" }),
  taints: () => [{ key: "os", value: "windows", effect: "NoSchedule" }],
  kubeletArgs: () => ({ "max-pods": "60" }),
  "quay.io": (_, value) => [`https://${String(value)}`],
};

/**
 * The configuration changed by the errors' own words, by somebody who does exactly as he is told.
 *
 * @throws when an error does not say enough to go by.
 */
export function changedAsTold(
  config: Readonly<Record<string, unknown>>,
  problems: readonly SettingsProblem[],
): Record<string, unknown> {
  // Every part of its own: what an alias stands for twice is written twice.
  const root = Object.fromEntries(
    Object.entries(JSON.parse(JSON.stringify(config)) as Group).map(([key, value]) => [
      key.includes(":") ? key : `kindows:${key}`,
      value,
    ]),
  );
  // From the back, as what is taken out of a list moves what follows.
  for (const problem of inReverse(problems)) {
    apply(root, problem);
  }
  return root;
}

/** Later places of lists first; what is moved or renamed after all that is written. */
function inReverse(problems: readonly SettingsProblem[]): SettingsProblem[] {
  const text = ({ path }: SettingsProblem): string =>
    path.map((key) => (typeof key === "number" ? String(key).padStart(4, "0") : key)).join("/");
  const moved = ({ instead }: SettingsProblem): number => (target(instead) === undefined ? 0 : 1);
  return [...problems].sort(
    (one, other) => moved(one) - moved(other) || (text(one) < text(other) ? 1 : -1),
  );
}

/** Where the words say that it belongs. */
function target(instead: string): Key[] | undefined {
  const found = /^(?:Did you mean|Move it to) kindows:(.+?)[?.](?: |$)/.exec(instead)?.[1];
  return found === undefined ? undefined : keysOf(found);
}

function keysOf(text: string): Key[] {
  return [...text.matchAll(/\["(.+?)"\]|\[(\d+)\]|([\w-]+)/g)].map(
    ([, quoted, place, plain]) => quoted ?? (place === undefined ? (plain ?? "") : Number(place)),
  );
}

function apply(root: Group, { path, place, value, why, instead }: SettingsProblem): void {
  const from = at(root, path, place);
  const to = target(instead);
  if (to !== undefined || why === "is written as one key") {
    remove(from);
    const dotted = [...path.slice(0, -1), ...String(path.at(-1)).split(".")];
    write(root, to ?? dotted, value);
    return;
  }
  const key = path.at(-1) ?? "";
  const here = from.group[from.key];
  if (typeof value === "string" && isKeyOf(here, value)) {
    // The complaint is about a key, not about what it stands for.
    const renamed = concrete(instead);
    if (typeof renamed === "string" && !/leave it out/i.test(instead)) {
      here[renamed] = here[value];
    }
    delete here[value];
  } else if (
    /leave (it|the line|one of them) out/i.test(instead) ||
    /one of them\.$/.test(instead)
  ) {
    remove(from);
  } else if (/^Put it in quotes/.test(instead)) {
    from.group[from.key] = String(value);
  } else if (/without \? and #/.test(instead)) {
    from.group[from.key] = String(value).replace(/[?#].*/, "");
  } else if (/^Leave the login out/.test(instead)) {
    from.group[from.key] = String(value).replace(/\/\/.*@/, "//");
  } else if (/letters of it as capitals/.test(instead)) {
    from.group[from.key] = String(value).toUpperCase();
  } else if (/^Have at most/.test(instead)) {
    (here as unknown[]).splice(Number(/\d+/.exec(instead)?.[0]));
  } else if (
    typeof key === "number" &&
    typeof value === "string" &&
    /settings indented/.test(instead)
  ) {
    from.group[from.key] =
      path.at(-2) === "taints" ? { key: "a", effect: "NoExecute" } : { name: value };
  } else {
    const written = concrete(instead) ?? answers[String(key)]?.(path, value);
    if (written === undefined) {
      throw new Error(`nothing to go by at ${path.join(".")}: ${instead}`);
    }
    write(root, path, written);
  }
}

/** What the words say to write, where they say it outright: the least that will do for everybody, or the first choice. */
function concrete(instead: string): unknown {
  const least =
    /needs (\d+) at least/.exec(instead)?.[1] ?? /^Write (\d+) or (more|less)/.exec(instead)?.[1];
  if (least !== undefined) {
    return Number(least);
  }
  const example = /\be\.g\. ([^\s,]+?)[.,]?(?: |$)/.exec(instead)?.[1];
  const plain = /\b(?:[Ww]rite|away:|like) "?([^\s"]+?)"?(?:\.$|\. |, | or )/.exec(instead)?.[1];
  const text =
    example ?? (/^(one|text:|path|a|the|its|what)$/.test(plain ?? "one") ? undefined : plain);
  if (text === undefined) {
    return undefined;
  }
  return text === "true" || (/^\d+$/.test(text) && !instead.includes('"'))
    ? JSON.parse(text)
    : text;
}

interface Spot {
  readonly group: Group;
  readonly key: Key;
}

function at(root: Group, path: readonly Key[], place: string | undefined): Spot {
  if (place !== undefined) {
    return { group: root, key: place };
  }
  const [section, ...rest] = path;
  const keys = [`kindows:${String(section)}`, ...rest];
  const group = keys.slice(0, -1).reduce<Group>((one, key) => (one[key] ??= {}) as Group, root);
  return { group, key: keys.at(-1) ?? "" };
}

function write(root: Group, path: readonly Key[], value: unknown): void {
  const { group, key } = at(root, path, undefined);
  group[key] = value;
}

function remove({ group, key }: Spot): void {
  if (Array.isArray(group)) {
    group.splice(Number(key), 1);
  } else {
    delete group[key];
  }
}

function isKeyOf(group: unknown, key: string): group is Group {
  return typeof group === "object" && group !== null && !Array.isArray(group) && key in group;
}
