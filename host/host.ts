import { runProgram } from "./run-program.ts";
import { Failure } from "./failure.ts";

/** A host that commands examine; tests replace it with recorded answers. */
export interface Host {
  /** libvirt connection the lab's machines are on, e.g. `qemu:///system`. */
  readonly libvirtUri: string;
  /** The current stack, the prefix of its lab, and the libvirt network that it uses instead of one of its own. */
  readonly of?: {
    readonly stack: string;
    readonly lab: string;
    readonly usedNetwork?: string | undefined;
  };
  /** Reachable hypervisors on other hosts that have, or may have, resources of the lab. */
  readonly others?: readonly RemoteHost[];
  /**
   * Runs a program to its end.
   *
   * @returns its output; undefined if the program is not installed, because then nothing of its kind exists either.
   * @throws if it fails, with its last lines.
   */
  run(program: string, args: readonly string[]): Promise<string | undefined>;
}

export interface RemoteHost {
  readonly name: string;
  /** As in the settings, for messages. */
  readonly uri: string;
  readonly virshUri: string;
}

/** Longest time for a query to a daemon, or for removing one resource. */
const timeoutSeconds = 60;

/** This host, with the hypervisors of a stack's lab on other hosts. */
export function thisHost(
  { libvirtUri, ...of }: NonNullable<Host["of"]> & Pick<Host, "libvirtUri">,
  others: readonly RemoteHost[] = [],
): Host {
  return {
    libvirtUri,
    others,
    of,
    run: async (program, args) => {
      const { how, stdout, reason } = await runProgram(program, args, timeoutSeconds);
      if (how === "well") return stdout;
      if (how === "missing") return undefined;
      throw new Failure(`\`${program} ${args.join(" ")}\` failed: ${reason}`);
    },
  };
}

export function lines(output: string | undefined): readonly string[] {
  return (output ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/**
 * Handles the failure of a query about something that may have been removed in the meantime. The failure is ignored
 * only if the thing is no longer listed; otherwise a busy host's missing answer would count as a removal.
 */
export function unlessGone(
  name: string,
  list: () => Promise<readonly string[]>,
): (error: unknown) => Promise<undefined> {
  return async (error) => {
    if ((await list()).includes(name)) throw error;
  };
}
