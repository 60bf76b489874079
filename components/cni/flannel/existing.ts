import type { V1ConfigMap } from "@kubernetes/client-node";
import * as z from "zod";
import type { HostProblem } from "../../../config/host-problem.ts";
import { addressNumber, contains, parseRange } from "../../../config/ipv4.ts";
import { type Check, unless } from "../../../config/problem.ts";
import { found, type ClusterAnswers } from "../../controlplane/existing/cluster-answers.ts";
import { parseJson } from "../../../toolchain/parse-json.ts";
import {
  accessRights,
  type CheckedExisting,
  type HnsNetwork,
  type PodNetworkInExisting,
} from "../pod-network.ts";
import { flannelHnsNetwork, type FlannelBackend } from "./flannel-config.ts";
import type { FlannelOnWindows } from "./node-steps.ts";

/** Flannel's files on a Windows machine contain the nodes' own range. */
const rangeWritten: Check<CheckedExisting> = {
  reads: ["cni.nodeCidr"],
  run: ({ cni }) =>
    unless(cni.kind !== "flannel" || cni.nodeCidr !== undefined, {
      path: ["cni", "nodeCidr"],
      value: undefined,
      why: "is missing",
      instead: "Add it: the IPv4 range of the nodes' own addresses, which Flannel needs.",
    }),
};

/** The range must contain all nodes' addresses. Otherwise an address is mistyped, or the range is too small. */
const rangeHolds: Check<CheckedExisting> = {
  reads: ["cni.nodeCidr"],
  run({ cni: { nodeCidr }, nodes }) {
    const range = nodeCidr === undefined ? undefined : parseRange(nodeCidr);
    if (range === undefined) return [];
    return nodes.flatMap(({ nodeIp, address }, index) =>
      unless(contains(range, addressNumber(nodeIp ?? address) ?? -1), {
        path: ["nodes", index, nodeIp === undefined ? "address" : "nodeIp"],
        value: nodeIp ?? address,
        why: `is outside kindows:cni.nodeCidr, ${nodeCidr ?? ""}`,
        instead:
          "Write the machine's own address in that range as its nodeIp, or the range of all nodes.",
      }),
    );
  },
};

export function flannelOnHns(backend: FlannelBackend): HnsNetwork {
  return { name: flannelHnsNetwork(backend), endpoint: undefined };
}

const foundFlannel = (backend: FlannelBackend, nodeCidr = ""): FlannelOnWindows => ({
  kind: "flannel",
  backend,
  // Not empty in practice: the settings' checks or the examination of the cluster require it with Flannel.
  nodeCidr,
});

export const existingFlannel: PodNetworkInExisting = {
  installedAs: "Flannel",
  questions: {
    flannelConfig: "/api/v1/namespaces/kube-flannel/configmaps/kube-flannel-cfg",
    // kubespray's location.
    flannelConfigInKubeSystem: "/api/v1/namespaces/kube-system/configmaps/kube-flannel-cfg",
  },
  rights: accessRights("Flannel on Windows nodes"),
  checks: [rangeWritten, rangeHolds],
  assumed: foundFlannel("vxlan"),
  check(answers, { nodeCidr }) {
    const config = flannelConfig(answers);
    if (config === undefined) return undefined;
    const netConf = netConfOf(config);
    const backend = checkFlannel(config, netConf);
    const lacking = unless(nodeCidr !== undefined, {
      subject: "kindows:cni.nodeCidr",
      why: "is missing; the cluster has Flannel, whose files on Windows nodes name the nodes' own range",
      instead: "Write the IPv4 range of the nodes' addresses.",
    });
    const { Network } = netConf ?? {};
    const pods =
      parseRange(Network ?? "") === undefined
        ? undefined
        : { ranges: [Network ?? ""], of: `ConfigMap ${config.name}` };
    return typeof backend === "string"
      ? { network: foundFlannel(backend, nodeCidr), problems: lacking, pods }
      : { network: { kind: "none" }, problems: [backend, ...lacking], pods };
  },
  hnsNetwork: ({ backend }: FlannelOnWindows) => flannelOnHns(backend),
};

const netConfSchema = z.object({
  Network: z.string().optional(),
  EnableIPv4: z.boolean().optional(),
  Backend: z
    .object({ Type: z.string(), VNI: z.number(), Port: z.number(), DirectRouting: z.boolean() })
    .partial()
    .optional(),
});

type NetConf = z.infer<typeof netConfSchema>;

interface FlannelConfig {
  readonly name: string;
  readonly netConf: string;
}

function flannelConfig(answers: ClusterAnswers): FlannelConfig | undefined {
  for (const [question, namespace] of [
    ["flannelConfig", "kube-flannel"],
    ["flannelConfigInKubeSystem", "kube-system"],
  ] as const) {
    const netConf = found<V1ConfigMap>(answers, question)?.data?.["net-conf.json"];
    if (netConf !== undefined) return { name: `${namespace}/kube-flannel-cfg`, netConf };
  }
  return undefined;
}

/** Undefined if it is not JSON, or not Flannel's. */
function netConfOf({ netConf }: FlannelConfig): NetConf | undefined {
  return netConfSchema.safeParse(parseJson(netConf)).data;
}

function checkFlannel(
  config: FlannelConfig,
  netConf: NetConf | undefined,
): FlannelBackend | HostProblem {
  const subject = `ConfigMap ${config.name}`;
  const again =
    "then restart Flannel on all nodes: this reroutes the packets of every pod, so kindows does not do it";
  if (netConf === undefined) {
    return { subject, why: "has a net-conf.json that is not JSON", instead: "Correct it." };
  }
  const { Type = "udp", VNI, Port, DirectRouting } = netConf.Backend ?? {};
  if (netConf.EnableIPv4 === false) {
    const why = "gives pods IPv6 addresses only, which Flannel does not do on Windows";
    return { subject, why, instead: "Use a cluster whose pods have IPv4 addresses." };
  }
  if (Type === "vxlan" && DirectRouting === true) {
    const why =
      "has VXLAN with DirectRouting, so Linux nodes send packets to Windows nodes of their own subnet without VXLAN, which those do not accept";
    return { subject, why, instead: `Set DirectRouting to false yourself, ${again}.` };
  }
  if (Type === "host-gw") return "host-gw";
  if (Type === "vxlan" && VNI === 4096 && Port === 4789) return "vxlan";
  const why =
    Type === "vxlan"
      ? `has VXLAN with VNI ${VNI ?? "1 (Flannel's default)"} and port ${Port ?? "8472 (Linux's default)"}; Windows requires 4096 and 4789`
      : `has the backend ${Type}; Windows nodes support only vxlan and host-gw`;
  const instead = `Set {"Type":"vxlan","VNI":4096,"Port":4789} yourself, ${again}.`;
  return { subject, why, instead };
}
