import type { Settings } from "../settings.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "./host-problem.ts";

/** The disk the machines start from is there. */
export function judgeImage({ windows: { image } }: Settings, facts: HostFacts): HostProblem[] {
  if (facts.image === undefined || facts.image === "there") {
    return [];
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
