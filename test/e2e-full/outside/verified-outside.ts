import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { agnhostImage } from "../../../components/controlplane/node-image/container-images.ts";
import { builtTool } from "../../../toolchain/built.ts";
import { startHostServer } from "../../../verify/cluster/outside.ts";
import { readNodes } from "../../../verify/cluster/snapshot.ts";
import { selectRows } from "../../../verify/rows/select.ts";
import { verifyCluster } from "../../../verify/verify.ts";
import type { OutsideCluster } from "./estate.ts";
import { segment } from "./estate.ts";

/** Between Linux pods of the one Linux node. */
const passing = [
  "linux-pod-to-linux-pod-same-node",
  "linux-pod-to-linux-service",
  "linux-pod-to-host",
  "linux-node-to-linux-service",
];

/** To and from the HostProcess pods of rehearsed Windows, on its nodes' own addresses. */
const rehearsed = [
  "linux-pod-to-windows-host-pod",
  "linux-pod-to-windows-host-service",
  "windows-node-to-linux-node-port",
  "windows-node-to-linux-host-pod",
  "windows-node-to-windows-host-pod",
  "windows-node-to-host",
  "outside-to-windows-host-pod",
];

/** Tries the paths of a cluster with rehearsed Windows nodes that have no pod network, and no routes to one. */
export async function verifiedOutside({ kubeconfig }: OutsideCluster): Promise<void> {
  const api = new ClusterApi(await readFile(kubeconfig, "utf8"));
  const host = await startHostServer(segment.gateway);
  try {
    const { results, leftBehind } = await verifyCluster(
      {
        api,
        kubeconfig,
        host,
        kubectl: builtTool("kubectl"),
        image: agnhostImage,
        facts: {
          nodes: await readNodes(api),
          rehearsal: true,
          noWindowsPodNetwork: "needs a pod network on Windows: kindows:cni.kind is none",
          windowsNodeRoutes: false,
        },
        rows: selectRows([...passing, ...rehearsed]),
        signal: new AbortController().signal,
        say: () => undefined,
      },
      false,
    );
    assert.equal(leftBehind, undefined);
    const ended = (status: string): string[] =>
      (results ?? []).filter((each) => each.status === status).map(({ row }) => row.id);
    const wrong = (results ?? []).filter(({ status }) => !["passed", "rehearsed"].includes(status));
    assert.deepEqual(wrong, []);
    assert.deepEqual(ended("passed").sort(), [...passing].sort());
    assert.deepEqual(ended("rehearsed").sort(), [...rehearsed].sort());
  } finally {
    await host.stop();
  }
}
