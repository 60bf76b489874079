import assert from "node:assert/strict";
import { execa } from "execa";
import { withFakeApi } from "../controlplane/fake-api.ts";
import { kubeconfig } from "../controlplane/fixture-kubeconfig.ts";

const told = (name: string, type: string, reason: string, message: string): object => ({
  ...{ metadata: { name }, status: { conditions: [{ type, status: "True", reason, message }] } },
});
const waiting = { reason: "ImagePullBackOff", message: "Back-off pulling image" };

/** What is there, by its path; anything else is not. */
const api: Readonly<Record<string, object>> = {
  "/apis/operator.tigera.io/v1/tigerastatuses": {
    items: [
      told("ippools", "Available", "", ""),
      told("calico", "Progressing", "ResourceNotReady", "DaemonSet calico-node is not available"),
      told("apiserver", "Degraded", "ImagePullFailure", "can't pull quay.io/x"),
    ],
  },
  "/apis/operator.tigera.io/v1/installations/default": { metadata: { generation: 1 } },
  "/apis/operator.tigera.io/v1/apiservers/default": { metadata: { generation: 1 } },
  "/api/v1/nodes": { items: [] },
  "/api/v1/namespaces/tigera-operator/pods": { items: [] },
  "/api/v1/namespaces/calico-system/pods": {
    items: [
      {
        metadata: { name: "calico-node-a" },
        spec: { nodeName: "worker-1" },
        status: { containerStatuses: [{ name: "calico-node", state: { waiting } }] },
      },
    ],
  },
};

describe("a wait for Calico", () => {
  it("ends with the operator's own words, and with the pods that hold it up", async () => {
    await withFakeApi(
      (request) => {
        const found = api[request.replace("GET ", "")];
        return found === undefined ? [404, { message: `no ${request}` }] : [200, found];
      },
      async (_api, _requests, server) => {
        const components = {
          ...{ ippools: "installations", calico: "installations", apiserver: "apiservers" },
        };
        const asked = { version: "3.32.1", components, linuxNodes: true, timeoutSeconds: 2 };
        const { exitCode, stderr } = await execa(
          process.execPath,
          ["--import", "tsx", "components/cni/actions/await-calico.ts"],
          {
            env: { KUBECONFIG_CONTENT: kubeconfig(server), CALICO: JSON.stringify(asked) },
            reject: false,
          },
        );
        assert.equal(exitCode, 1);
        for (const expected of [
          "waited 2 s for Calico 3.32.1 (ippools, calico, apiserver) and Ready Linux nodes; last seen:",
          "calico: not there yet: ResourceNotReady: DaemonSet calico-node is not available",
          "apiserver: degraded: ImagePullFailure: can't pull quay.io/x",
          "pod calico-node-a on worker-1: calico-node waits: ImagePullBackOff (Back-off pulling image)",
        ]) {
          assert.ok(stderr.includes(expected), `${expected}\n\n${stderr}`);
        }
        assert.ok(!stderr.includes("ippools:"), stderr);
      },
    );
  });
});
