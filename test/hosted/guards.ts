/**
 * Whether a real Windows may and can run on this machine, and what to do where it can't.
 *
 * Arguments: `terms`, whether Microsoft's evaluation terms were accepted; on GitHub this sets the output `run`. Or `host`,
 * whether this machine has what it needs; on GitHub this sets KINDOWS_CACHE for the steps that follow.
 */
import { appendFileSync, existsSync, readFileSync, statfsSync } from "node:fs";
import path from "node:path";

import { gatherKvmDevice, type KvmFacts } from "../../components/machine/libvirt/kvm.ts";
import { gatherMemory } from "../../stacks/room.ts";

/** Repository variable, and environment variable, by which somebody accepts Microsoft's terms for evaluations. */
export const termsVariable = "KINDOWS_EVALUATION_TERMS";
export const acceptance = "accepted";

const termsAddress = "https://www.microsoft.com/evalcenter/evaluate-windows-server-2025";

export interface Answer {
  readonly run: boolean;
  readonly lines: readonly string[];
}

/** @param value of the variable; undefined or empty if it is not set. */
export function termsAnswer(value: string | undefined): Answer {
  if (value === acceptance) {
    return {
      run: true,
      lines: ["Microsoft's evaluation terms are accepted by this repository's owner."],
    };
  }
  const found = value === undefined || value === "" ? "is not set" : `is ${JSON.stringify(value)}`;
  return {
    run: false,
    lines: [
      `Nothing was downloaded, and no Windows was started: the variable ${termsVariable} ${found}.`,
      `To accept Microsoft's terms for evaluations (180 days, not for production: ${termsAddress}), set it to \`${acceptance}\`. ` +
        "On GitHub: Settings, Secrets and variables, Actions, Variables, New repository variable.",
    ],
  };
}

interface Place {
  readonly folder: string;
  /** Of its file system. */
  readonly device: string;
  readonly freeGiB: number;
}

export interface HostFacts {
  readonly kvm: KvmFacts;
  readonly totalMemoryMiB: number;
  /** Where the cache may be, in order of preference. */
  readonly cachePlaces: readonly Place[];
  /** Where libvirt keeps the machines' disks. */
  readonly pool: Place;
  readonly appArmor: boolean;
}

/**
 * Estimates, none is measured yet: the ISO 8, virtio-win 1, tools 5 and the image while it is built 20; the machines' copy
 * of the image and the growth of a disk, as stacks/room.ts has them.
 */
export const neededGiB = { cache: 34, pool: 27 };

/** A machine of 8 GiB, a control plane, and the rest of the host. A runner with 16 GB shows a little less. */
const neededMemoryMiB = 14 * 1024;

const kvmReasons: Readonly<Record<string, string>> = {
  absent:
    "there is no /dev/kvm: GitHub's Linux runners have it, if they are the standard x64 ones of a public repository or larger ones",
  denied: "/dev/kvm can't be opened: run this as root",
};

/** @returns where the cache belongs, if this machine will do. */
export function hostAnswer(facts: HostFacts): Answer & { readonly cache?: string } {
  const { kvm, totalMemoryMiB, cachePlaces, pool, appArmor } = facts;
  const fits = cachePlaces.find(({ device, freeGiB }) =>
    device === pool.device
      ? freeGiB >= neededGiB.cache + neededGiB.pool
      : freeGiB >= neededGiB.cache && pool.freeGiB >= neededGiB.pool,
  );
  const free = [...cachePlaces, pool].map(({ folder, freeGiB }) => `${freeGiB} GiB for ${folder}`);
  const problems = [
    ...(kvm === undefined
      ? []
      : [
          kvmReasons[typeof kvm === "string" ? kvm : ""] ??
            `KVM can't be used: ${JSON.stringify(kvm)}`,
        ]),
    ...(totalMemoryMiB >= neededMemoryMiB
      ? []
      : [
          `${totalMemoryMiB} MiB of memory are too little: a machine with 8192 and a control plane need ${neededMemoryMiB}`,
        ]),
    ...(fits !== undefined
      ? []
      : [
          `too little space: the cache needs ${neededGiB.cache} GiB and the machines' disks ${neededGiB.pool}, there are ${free.join(", ")}`,
        ]),
    ...(appArmor
      ? []
      : ["AppArmor is off, which confines the machines on Debian and Ubuntu: turn it on"]),
  ];
  if (problems.length > 0 || fits === undefined) {
    return {
      run: false,
      lines: problems.map((each) => `This machine can't run a real Windows: ${each}.`),
    };
  }
  return {
    run: true,
    cache: fits.folder,
    lines: [
      `This machine can run a real Windows: KVM, ${totalMemoryMiB} MiB of memory, AppArmor, ${free.join(", ")}.`,
      `The cache is ${fits.folder}.`,
    ],
  };
}

/** A folder's file system, or that of the nearest folder above it that exists. */
function placeOf(folder: string): Place {
  let there = folder;
  while (!existsSync(there)) there = path.dirname(there);
  const { bavail, bsize, blocks, files } = statfsSync(there);
  return {
    folder,
    device: `${blocks} ${files} ${bsize}`,
    freeGiB: Math.floor((bavail * bsize) / 1024 ** 3),
  };
}

async function gatherHost(): Promise<HostFacts> {
  const appArmor = "/sys/module/apparmor/parameters/enabled";
  return {
    kvm: await gatherKvmDevice("kvm"),
    totalMemoryMiB: (await gatherMemory()).totalMiB,
    // GitHub's runners have a second disk at /mnt.
    cachePlaces: ["/var/tmp/kindows-cache", "/mnt/kindows-cache"].map(placeOf),
    pool: placeOf("/var/lib/libvirt/images"),
    appArmor: existsSync(appArmor) && readFileSync(appArmor, "utf8").trim() === "Y",
  };
}

function toGitHub(variable: string, ...lines: readonly string[]): void {
  const file = process.env[variable];
  if (file !== undefined) appendFileSync(file, `${lines.join("\n")}\n`);
}

const guards: Readonly<Record<string, () => Promise<Answer>>> = {
  terms() {
    const answer = termsAnswer(process.env[termsVariable]);
    toGitHub("GITHUB_OUTPUT", `run=${answer.run}`);
    // The job that runs Windows is skipped then, which is neither good nor bad.
    return Promise.resolve({ ...answer, run: true });
  },
  async host() {
    const answer = hostAnswer(await gatherHost());
    if (answer.cache !== undefined) toGitHub("GITHUB_ENV", `KINDOWS_CACHE=${answer.cache}`);
    return answer;
  },
};

if (import.meta.filename === process.argv[1]) {
  const guard = guards[process.argv[2] ?? ""];
  if (guard === undefined) throw new Error(`name one of: ${Object.keys(guards).join(", ")}`);
  const { run, lines } = await guard();
  for (const line of lines) console.log(line);
  toGitHub("GITHUB_STEP_SUMMARY", ...lines);
  process.exitCode = run ? 0 : 1;
}
