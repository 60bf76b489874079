import { execa } from "execa";
import { commandRunner, type RunCommand } from "../../host/command-runner.ts";

/**
 * Debian's installer wants to be root, mounts need it, and a disk's files are to be root's. For whoever is not, the kernel
 * has that without any right over the host: a user namespace.
 */
const asRoot = process.getuid?.() === 0 ? [] : ["unshare", "--map-root-user"];

/** @throws where the host gives its users no such namespace, as Ubuntu does by AppArmor. */
export async function requireRootOfOwn(): Promise<void> {
  if (asRoot.length === 0) return;
  const { failed, stderr } = await execa("unshare", ["--map-root-user", "true"], {
    reject: false,
    stdin: "ignore",
    timeout: 10_000,
  });
  if (failed) {
    throw new Error(
      `the rehearsal's image is built in a user namespace, which this host does not give you (${stderr.trim()}): ` +
        `run this as root`,
    );
  }
}

/** Programs of a build run as root of their own namespace at least, and with low priority. */
export function buildCommand(logFile: string): RunCommand {
  const run = commandRunner(logFile, ["nice", ...asRoot]);
  return (...command) => {
    const [, args] = command;
    // debootstrap asks a mirror once for each of some hundred packages, and keeps those it got.
    return args.includes("--download-only")
      ? run(...command).catch(() => run(...command))
      : run(...command);
  };
}
