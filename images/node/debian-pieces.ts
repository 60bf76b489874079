import { lstat, mkdir, readlink, realpath, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import type { RunCommand } from "../../host/command-runner.ts";

/** Installed packages, each with the packages it depends on; of alternatives, the first one that is installed. */
type Dependencies = ReadonlyMap<string, readonly string[]>;

/**
 * Parses the output of `dpkg-query -W -f '${Package}\t${Pre-Depends}, ${Depends}\t${Provides}\n'`.
 *
 * A dependency that no installed package satisfies is left out. It cannot be a real one, or debootstrap would have
 * failed.
 */
export function parseDependencies(listing: string): Dependencies {
  const rows = listing
    .split("\n")
    .filter((line) => line.includes("\t"))
    .map((line) => line.split("\t"));
  const providers = new Map([
    ...rows.flatMap(([name = "", , provides = ""]) =>
      names(provides).map((provided) => [provided, name] as const),
    ),
    ...rows.map(([name = ""]) => [name, name] as const),
  ]);
  const result = new Map<string, readonly string[]>();
  for (const [name = "", depends = ""] of rows) {
    const needed = depends
      .split(",")
      .map((alternatives) => names(alternatives.replaceAll("|", ",")))
      .map((alternatives) => alternatives.map((each) => providers.get(each)).find(Boolean))
      .filter((each): each is string => each !== undefined);
    result.set(name, [...new Set(needed)]);
  }
  return result;
}

/** Package names of a comma-separated dependency list, without versions and architectures. */
function names(list: string): string[] {
  return list
    .split(",")
    .map((each) => each.trim().replace(/[\s(:].*$/, ""))
    .filter((each) => each !== "");
}

/** The packages that `roots` need to run, including `roots`, but not `without` and what only they need; sorted. */
export function closure(
  dependencies: Dependencies,
  roots: readonly string[],
  without: readonly string[],
): string[] {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name) || without.includes(name)) return;
    const needed = dependencies.get(name);
    if (needed === undefined) throw new Error(`the package ${name} is not in the root file system`);
    found.add(name);
    needed.forEach(visit);
  };
  roots.forEach(visit);
  return [...found].sort();
}

/** Folders with files that no program needs to run. */
const documentation =
  /^\/usr\/share\/(doc|man|info|locale|lintian|bash-completion|bug|menu|perl5)\//;

export interface Pieces {
  /** Packages to copy, together with their dependencies. */
  readonly packages: readonly string[];
  /** Links that no package owns because `update-alternatives` made them, e.g. `/usr/sbin/iptables`. */
  readonly alternatives: readonly string[];
}

/** Copies the programs and libraries of packages out of a root file system into the folder `into`, which it makes. */
export async function copyPackages(
  run: RunCommand,
  root: string,
  pieces: Pieces,
  into: string,
): Promise<void> {
  const format = "${Package}\t${Pre-Depends}, ${Depends}\t${Provides}\n";
  const listing = await run("chroot", [root, "dpkg-query", "-W", "-f", format]);
  const needless = ["debconf", "dpkg", "perl-base"];
  const needed = closure(parseDependencies(listing), pieces.packages, needless);
  const files = new Set<string>();
  for (const line of (await run("chroot", [root, "dpkg", "-L", ...needed])).split("\n")) {
    if (line.startsWith("/") && !documentation.test(line)) {
      await addFile(root, line, files);
    }
  }
  for (const link of pieces.alternatives) {
    await addFile(root, link, files);
  }
  const list = path.join(into, "..", `${path.basename(into)}.list`);
  await writeFile(list, [...files].map((file) => `.${file}\n`).join(""));
  await mkdir(into, { recursive: true });
  const copy = 'tar -C "$0" --no-recursion -cf - -T "$1" | tar -C "$2" -xf -';
  await run("bash", ["-c", copy, root, list, into]);
  // The copied files have their real paths below /usr, but programs use the old paths too.
  for (const folder of ["bin", "sbin", "lib", "lib64"].filter((each) => !files.has(`/${each}`))) {
    await symlink(`usr/${folder}`, path.join(into, folder));
  }
}

/** Adds a file under its real path (/bin is a link to /usr/bin), and the targets of symbolic links. */
async function addFile(root: string, file: string, files: Set<string>): Promise<void> {
  const folder = await realpath(path.join(root, path.dirname(file))).catch(() => undefined);
  // dpkg lists the folder, but it was removed after the installation.
  if (folder === undefined) return;
  const real = path.join(folder, path.basename(file));
  const found = await lstat(real).catch(() => undefined);
  const inRoot = `/${path.relative(root, real)}`;
  if (found === undefined || found.isDirectory() || files.has(inRoot)) return;
  files.add(inRoot);
  if (found.isSymbolicLink()) {
    await addFile(root, path.resolve(path.dirname(inRoot), await readlink(real)), files);
  }
}
