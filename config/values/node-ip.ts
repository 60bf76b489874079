import { addressNumber } from "../ipv4.ts";
import type { Complaint } from "../problem.ts";

/** An IPv4 address kubelet can register a node with; it refuses the others. */
export function nodeIp(value: string): Complaint | undefined {
  if (addressNumber(value) === undefined) {
    return {
      why: "is not an IPv4 address",
      instead: "Write four numbers up to 255, or leave it out for the machine's own address.",
    };
  }
  const first = Number(value.split(".")[0]);
  const kind =
    first === 127
      ? "a loopback address"
      : first === 0
        ? "an unspecified address"
        : first >= 224
          ? "a multicast or reserved address"
          : value.startsWith("169.254.")
            ? "a link-local address"
            : undefined;
  return kind === undefined
    ? undefined
    : {
        why: `is ${kind}, which kubelet refuses as a node's`,
        instead: "Write an address that other nodes reach the machine at, or leave it out.",
      };
}
