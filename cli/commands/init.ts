import { readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { proposedRange, segmentRange } from "../../config/checks/ranges.ts";
import { overlaps, parseRange } from "../../config/ipv4.ts";
import { resolveOnHost } from "../../config/resolve.ts";
import { hostName } from "../../config/values/dns-name.ts";
import { someHostKey } from "../../config/values/host-key.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import { gatherNetwork } from "../../components/network/segment-readiness.ts";
import { fingerprint, learnHostKey } from "../../host/ssh/host-key.ts";
import { settingsFile, stackOf } from "../engine/folders.ts";
import {
  imageKind,
  newSections,
  type NewStack,
  type OwnMachine,
  usually,
} from "../init/new-stack.ts";
import { stackFile } from "../init/stack-file.ts";
import { print } from "../progress.ts";
import { knownStacks } from "../stack-settings.ts";

interface InitOptions {
  readonly name: string;
  readonly image: string;
  readonly windows: "2022" | "2025";
  readonly nodes?: number;
  readonly machine: readonly string[];
  readonly key?: string;
  readonly network?: string;
  readonly workers: number;
  readonly controlPlanes: "1" | "3";
  readonly cni?: string;
}

const usualCidr = segmentRange.candidates[0] ?? "";

/**
 * `kindows init`: writes the settings file of a new stack, checked, with a comment for each setting. Of machines that are
 * there it reads the host keys.
 */
export async function init(options: InitOptions): Promise<void> {
  const { name, image } = options;
  const file = settingsFile(name);
  const fileName = path.basename(file);
  if (stackOf(fileName) === undefined) {
    throw new Failure(`${name} cannot be a stack's name: write letters, digits, - and _ only`);
  }
  const machines = options.machine.map(ownMachine);
  const found = await Promise.all(machines.map(withHostKey));
  const wanted: NewStack = {
    image: imageKind(image) === image ? image : path.resolve(image),
    windowsVersion: options.windows,
    nodes: options.nodes ?? (machines.length > 0 ? 0 : 1),
    machines: found.map(({ machine }) => machine),
    ...(machines.length > 0 && {
      key: path.resolve(options.key ?? path.join(os.homedir(), ".ssh", "id_ed25519")),
    }),
    libvirtNetwork: options.network ?? (machines.length > 0 ? "default" : undefined),
    workers: options.workers,
    controlPlanes: Number(options.controlPlanes),
    cni: options.cni ?? usualPodNetwork(options),
    cidr: usualCidr,
  };
  const source = { stack: name, file: fileName };
  const problems = found.flatMap(({ problem }) => problem ?? []);
  const settings = await resolveOnHost(newSections(wanted), source, []).catch((error: unknown) => {
    throw new Failure([messageOf(error), ...problems].join("\n"));
  });
  if (problems.length > 0) throw new Failure(problems.join("\n"));
  const taken = await takenRanges(name);
  const cidr = proposedRange(segmentRange, settings, (candidate) =>
    taken.some((range) => overlaps(range, candidate)),
  );
  const text = stackFile(name, newSections({ ...wanted, cidr: cidr ?? usualCidr }));
  await writeFile(file, text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(
      error.code === "EEXIST"
        ? `${fileName} exists already: edit it, or write another name`
        : `${fileName} cannot be written: ${messageOf(error)}`,
    );
  });
  for (const { machine } of found) {
    print(
      `The host key of ${machine.name} is ${fingerprint(machine.hostKey)}: compare it once at its console`,
    );
  }
  print(`${fileName} is written. Have a look at it, then: ./kindows up --stack ${name}`);
}

/** Calico does not support Windows Server 2025. */
function usualPodNetwork({ image, windows, machine }: InitOptions): string {
  const usual = machine.length === 0 ? usually(image) : undefined;
  if (usual !== undefined) return usual.cni;
  return windows === "2025" ? "flannel" : "calico";
}

function ownMachine(text: string): Pick<OwnMachine, "name" | "address"> {
  const [, name, address] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || address === undefined || hostName(address) !== undefined) {
    throw new Failure(
      `--machine ${text} is not a machine: write its computer name and its address, e.g. win-1=192.168.122.20`,
    );
  }
  return { name, address };
}

async function withHostKey(
  machine: Pick<OwnMachine, "name" | "address">,
): Promise<{ readonly machine: OwnMachine; readonly problem?: string }> {
  try {
    return { machine: { ...machine, hostKey: await learnHostKey(machine.address, 22) } };
  } catch (error) {
    const problem = `${machine.name} (${machine.address}) shows no SSH host key: ${messageOf(error)}. \`kindows bootstrap ${machine.address}\` prints the lines that turn on SSH there`;
    return { machine: { ...machine, hostKey: someHostKey(0) }, problem };
  }
}

const stackSchema = z.object({
  config: z.object({ "kindows:network": z.object({ cidr: z.string() }) }),
});

/** The ranges of this host, and of the other stacks of this clone, which may be up at the same time. */
async function takenRanges(stack: string) {
  const { ranges } = await gatherNetwork();
  const others = (await knownStacks()).filter((one) => one !== stack);
  const written = await Promise.all(
    others.map(async (one) => {
      const text = await readFile(settingsFile(one), "utf8").catch(() => "");
      try {
        return stackSchema.safeParse(parse(text)).data?.config["kindows:network"].cidr;
      } catch {
        // Not YAML: whoever works on that stack is told.
        return undefined;
      }
    }),
  );
  const own = ranges.flatMap(({ cidr, by }) => (by === "address" ? [cidr] : []));
  return [...own, ...written].flatMap((cidr) => parseRange(cidr ?? "") ?? []);
}
