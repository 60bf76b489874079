import { bareMachines, TestLab, tail } from "../e2e/lab.ts";
import type { Finished, LabSettings } from "../e2e/lab.ts";

/** The lab that is measured: the rehearsal's settings on a segment of its own. */
export const benchLab = new TestLab("e2ebench");

/** Prefix of everything the lab makes. */
export const benchPrefix = `kindows-${benchLab.stack}`;

const network = { cidr: "192.168.156.0/24" };

/** Writes the settings of a lab with this many Windows nodes, made from the baked or the bare image. */
export async function configureNodes(
  count: number,
  image: "bare" | "baked" = "baked",
): Promise<void> {
  const nodes = Array.from({ length: count }, (_, index) => ({ name: `win-${index + 1}` }));
  const settings: LabSettings = { ...(image === "bare" ? bareMachines : {}), network, nodes };
  await benchLab.configure(settings);
}

/** Runs a `kindows` command on the lab. @throws with the end of its output when it fails */
export async function kindows(...args: string[]): Promise<Finished> {
  return succeeded(args.join(" "), await benchLab.kindows(...args));
}

/** Runs a command with the engine's environment. @throws as `kindows` does */
export async function inEngineShell(command: string): Promise<Finished> {
  return succeeded(command, await benchLab.withEnvironment(command));
}

function succeeded(what: string, finished: Finished): Finished {
  if (finished.exitCode !== 0) {
    throw new Error(`\`${what}\` failed (${finished.exitCode}):\n${tail(finished.output)}`);
  }
  return finished;
}
