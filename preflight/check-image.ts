import type { Settings } from "../config/settings.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "../config/host-problem.ts";

/** The disk the machines start from is there, and each machine's own disk has room for it. */
export function checkImage(
  { windows: { image }, nodes }: Settings,
  facts: HostFacts,
): HostProblem[] {
  if (typeof facts.image === "object") {
    return disksTooSmall(nodes, facts.image.virtualGiB, "kindows:windows.diskGiB");
  }
  if (image.kind !== "disk") {
    const rehearsal = image.kind === "rehearsal";
    return [
      {
        subject: rehearsal ? "The rehearsal image" : "The Windows image",
        why: facts.image === "missing" ? "is not built yet" : `is ${facts.image}`,
        instead: rehearsal
          ? "Run `./kindows prepare --stack <name>`."
          : "Run `./kindows image build --stack <name>`.",
      },
    ];
  }
  const another = "Write the path of a qcow2, VHD or VHDX image you may read.";
  const problem = {
    missing: { why: "does not exist", instead: another },
    unreadable: { why: "can't be read", instead: another },
    "no disk": {
      why: "is neither a qcow2 image nor VHD or VHDX",
      instead: "Convert it: qemu-img convert -O qcow2 OLD NEW.",
    },
    "not converted": {
      why: "is not converted yet",
      instead: "Run `./kindows prepare --stack <name>`.",
    },
  }[facts.image];
  return [{ subject: `kindows:windows.image.path: "${image.path}"`, ...problem }];
}

/** An overlay can't be smaller than what it stands on: the machine would lose the end of its disk. */
export function disksTooSmall(
  nodes: Settings["nodes"],
  virtualGiB: number,
  setting: string,
): HostProblem[] {
  const least = Math.ceil(virtualGiB);
  return nodes
    .filter(({ diskGiB }) => diskGiB < virtualGiB)
    .map(({ name, diskGiB }) => ({
      subject: `The disk of ${name}, ${diskGiB} GiB,`,
      why: `is smaller than its image, ${least} GiB`,
      instead: `Write ${least} or more for ${setting}, or the node's own diskGiB.`,
    }));
}
