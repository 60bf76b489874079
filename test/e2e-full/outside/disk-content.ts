import { createHash } from "node:crypto";
import { mkdtemp, readFile, readdir, readlink, rm } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";

/** Where the guest's root file system begins on its disk, in bytes: rehearsal/image/artifact.ts. */
export const rootOffset = 33 * 1024 ** 2;

/** Parts of the model's state that change with each boot or that a reset keeps, like the feature. */
const ignoredState = ["bootTime", "features", "faultsPlayed"];

/** The model's own files, of which only the state is compared. */
const model = "drive_c/rehearsal";

/** The model, the roots of HostProcess containers, and the links of Go programs, which Wine does not support. */
const standIns = [model, "drive_c/C", "drive_c/wlnk"];

export function rootOf(disk: string): string {
  return `${disk}?offset=${rootOffset}`;
}

export async function debugfs(
  fileSystem: string,
  command: string,
  ...options: string[]
): Promise<string> {
  const { stdout, stderr } = await execa("debugfs", [...options, "-R", command, fileSystem]);
  // debugfs always exits with 0, and prints its own name first.
  const said = stderr.replace(/^debugfs [\d.]+ .*\n?/, "");
  if (said !== "") throw new Error(`debugfs ${command}: ${said}`);
  return stdout;
}

/** Content of a stopped guest's disk. @param disk an overlay, not changed @param work folder for a copy. */
export async function diskContent(disk: string, work: string): Promise<Record<string, string>> {
  const folder = await mkdtemp(path.join(work, "content-"));
  try {
    const root = path.join(folder, "root.raw");
    // Copied to a file of its own, because e2fsck 1.47 cannot replay the journal of a file system inside a file.
    const source = `driver=raw,offset=${rootOffset},file.driver=qcow2,file.file.filename=${disk}`;
    await execa("qemu-img", ["convert", "--image-opts", source, "-O", "raw", root]);
    // The journal has writes that the guest had not finished. Exit code 1: errors were corrected.
    const checked = await execa("e2fsck", ["-fy", root], { reject: false, all: true });
    if ((checked.exitCode ?? 8) > 1) throw new Error(`e2fsck: ${checked.all}`);
    await debugfs(root, `rdump /wine ${folder}`);
    const found: Record<string, string> = {
      "the hosts file": await debugfs(root, "cat /etc/hosts"),
    };
    await list(path.join(folder, "wine"), "", found);
    const { registry, ...state } = JSON.parse(
      await readFile(path.join(folder, "wine", model, "state.json"), "utf8"),
    ) as Record<string, unknown> & { registry: Record<string, unknown> };
    for (const [key, value] of Object.entries(state)) {
      if (!ignoredState.includes(key)) found[`Windows' ${key}`] = JSON.stringify(value);
    }
    for (const [key, values] of Object.entries(registry)) {
      found[`Windows' registry key ${key}`] = JSON.stringify(values);
    }
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function list(root: string, below: string, found: Record<string, string>): Promise<void> {
  for (const entry of await readdir(path.join(root, below), { withFileTypes: true })) {
    const name = path.posix.join(below, entry.name);
    const file = path.join(root, name);
    if (standIns.includes(name)) continue;
    if (entry.isSymbolicLink()) {
      found[name] = `-> ${await readlink(file)}`;
    } else if (entry.isDirectory()) {
      found[`${name}/`] = "";
      await list(root, name, found);
    } else if (entry.isFile()) {
      found[name] = name.endsWith(".reg")
        ? timeless(await readFile(file, "utf8"))
        : createHash("sha256")
            .update(await readFile(file))
            .digest("hex");
    }
  }
}

/** A Wine registry file without its keys' write times. */
function timeless(registry: string): string {
  return registry.replace(/^#time=.*\n/gm, "").replace(/^(\[.*\]) \d+$/gm, "$1");
}

export function differences(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const [old, now] = [before[name], after[name]];
    if (old === now) return [];
    if (old === undefined) return [`+ ${name}`];
    if (now === undefined) return [`- ${name}`];
    if (!name.endsWith(".reg")) return [`! ${name}: ${old} -> ${now}`];
    const [oldLines, nowLines] = [old.split("\n"), now.split("\n")];
    return [
      ...oldLines.filter((line) => !nowLines.includes(line)).map((line) => `- ${name}: ${line}`),
      ...nowLines.filter((line) => !oldLines.includes(line)).map((line) => `+ ${name}: ${line}`),
    ];
  });
}
