import type { Settings } from "../settings.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "./host-problem.ts";

/** The disk the machines start from is there, and each machine's own disk has room for it. */
export function judgeImage(
  { windows: { image }, nodes }: Settings,
  facts: HostFacts,
): HostProblem[] {
  if (facts.image === undefined) {
    return [];
  }
  if (typeof facts.image === "object") {
    return tooSmall(nodes, facts.image.virtualGiB);
  }
  if (image.kind !== "disk") {
    return [
      {
        subject: "The rehearsal image",
        why: facts.image === "missing" ? "is not built yet" : `is ${facts.image}`,
        instead: "Run `./kindows prepare`.",
      },
    ];
  }
  const why = {
    missing: "is not there",
    unreadable: "can't be read",
    "not qcow2": "is not a qcow2 image",
  }[facts.image];
  return [
    {
      subject: `kindows:windows.image.path: "${image.path}"`,
      why,
      instead:
        facts.image === "not qcow2"
          ? "Convert it: qemu-img convert -O qcow2 OLD NEW."
          : "Write the path of a qcow2 image you may read.",
    },
  ];
}

/** An overlay can't be smaller than what it stands on: the machine would lose the end of its disk. */
function tooSmall(nodes: Settings["nodes"], virtualGiB: number): HostProblem[] {
  const least = Math.ceil(virtualGiB);
  return nodes
    .filter(({ diskGiB }) => diskGiB < virtualGiB)
    .map(({ name, diskGiB }) => ({
      subject: `The disk of ${name}, ${diskGiB} GiB,`,
      why: `is smaller than its image, ${least} GiB`,
      instead: `Write ${least} or more for kindows:windows.diskGiB, or the node's own diskGiB.`,
    }));
}
