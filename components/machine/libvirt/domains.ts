import { below, readXml, type XmlElement } from "../../../host/read-xml.ts";
import { Failure } from "../../../host/failure.ts";
import { lines, type Host, unlessGone } from "../../../host/host.ts";
import { isLocal, virsh, virshText } from "../../../host/virsh.ts";
import {
  stopIn,
  type HostResource,
  type ResourceKind,
  type Stop,
  type Stopped,
} from "../../host-resource.ts";
import { markOf } from "./lab-mark.ts";
import { labOf } from "./pools-and-networks.ts";
import { labOfPoolFile } from "./storage.ts";

const kind = "libvirt domain";

const unlessGoneFrom = (host: Host, name: string) =>
  unlessGone(name, async () => lines(await virsh(host, "list", "--all", "--name")));

async function find(host: Host): Promise<readonly HostResource[]> {
  const rows = lines(await virsh(host, "list", "--all")).flatMap((line) => {
    const [, name, state] = /^(?:-|\d+)\s+(kindows-\S+)\s+(.+)$/.exec(line) ?? [];
    return name === undefined || state === undefined ? [] : [{ name, state }];
  });
  const found = await Promise.all(
    rows.map(async ({ name, state }) => {
      const xml = await virsh(host, "dumpxml", "--inactive", name).catch(
        unlessGoneFrom(host, name),
      );
      const described = readXml(xml ?? "");
      const lab = labOfDomain(name, described);
      const uuid = below(described, "domain", "uuid")[0]?.text;
      const mark = markOf(described);
      return lab === undefined
        ? []
        : [{ kind, name, lab, state, identity: `${kind} ${uuid}`, mark }];
    }),
  );
  return found.flat();
}

/**
 * Lab of a domain, by its network or the folder of its disks: by its name alone, `kindows-a-b-win-1` could be node
 * `win-1` of lab `a-b` or node `b-win-1` of lab `a`.
 */
function labOfDomain(name: string, described: XmlElement): string | undefined {
  const devices = below(described, "domain", "devices").flatMap(({ elements }) => elements);
  return devices
    .flatMap((device) => below(device, "source"))
    .map(({ attributes: { file, network, pool } }) =>
      file === undefined ? labOf(network ?? pool ?? "") : labOfPoolFile(file),
    )
    .find((lab) => lab !== undefined && name.startsWith(`${lab}-`));
}

/**
 * Free space that a machine needs to be resumed after a full disk has paused it. With less, it would be paused again
 * soon.
 */
const neededGiB = 1;

/** Paused machines. QEMU pauses a machine when the host's disk is full. */
export const pausedMachines: Stop = {
  ...stopIn("paused", { kind: `paused ${kind}`, find }, async (host, name) => {
    await virsh(host, "resume", name);
    if ((await virsh(host, "domstate", name)).trim() === "paused") {
      throw new Failure(
        `the machine ${name} is paused again at once: make room on this host's disk, then run again`,
      );
    }
  }),
  find: async (host, lab) => {
    const paused = (await find(host)).filter((each) => each.lab === lab && each.state === "paused");
    return Promise.all(
      paused.map(async ({ name }) => pausedMachine(name, await pauseOf(host, lab, name))),
    );
  },
};

/** Virtual machines of labs. They are named after the lab, and are on its network or have a disk in its pool. */
export const domains: ResourceKind = {
  kind,
  find,

  remove: async ({ name }, host) => {
    await virsh(host, "destroy", name).catch(() => undefined); // Fails when it does not run.
    await virsh(host, "undefine", name, "--managed-save", "--snapshots-metadata", "--nvram").catch(
      unlessGoneFrom(host, name),
    );
  },

  byHand: ({ name }, host) =>
    virshText(host, [`destroy ${name}`, `undefine ${name} --managed-save --nvram`]),

  owned: {
    "libvirt:index/domain:Domain": ({ id }) => [{ identity: `${kind} ${id}`, essential: true }],
  },

  stops: [
    stopIn("shut off", { kind, find }, async (host, name) => {
      await virsh(host, "start", name);
    }),
    pausedMachines,
  ],
};

/** What is known about a paused machine. */
export interface Pause {
  /** Output of `virsh domstate --reason`, e.g. `paused (I/O error)`. */
  readonly state: string;
  /** Lines of `virsh domblkerror`, each with a disk and an error, e.g. `vda: no space`. */
  readonly diskErrors: readonly string[];
  /** Free space in GiB on the fullest file system that has one of its disks, if known. */
  readonly freeGiB: number | undefined;
}

/** Why a machine is paused, and whether resuming makes sense. */
export function pausedMachine(name: string, { state, diskErrors, freeGiB }: Pause): Stopped {
  const reason = /\((.+)\)/.exec(state)?.[1];
  const errors = diskErrors.filter((line) => /^\S+: /.test(line));
  if (reason !== "I/O error" && errors.length === 0) {
    return reason === undefined || reason === "user" ? { name } : { name, seen: reason };
  }
  const room = freeGiB === undefined ? "" : `, ${freeGiB.toFixed(1)} GiB free where its disks are`;
  const seen = `${[reason ?? "I/O error", ...errors].join(", ")}${room}`;
  return freeGiB === undefined || freeGiB >= neededGiB
    ? { name, seen }
    : {
        name,
        seen,
        first: `make room on that disk, at least ${neededGiB} GiB (\`kindows cache prune\`, \`docker system df\`), then run this again`,
      };
}

async function pauseOf(host: Host, pool: string, name: string): Promise<Pause> {
  // A failed command does not prevent the others from being reported.
  const linesOf = (...args: string[]): Promise<readonly string[]> =>
    virsh(host, ...args).then(lines, () => []);
  const [state, diskErrors, disks] = await Promise.all([
    linesOf("domstate", "--reason", name),
    linesOf("domblkerror", name),
    linesOf("domblklist", name),
  ]);
  const sources = disks.flatMap((line) => /^\S+\s+(\S.*)$/.exec(line)?.[1] ?? []);
  const files = await Promise.all(
    // A volume is listed by its name in the pool, which is named after the lab.
    sources.map(async (source) =>
      source.startsWith("/") ? [source] : linesOf("vol-path", "--pool", pool, source),
    ),
  );
  return { state: state.join(" "), diskErrors, freeGiB: await freeGiB(host, files.flat()) };
}

async function freeGiB(host: Host, files: readonly string[]): Promise<number | undefined> {
  if (files.length === 0 || !isLocal(host.libvirtUri)) return undefined;
  const printed = await host.run("df", ["--block-size=1", "--output=avail", ...files]).then(
    lines,
    () => [], // This user cannot access the files.
  );
  const bytes = printed.filter((line) => /^\d+$/.test(line)).map(Number);
  return bytes.length === 0 ? undefined : Math.min(...bytes) / 1024 ** 3;
}
