import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { createWebSocketStream, WebSocketServer } from "ws";
import { sshThroughApi } from "../../../../components/machine/kubevirt/kubevirt-machines.ts";
import { LabWatch } from "../../../../components/machine/kubevirt/lab-watch.ts";
import {
  openSubresource,
  screenshot,
} from "../../../../components/machine/kubevirt/subresources.ts";
import type { ApiError, ClusterApi } from "../../../../host/kubernetes/cluster-api.ts";
import { withFakeApi } from "../../controlplane/fake-api.ts";
import { labWith } from "./kubevirt-lab.ts";

const win1 = { namespace: "windows", name: "kindows-prod-win-1" };
const base =
  "/apis/subresources.kubevirt.io/v1/namespaces/windows/virtualmachineinstances/kindows-prod-win-1";

const machine = { metadata: { name: "kindows-prod-win-1" } };
const interfaces = [{ name: "nodes", ipAddress: "192.0.2.7" }];
const running = { ...machine, status: { phase: "Running", interfaces } };

/** An API server behind whose portforward somebody says everything again; anything else is refused in KubeVirt's way. */
function withSubresources<T>(test: (api: ClusterApi) => Promise<T>): Promise<T> {
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => offered.has("plain.kubevirt.io") && "plain.kubevirt.io",
  });
  return withFakeApi(
    (request) =>
      request === `GET ${base}/vnc/screenshot`
        ? [200, ["PNG"]]
        : request.includes("subresources")
          ? [400, { message: "no" }]
          : [200, { metadata: {}, items: request.endsWith("instances") ? [running] : [machine] }],
    test,
    (request, socket, head) => {
      if (request.url !== `${base}/portforward/22/tcp`) {
        const body = JSON.stringify({ message: "VMI is not running", reason: "BadRequest" });
        const head = `HTTP/1.1 400 Bad Request\r\ncontent-length: ${body.length}`;
        socket.end(`${head}\r\nconnection: close\r\n\r\n${body}`);
        return;
      }
      sockets.handleUpgrade(request, socket, head, (connected) => {
        const stream = createWebSocketStream(connected);
        stream.pipe(stream);
      });
    },
  );
}

describe("a subresource of a machine on KubeVirt", () => {
  it("is a stream of bytes in both directions, which leads to its SSH server", () =>
    withSubresources(async (api) => {
      const lab = labWith({ portForward: true, image: { kind: "pvc", name: "golden" } });
      const [node] = lab.machine.nodes;
      assert.ok(node !== undefined);
      const watch = await LabWatch.open(api, lab);
      const local = sshThroughApi(lab, node, 22, { kubeconfig: "", api, watch });
      await local.listen(0);
      const stream = connect(local.port, "127.0.0.1");
      const sent = Buffer.alloc(300_000, "SSH-2.0 \r\n\0\xff", "latin1");
      stream.write(sent);
      let got = Buffer.alloc(0);
      for await (const chunk of stream) {
        got = Buffer.concat([got, chunk as Buffer]);
        if (got.length >= sent.length) break;
      }
      assert.ok(got.equals(sent));
      await local.close();
    }));

  it("ends where the other end does", () =>
    withSubresources(async (api) => {
      const stream = await openSubresource(api, win1, "portforward/22/tcp");
      stream.resume().end();
      await once(stream, "close");
    }));

  it("is refused in KubeVirt's own words", () =>
    withSubresources((api) =>
      assert.rejects(openSubresource(api, win1, "vnc"), (error: ApiError) => {
        assert.deepEqual([error.status, error.message], [400, "VMI is not running"]);
        return true;
      }),
    ));

  it("that is a picture of its screen is taken as it comes, or refused", () =>
    withSubresources(async (api) => {
      assert.equal((await screenshot(api, win1)).toString(), '["PNG"]');
      await assert.rejects(screenshot(api, { ...win1, name: "win-2" }), /^Error: no$/);
    }));
});
