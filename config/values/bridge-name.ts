import { maxBridgeNameLength } from "../names.ts";
import type { Complaint } from "../problem.ts";

export function bridgeName(value: string): Complaint | undefined {
  if (value.length > maxBridgeNameLength) {
    return {
      why: `has ${value.length} characters; Linux allows an interface ${maxBridgeNameLength}`,
      instead: `Write a shorter one, e.g. ${value.slice(0, maxBridgeNameLength).replace(/\W+$/, "")}.`,
    };
  }
  // Linux allows almost anything; this excludes what is trouble for quoting, systemd and iptables' wildcard "+".
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(value)) {
    return {
      why: "is not a usable interface name",
      instead: "Start with a letter and go on with letters, digits, - and _ only, e.g. kw-dev.",
    };
  }
  return undefined;
}
