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
import { type Login, ownLogin, wholeLogin } from "./login.ts";

/** The SSH server of a machine that is there. */
export const sshServer = {
  address: text(machineAddress).meta({
    description: "IPv4 address of the machine, for SSH and, without `nodeIp`, for the node.",
    placeholder: someAddress,
  }),
  hostKey: text(hostKey).meta({
    description:
      "The machine's SSH host key, `ssh-ed25519 AAAA...`; `./kindows host-key ADDRESS` prints it. Compare it once with the one on the machine's console.",
    placeholder: someHostKey,
  }),
  mayRename: z.boolean().default(false).meta({
    description:
      "Whether a machine with another computer name is renamed to `name`, which reboots it once. It keeps the name when it leaves. If `false`, it is refused.",
  }),
  ...ownLogin,
};

const node = z.strictObject({
  name: text(computerName).meta({
    description: "Computer name of the machine, and name of its node.",
    placeholder: unnamed,
  }),
  os: z.enum(["windows", "linux"]).default("windows").meta({
    description: "Operating system of the machine; only Windows machines can be joined.",
  }),
  ...sshServer,
  ...registration,
  nodeIp: text(nodeIp).optional().meta({
    description: "IPv4 address that the node registers with, if the machine has several.",
    default: "`address`",
  }),
});

export const nodes = z.array(node).default([]);

type Node = z.output<typeof node>;

/** A machine that is there, with what it has in common with the others. */
export interface ExistingNode extends Omit<Node, keyof typeof ownLogin | "nodeIp"> {
  readonly login: Login;
  readonly nodeIp: string;
}

/** @param file name of the settings file; see `wholeLogin`. */
export function existingNode(
  all: Login,
  { name, os, labels, taints, kubeletArgs, nodeIp }: Omit<Node, keyof typeof sshServer>,
  server: Pick<Node, keyof typeof sshServer>,
  file: string,
): ExistingNode {
  const { address, hostKey, mayRename } = server;
  const login = wholeLogin(all, server, file);
  const of = { name, os, address, hostKey, mayRename, labels, taints, kubeletArgs };
  return { ...of, nodeIp: nodeIp ?? address, login };
}

/** A machine that is there, as written, and where its parts are. */
export interface OwnMachine {
  readonly name: string;
  readonly os: "windows" | "linux";
  readonly address: string;
  readonly hostKey: string;
  readonly nodeIp?: string | undefined;
  /** Where the node is written, and where its SSH server is. */
  readonly at: Readonly<Record<"node" | "server", SettingsProblem["path"]>>;
}

type Run = (machines: readonly OwnMachine[]) => SettingsProblem[];

const onlyWindows: Run = (machines) =>
  machines.flatMap(({ os, at }) =>
    unless(os === "windows", {
      path: [...at.node, "os"],
      why: "cannot be joined by kindows, which joins Windows machines only",
      instead: "Join it with the tools of its cluster, and leave it out here.",
    }),
  );

const ownAddress = "Write the machine's own address.";

/** Not two machines have the same, and what to write if they do. */
const apart = {
  name: [({ name }: OwnMachine) => name, "Write another name."],
  address: [({ address }: OwnMachine) => address, ownAddress],
  nodeIp: [(one: OwnMachine) => one.nodeIp ?? one.address, ownAddress],
  hostKey: [
    ({ hostKey }: OwnMachine) => hostKey.trim().split(/\s+/)[1],
    "Machines cloned with their keys cannot be distinguished: create new keys (delete C:\\ProgramData\\ssh\\ssh_host_*, restart sshd).",
  ],
} as const;

type Apart = keyof typeof apart;

const places = { name: "node", address: "server", nodeIp: "node", hostKey: "server" } as const;

function twice(machines: readonly OwnMachine[], key: Apart): SettingsProblem[] {
  const [same, instead] = apart[key];
  return repeated(machines, same)
    .filter(({ entry }) => entry[key] !== undefined)
    .map(({ entry, first }) => ({
      path: [...entry.at[places[key]], key],
      why: `is that of ${pathText(machines[first]?.at.node ?? [])} (${machines[first]?.name ?? ""}) too`,
      instead,
    }));
}

/** A machine without `nodeIp` registers with its address, which kubelet must accept. */
const addressRegisters: Run = (machines) =>
  machines.flatMap(({ address, nodeIp: written, at }) => {
    const complaint = written === undefined ? nodeIp(address) : undefined;
    return unless(complaint === undefined, {
      path: [...at.server, "address"],
      why: complaint?.why ?? "",
      instead: "Write an address that other nodes reach the machine at, there or as its nodeIp.",
    });
  });

/** Checks of machines that are there. @param keys what not two of them may have. */
export function ownMachineChecks<Settings>(
  of: (settings: Settings) => readonly OwnMachine[],
  keys: readonly Apart[] = ["name", "address", "nodeIp", "hostKey"],
): Check<Settings>[] {
  const machinesApart: Run = (machines) => keys.flatMap((key) => twice(machines, key));
  return [onlyWindows, machinesApart, addressRegisters].map((check) => ({
    run: (settings) => check(of(settings)),
  }));
}

interface NodesSection {
  readonly nodes: readonly Node[];
}

export const nodesChecks: readonly Check<NodesSection>[] = [
  ...ownMachineChecks(({ nodes }: NodesSection) =>
    nodes.map((one, index) => {
      const path = ["nodes", index];
      return { ...one, at: { node: path, server: path } };
    }),
  ),
  nodeTaints,
];
