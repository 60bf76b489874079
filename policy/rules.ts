import * as z from "zod";
import { redact } from "../components/redact.ts";
import type { Previewed } from "./previewed.ts";
import {
  isPlainMap,
  isList,
  isUnknown,
  type PropertyValue,
} from "../offline/plugins/protocol/property-value.ts";

export interface Violation {
  /** Name of the resource; undefined for a violation by the stack as a whole. */
  readonly resource?: string;
  /** What is wrong, with the value, and what to write instead. */
  readonly message: string;
}

/** A rule for stacks. `check` is a pure function of a preview and the limits. */
export interface Rule {
  /** Its name in exceptions, e.g. `images-by-digest`. */
  readonly name: string;
  /** What must hold, and why. */
  readonly description: string;
  check(preview: Previewed, limits: Limits): readonly Violation[];
}

/** A rule that checks each string in a resource's inputs, except secrets and unknown values. */
function textRule(
  name: string,
  description: string,
  /** @returns what is wrong, as the rest of a sentence that starts with the string's path; undefined if nothing is. */
  wrong: (text: string, key: string) => string | undefined,
): Rule {
  const check: Rule["check"] = ({ resources }) =>
    resources.flatMap((resource) =>
      textsBelow(resource.inputs, []).flatMap(({ path, text }) => {
        const message = wrong(text, path.at(-1) ?? "");
        return message === undefined
          ? []
          : [{ resource: resource.name, message: `${path.join(".")} ${message}` }];
      }),
    );
  return { name, description, check };
}

function textsBelow(
  value: PropertyValue | undefined,
  path: readonly string[],
): readonly { readonly path: readonly string[]; readonly text: string }[] {
  if (typeof value === "string") return isUnknown(value) ? [] : [{ path, text: value }];
  const isBranch = isList(value) || isPlainMap(value);
  return Object.entries(isBranch ? value : {}).flatMap(([key, each]) =>
    textsBelow(each, [...path, key]),
  );
}

const count = z.number().int().positive();

export const limitsSchema = z.strictObject({
  /** Resources in the state: more of them make each preview slower. */
  resources: count,
  machineMemoryMiB: count,
  machineCpus: count,
  /** Maximum size of all machines' disks together. */
  machineDiskGiB: count,
});

export type Limits = z.infer<typeof limitsSchema>;

/** An image's tag can be moved to another image; a digest cannot. */
const imagesByDigest = textRule(
  "images-by-digest",
  "container images are named by digest, because a tag may be another image tomorrow",
  (text, key) =>
    key !== "image" || /@sha256:[0-9a-f]{64}$/.test(text) || isBuiltHere(text)
      ? undefined
      : `is ${text}: name it as ${text.replace(/@.*$/, "")}@sha256:<digest>`,
);

/** Whether it is a node image that was built on the host. Its tag contains a hash of everything that went into it. */
function isBuiltHere(image: string): boolean {
  return /^kindest\/node:kindows-[0-9a-f]{12}$/.test(image);
}

/** Names of inputs whose value is a secret, whatever it looks like. */
const secretName =
  /(?:password|passphrase|private_?key|client_?key(?:_?data)?|secret|kubeconfig(?:_content)?|product_?key)$/i;

/** Replacement of keys and tokens in a preview (components/redact.ts). */
const mask = redact("aaaaaa.aaaaaaaaaaaaaaaa");

/** A secret that the program does not mark is stored in plain text, in each state and each of its backups. */
const noClearSecrets = textRule(
  "no-clear-secrets",
  "keys, tokens and passwords are secret outputs; otherwise the state has them in clear text",
  (text, key) => {
    const isNamed = secretName.test(key) && text !== "";
    if (!isNamed && !text.includes(mask)) return undefined;
    // The message must not contain the value.
    const what = isNamed ? "has the name of a secret" : "holds a key or a token";
    return `${what} and is in clear text: wrap it in pulumi.secret(), or take it from a secret output`;
  },
);

/**
 * Changes inside a machine disappear with it. Without `deletedWith`, a `destroy` connects to each machine to undo them
 * one by one, and fails if the machine does not answer.
 */
export const deletedWithMachine: Rule = {
  name: "deleted-with-machine",
  description:
    "resources inside a machine have deletedWith, so that destroy works when the machine is gone",
  check: ({ resources }) =>
    resources
      .filter(({ type, deletedWith }) => type.startsWith("command:remote:") && !deletedWith)
      .map(({ name }) => ({
        resource: name,
        message: `changes a machine and has no deletedWith: give it deletedWith(machine)`,
      })),
};

const bytesPerGiB = 1024 ** 3;

const domain = "libvirt:index/domain:Domain";

/** A stack must stay within the limits, so that a typo is reported before the host runs out of memory. */
const resourceBudget: Rule = {
  name: "resource-budget",
  description: "a stack stays within policy/limits.yaml",
  check: (preview, limits) => {
    const diskBytes = sum(preview, "libvirt:index/volume:Volume", "size");
    const sums = [
      ["resources", preview.resources.length, "resources"],
      ["machineMemoryMiB", sum(preview, domain, "memory"), "MiB of memory for machines"],
      ["machineCpus", sum(preview, domain, "vcpu"), "virtual processors"],
      ["machineDiskGiB", Math.ceil(diskBytes / bytesPerGiB), "GiB of disks"],
    ] as const;
    return sums
      .filter(([limit, value]) => value > limits[limit])
      .map(([limit, value, what]) => ({
        message: `${value} ${what}, but only ${limits[limit]} are allowed: use less, or raise ${limit} in policy/limits.yaml`,
      }));
  },
};

/** Sum over all resources of a type; unknown values count as 0. */
function sum({ resources }: Previewed, type: string, input: string): number {
  return resources
    .filter((resource) => resource.type === type)
    .map(({ inputs }) => inputs[input])
    .reduce((total: number, value) => total + (typeof value === "number" ? value : 0), 0);
}

/** The address that means all IPv4 or IPv6 addresses of a host, but not a default route (`0.0.0.0/0`). */
const everyAddress = /(?<![0-9.])0\.0\.0\.0(?![0-9.]*[/0-9])|\[::\](?::[0-9]+)?/;

/** Screens, metrics and API servers that listen on all addresses of a host are open to its whole network. */
const noOpenListeners = textRule(
  "no-open-listeners",
  "nothing listens on every address of a host (0.0.0.0, [::])",
  (text) => {
    const found = everyAddress.exec(text)?.[0];
    return found && `has ${found}: name the address to listen on, e.g. 127.0.0.1`;
  },
);

/** Every rule, in the order of reports. */
export const rules: readonly Rule[] = [
  ...[imagesByDigest, noClearSecrets, deletedWithMachine, resourceBudget, noOpenListeners],
];
