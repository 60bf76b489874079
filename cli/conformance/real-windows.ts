import type { Settings } from "../../config/settings.ts";
import { nodesOf } from "../../verify/cluster/facts.ts";
import type { Facts } from "../../verify/cluster/facts.ts";

/** Why a stack's nodes are none that the tests could say anything of; undefined where they are. */
export function whyNoWindows({
  windows,
  nodes,
  cni,
}: Pick<Settings, "windows" | "nodes" | "cni">): string | undefined {
  const need = "conformance needs a real Windows node";
  if (windows.image.kind === "rehearsal") {
    return (
      `${need}: this stack's are rehearsed, and containers on them are modelled. ` +
      "Take a stack with real Windows (`--stack dev`); `--list` and `--dry-run` work here"
    );
  }
  if (nodes.length === 0) {
    return `${need}: this stack has none. Add one below kindows:nodes, and run \`up\``;
  }
  if (cni.kind === "kind-default") {
    return `${need} whose pods have a network: write calico or flannel for kindows:cni.kind`;
  }
  return undefined;
}

/** Why the tests can't run in the cluster as it is now; undefined where they can. */
export function whyNotReady(nodes: Facts["nodes"]): string | undefined {
  const windows = nodesOf({ nodes }, "windows");
  if (windows.length === 0) {
    return "conformance needs a real Windows node, and the cluster has none: run `up`";
  }
  const troubled = nodes.filter(({ trouble }) => trouble !== undefined);
  return troubled.length === 0
    ? undefined
    : `conformance needs all nodes Ready: ${troubled.map(({ name, trouble }) => `${name}: ${trouble ?? ""}`).join("; ")}`;
}
