import type { StepContext } from "../step.ts";
import { StepError } from "../step-error.ts";

/** Fails unless an address is one of the machine's, as lib/OwnAddress.ps1's Assert-NodeAddress. */
export function assertNodeAddress({ host }: StepContext, address: string): void {
  const addresses = host.programs.addresses();
  if (addresses.includes(address)) return;
  const seen = addresses.filter((each) => each !== "127.0.0.1").join(", ");
  throw new StepError(
    "NodeIpMissing",
    `The node shall register with ${address}, which is no address of this machine. It has: ${seen === "" ? "none" : seen}.`,
    "Set nodes[].nodeIp to one that the machine has and other nodes reach, or give its adapter this one.",
  );
}
