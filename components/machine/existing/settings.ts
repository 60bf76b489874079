import * as z from "zod";
import {
  pathText,
  type Check,
  repeated,
  type SettingsProblem,
  unless,
} from "../../../config/problem.ts";
import { nodeTaints, registration } from "../../../config/sections/node-registration.ts";
import { computerName, unnamed } from "../../../config/values/dns-name.ts";
import { hostKey, someHostKey } from "../../../config/values/host-key.ts";
import { machineAddress, nodeIp, someAddress } from "../../../config/values/ip-address.ts";
import { text } from "../../../config/values/value.ts";
import { ownLogin } from "./login.ts";

const node = z.strictObject({
  name: text(computerName).meta({
    description: "Computer name of the machine, and name of its node.",
    placeholder: unnamed,
  }),
  os: z.enum(["windows", "linux"]).default("windows").meta({
    description: "Operating system of the machine; only Windows machines can be joined.",
  }),
  address: text(machineAddress).meta({
    description: "IPv4 address of the machine, for SSH and, without `nodeIp`, for the node.",
    placeholder: someAddress,
  }),
  hostKey: text(hostKey).meta({
    description:
      "The machine's SSH host key, `ssh-ed25519 AAAA...`; `./kindows host-key ADDRESS` prints it. Compare it once with the one on the machine's console.",
    placeholder: someHostKey,
  }),
  ...ownLogin,
  ...registration,
  nodeIp: text(nodeIp).optional().meta({
    description: "IPv4 address that the node registers with, if the machine has several.",
    default: "`address`",
  }),
});

export const nodes = z.array(node).default([]);

type Node = z.output<typeof node>;

interface NodesSection {
  readonly nodes: readonly Node[];
}

function onlyWindows({ nodes }: NodesSection): SettingsProblem[] {
  return nodes.flatMap(({ os }, index) =>
    unless(os === "windows", {
      path: ["nodes", index, "os"],
      why: "cannot be joined by kindows, which joins Windows machines only",
      instead: "Join it with the tools of its cluster, and leave it out here.",
    }),
  );
}

function machinesApart({ nodes }: NodesSection): SettingsProblem[] {
  const ownAddress = "Write the machine's own address.";
  return [
    ...twice(nodes, "name", ({ name }) => name, "Write another name."),
    ...twice(nodes, "address", ({ address }) => address, ownAddress),
    ...twice(nodes, "nodeIp", (node) => node.nodeIp ?? node.address, ownAddress),
    ...twice(
      nodes,
      "hostKey",
      ({ hostKey }) => hostKey.trim().split(/\s+/)[1],
      "Machines cloned with their keys cannot be distinguished: create new keys (delete C:\\ProgramData\\ssh\\ssh_host_*, restart sshd).",
    ),
  ];
}

function twice(
  nodes: readonly Node[],
  key: "name" | "address" | "nodeIp" | "hostKey",
  same: (node: Node) => string | undefined,
  instead: string,
): SettingsProblem[] {
  return repeated(nodes, same)
    .filter(({ entry }) => entry[key] !== undefined)
    .map(({ index, first }) => ({
      path: ["nodes", index, key],
      why: `is that of ${pathText(["nodes", first])} (${nodes[first]?.name ?? ""}) too`,
      instead,
    }));
}

/** A machine without `nodeIp` registers with its address, which kubelet must accept. */
function addressRegisters({ nodes }: NodesSection): SettingsProblem[] {
  return nodes.flatMap((node, index) => {
    const complaint = node.nodeIp === undefined ? nodeIp(node.address) : undefined;
    return unless(complaint === undefined, {
      path: ["nodes", index, "address"],
      why: complaint?.why ?? "",
      instead: "Write an address that other nodes reach the machine at, there or as its nodeIp.",
    });
  });
}

export const nodesChecks: readonly Check<NodesSection>[] = [
  ...[onlyWindows, machinesApart, addressRegisters].map((run) => ({ run })),
  nodeTaints,
];
