import { open } from "node:fs/promises";
import { execa } from "execa";

/** Runs a program of a build to its end and gives back what it printed; both outputs go to the build's log. */
export type BuildCommand = (
  program: string,
  args: readonly string[],
  options?: { readonly timeoutSeconds?: number; readonly input?: string },
) => Promise<string>;

/** Longest any program of the build may take by itself, in seconds: a download over a slow line. */
const defaultTimeoutSeconds = 1200;

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

/** Programs of a build run with the C locale and low priority, and are killed with their children's pipes at the limit. */
export function buildCommand(logFile: string): BuildCommand {
  return async (program, args, options = {}) => {
    const log = await open(logFile, "a");
    try {
      const runOnce = async () => {
        await log.write(`$ ${program} ${args.join(" ")}\n`);
        const result = await execa("nice", [...asRoot, program, ...args], {
          input: options.input ?? "",
          env: { LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive" },
          timeout: (options.timeoutSeconds ?? defaultTimeoutSeconds) * 1000,
          killSignal: "SIGKILL",
          reject: false,
          maxBuffer: 64 * 1024 * 1024,
        });
        await log.write(`${result.stdout}\n${result.stderr}\n`);
        return result;
      };
      let result = await runOnce();
      // debootstrap asks a mirror once for each of some hundred packages, and keeps those it got.
      if (result.failed && args.includes("--download-only")) result = await runOnce();
      if (result.failed) throw new Error(`${result.shortMessage}\n${result.stderr.slice(-2000)}`);
      return result.stdout;
    } finally {
      await log.close();
    }
  };
}
