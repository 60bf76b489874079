import type { Complaint } from "../problem.ts";

/** Fields that this program sets, or that Windows leaves no choice in. */
const refused: ReadonlyMap<string, string> = new Map([
  ["vxlanEnabled", "follows from the pool of addresses, which this program makes"],
  ["vxlanVNI", "has to be 4096 or more for Windows, and the operator sets it so"],
  ["vxlanPort", "has to be 4789: Windows knows no other"],
  ["vxlanMTU", "is the setting `mtu`"],
  ["bpfEnabled", "turns on a dataplane that Windows nodes can't talk to"],
  ["wireguardEnabled", "encrypts what Windows nodes could not read"],
]);

/** Name of a field of Calico's FelixConfiguration that the settings may give. */
export function felixName(name: string): Complaint | undefined {
  if (!/^[a-z][A-Za-z0-9]*$/.test(name)) {
    return {
      why: "is not the name of a field",
      instead: "Write it as in Calico's reference, e.g. logSeverityScreen.",
    };
  }
  const why = refused.get(name);
  return why === undefined ? undefined : { why, instead: "Leave it out." };
}
