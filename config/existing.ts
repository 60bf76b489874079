import * as z from "zod";
import { inExisting } from "../components/cni/pod-networks.ts";
import { cluster, clusterChecks } from "../components/controlplane/existing/settings.ts";
import {
  credentialChecks,
  login,
  type Logins,
  wayChecks,
  wholeLogin,
  withoutSecret,
} from "../components/machine/existing/login.ts";
import {
  type ExistingNode,
  existingNode,
  nodes,
  nodesChecks,
} from "../components/machine/existing/settings.ts";
import type { OwnFiles } from "../components/windows/own-files.ts";
import { clusterMakers } from "../components/machine/machine-makers.ts";
import { checkedSettings } from "./checked-settings.ts";
import type { Check, SettingsProblem } from "./problem.ts";
import { noFiles, type SettingsSource } from "./resolve.ts";
import { type GivenFiles, noGivenFiles } from "./given-files.ts";
import { caCertificates, certificatesOnce } from "./sections/ca-certificates.ts";
import { checksums } from "./sections/checksums.ts";
import { programs, programsChecks } from "./sections/own-programs.ts";
import { scripts, scriptsChecks } from "./sections/own-scripts.ts";
import { existingWindows, existingWindowsChecks } from "./sections/windows.ts";
import { containerd } from "../host/versions.ts";
import { namedFile } from "./named-file.ts";
import { cidr } from "./values/ip-address.ts";
import { text } from "./values/value.ts";

const cni = z.strictObject({
  kind: z
    .enum(["found", ...inExisting.keys(), "none"])
    .default("found")
    .meta({
      description:
        "Pod network of the cluster: `found` detects it, a name requires that one, and `none` joins nodes without a pod network on Windows, whatever the cluster has.",
    }),
  mayChange: z.boolean().default(false).meta({
    description:
      "Whether kindows may add the settings that Calico or Flannel lack for Windows nodes to the cluster. A preview shows these changes. If `false`, kindows only reports what is missing.",
  }),
  nodeCidr: text(cidr("192.168.1.0/24")).optional().meta({
    description: "IPv4 range of the nodes' own addresses; required with Flannel.",
  }),
  hybridOverlay: namedFile("`hybrid-overlay-node.exe`", "`kindows fetch`").meta({
    description:
      "Windows program of OVN-Kubernetes, in the version of the cluster; required with `ovn-kubernetes`, together with its SHA-256.",
  }),
});

export const existingSchema = z.strictObject({
  cluster: cluster.prefault({}).meta({ description: "The existing cluster." }),
  cni: cni.prefault({}).meta({ description: "The cluster's pod network." }),
  windows: existingWindows
    .extend({ checksums, programs, scripts })
    .prefault({})
    .meta({ description: "Settings of all Windows machines." }),
  caCertificates: caCertificates.meta({
    description: "Absolute paths of files with certificates that the machines trust.",
  }),
  login: login.prefault({}).meta({ description: "How to log in to the machines." }),
  machine: z.discriminatedUnion("kind", [clusterMakers.kubevirt.settings]).optional().meta({
    description:
      "Machines that kindows makes for the cluster, on another cluster or on the same one (docs/kubevirt.md), in addition to the machines in `nodes`.",
  }),
  nodes: nodes.meta({ description: "The machines that become nodes." }),
});

type WrittenExisting = z.output<typeof existingSchema>;

export interface ExistingSettings extends Omit<WrittenExisting, "nodes" | "windows"> {
  readonly windows: WrittenExisting["windows"] & {
    readonly containerdVersion: string;
    /** The files that `programs` names. */
    readonly ownFiles: OwnFiles;
  };
  /** What is in the files that `caCertificates` and `windows.scripts` name. */
  readonly given: GivenFiles;
  readonly nodes: readonly ExistingNode[];
}

const loginsOf = ({ login, nodes, machine }: WrittenExisting): Logins => ({
  login,
  machines: nodes.map((own, index) => ({ ...own, own, path: ["nodes", index] })),
  made: (machine?.nodes ?? []).map(({ name }) => name),
});

const checks: readonly Check<WrittenExisting>[] = [
  ...clusterChecks,
  ...existingWindowsChecks,
  ...programsChecks,
  certificatesOnce,
  ...scriptsChecks,
  ...credentialChecks(loginsOf),
  ...clusterMakers.kubevirt.checks,
  ...nodesChecks,
  ...[...inExisting.values()].flatMap((network) => network.checks),
  ...wayChecks(loginsOf),
];

const rules = {
  schema: existingSchema,
  named: (settings: WrittenExisting): WrittenExisting => settings,
  checks,
};

/** @throws SettingsError with all mistakes in the order of the settings, without secrets. */
export function resolveExisting(
  written: Readonly<Record<string, unknown>>,
  { file, own = noFiles, given = noGivenFiles }: Pick<SettingsSource, "file" | "own" | "given">,
  others: readonly SettingsProblem[] = [],
): ExistingSettings {
  const problems = [...others, ...own.problems, ...given.problems];
  const report = { file, others: problems, redact: withoutSecret };
  return { ...filled(checkedSettings(rules, written, report), file, own.files), given };
}

function filled(
  { windows, nodes, ...settings }: WrittenExisting,
  file: string,
  ownFiles: OwnFiles,
): Omit<ExistingSettings, "given"> {
  return {
    ...settings,
    login: wholeLogin(settings.login, {}, file),
    windows: {
      ...windows,
      containerdVersion: windows.containerdVersion ?? containerd.default,
      ownFiles,
    },
    nodes: nodes.map((node) => existingNode(settings.login, node, node, file)),
  };
}
