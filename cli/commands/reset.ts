import { Failure } from "../../host/failure.ts";
import type { CommandResult, Options } from "../command-line/options.ts";
import type { StateResource } from "../engine/deployment.ts";
import { StackFacts } from "../engine/facts.ts";
import { upReplacing } from "./up.ts";

export interface ResetOptions extends Options<"yes"> {
  readonly node: string;
}

/**
 * `kindows reset`: gives a node a fresh machine. Its pods are evicted, its Node is deleted, its disk is made from the
 * image again, and it joins as at first.
 */
export function reset({ node, ...options }: ResetOptions): Promise<CommandResult> {
  return upReplacing({ ...options, verbose: false }, (resources) => [
    diskOf(node, resources, options.stack),
  ]);
}

/**
 * URN of the disk that a node's machine was made with. All else of the machine follows from it.
 *
 * @throws Failure if the lab has made no such machine on libvirt.
 */
export function diskOf(node: string, resources: readonly StateResource[], stack: string): string {
  const machines = new StackFacts(resources).machines();
  const disks = new Map(
    [...machines].flatMap(([name, urn]) => {
      const isDisk = ({ type, parent }: StateResource): boolean =>
        type === "libvirt:index/volume:Volume" && parent === urn;
      return resources.filter(isDisk).map((disk) => [name, disk.urn] as const);
    }),
  );
  const disk = disks.get(node);
  if (disk !== undefined) return disk;
  const names = [...disks.keys()].sort().join(", ");
  throw new Failure(
    names === ""
      ? `the stack ${stack} has no machine on libvirt: \`kindows up --stack ${stack}\``
      : `${node} is none of the machines that this lab made on libvirt: ${names}`,
  );
}
