import { virshArguments } from "../../host/virsh.ts";
import { runProgram } from "../../host/run-program.ts";
import { Failure } from "../../host/failure.ts";
import type { LabIdentity } from "../stack-settings.ts";

/** Runs programs of the host; tests put recorded answers in its place. */
export interface Host {
  /** libvirt connection the lab's machines are on, e.g. `qemu:///system`. */
  readonly libvirtUri: string;
  /** The stack that is worked on, and the prefix of its lab. */
  readonly of?: { readonly stack: string; readonly lab: string };
  /** Hypervisors on other hosts that have, or may have, things of the lab, and answer. */
  readonly others?: readonly RemoteHost[];
  /**
   * Runs a program to its end.
   *
   * @returns what it printed, or nothing when the program is not installed: then nothing of its kind exists either.
   * @throws when it fails, with its own last words.
   */
  run(program: string, args: readonly string[]): Promise<string | undefined>;
}

/** A hypervisor on another host. */
export interface RemoteHost {
  readonly name: string;
  /** As the settings have it: for people. */
  readonly uri: string;
  /** For virsh. */
  readonly virshUri: string;
}

/** Longest time for one question to a daemon, or for taking one thing away. */
const timeoutSeconds = 60;

/** This host, and what of the lab is elsewhere. */
export function thisHost(
  { stack, names, libvirtUri }: LabIdentity,
  others: readonly RemoteHost[] = [],
): Host {
  return {
    ...{ libvirtUri, others, of: { stack, lab: names.prefix } },
    run: async (program, args) => {
      const { how, stdout, reason } = await runProgram(program, args, timeoutSeconds);
      if (how === "well") {
        return stdout;
      }
      if (how === "missing") {
        return undefined;
      }
      throw new Failure(`\`${program} ${args.join(" ")}\` failed: ${reason}`);
    },
  };
}

/** Runs virsh against the lab's libvirt. */
export async function virsh(host: Host, ...args: string[]): Promise<string | undefined> {
  return host.run("virsh", virshArguments(host.libvirtUri, args));
}

/** Lines of a program's output that say something. */
export function lines(output: string | undefined): readonly string[] {
  return (output ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
