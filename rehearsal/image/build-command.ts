import { execa } from "execa";
import { commandRunner, type RunCommand } from "../../host/command-runner.ts";

/**
 * Builds need root for debootstrap, for mounts, and to own the disk's files. Other users become root in a user namespace,
 * which gives them no rights on the host.
 */
const asRoot = process.getuid?.() === 0 ? [] : ["unshare", "--map-root-user"];

/** @throws if the host does not allow users to create user namespaces, as on Ubuntu because of AppArmor. */
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

/** Runs a build's programs as root, if necessary in a user namespace, and with low priority. */
export function buildCommand(logFile: string): RunCommand {
  const run = commandRunner(logFile, ["nice", ...asRoot]);
  return (...command) => {
    const [, args] = command;
    // Retry downloads once: debootstrap tries each of some hundred packages once, and keeps those it got.
    return args.includes("--download-only")
      ? run(...command).catch(() => run(...command))
      : run(...command);
  };
}
