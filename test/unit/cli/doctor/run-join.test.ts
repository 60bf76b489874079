import assert from "node:assert/strict";
import { askCluster } from "../../../../cli/doctor/examine-lab.ts";
import type { NodeMachine } from "../../../../cli/doctor/lab-state.ts";
import { runJoin } from "../../../../cli/doctor/repairs.ts";
import type { RehearsalHost } from "../../../../rehearsal/host/in-process.ts";
import { withFakeApi } from "../../controlplane/fake-api.ts";
import { kubeconfig } from "../../controlplane/fixture-kubeconfig.ts";
import { adminKey, remoteSteps, stepCommand } from "../../rehearsal-host/ssh-client.ts";
import {
  goodArguments,
  joinInput,
  prepareThrough,
  startWithSteps,
} from "../../rehearsal-host/step-runner.ts";

const hours = 3_600_000;

describe("running the join of a node again", () => {
  let host: RehearsalHost;
  let machine: NodeMachine;

  beforeEach(async () => {
    host = await startWithSteps({ hostName: "win-1", authorizedKeys: [adminKey.public] });
    await prepareThrough(host, "Join-Node");
    machine = {
      node: "win-1",
      host: "127.0.0.1",
      port: host.port,
      user: "Administrator",
      privateKey: adminKey.private,
      hostKey: host.hostKey,
      scripts: remoteSteps,
      join: {
        command: stepCommand("Join-Node", goodArguments(host)["Join-Node"] ?? []),
        input: joinInput,
      },
    };
  });
  afterEach(() => host.stop());

  /** What was asked of the API server, and whether kubelet runs afterwards. */
  async function join(status: number): Promise<readonly string[]> {
    let asked: readonly string[] = [];
    await withFakeApi(
      () => [status, { message: "no" }],
      async (_api, requests, server) => {
        asked = requests;
        await runJoin("win-1", { machines: [machine], kubeconfig: kubeconfig(server) });
      },
    );
    return asked.map((each) => each.replace(/bootstrap-token-\w+$/, "<token>"));
  }

  it("sets its clock and starts its kubelet, and takes its token back", async () => {
    await host.windows.services.stop("kubelet");
    host.programs.clockOffsetMilliseconds = -5 * hours;
    assert.deepEqual(await join(201), [
      "POST /api/v1/namespaces/kube-system/secrets",
      "DELETE /api/v1/namespaces/kube-system/secrets/<token>",
    ]);
    assert.ok(Math.abs(host.programs.clockOffsetMilliseconds) < hours);
    assert.equal(await host.windows.services.isRunning("kubelet"), true);
  });

  it("starts a kubelet anew that runs", async () => {
    await join(201);
    assert.equal(await host.windows.services.isRunning("kubelet"), true);
  });

  it("ends with the step's own words, and takes its token back", async () => {
    const command = stepCommand("Join-Node", ["-NodeName", "win-1"]);
    machine = { ...machine, join: { command, input: joinInput } };
    await assert.rejects(join(201), /exit code 1|without a result/);
  });

  it("is refused for a node that has not joined", async () => {
    const state = { machines: [{ ...machine, join: undefined }], kubeconfig: "" };
    await assert.rejects(runJoin("win-1", state), /win-1 has not joined yet: kindows up/);
    await assert.rejects(runJoin("win-2", state), /win-2 has not joined yet/);
  });
});

describe("asking an API server", () => {
  it("gives its answers as they are", async () => {
    await withFakeApi(
      (request) => [200, { items: [], request }],
      async (_api, _requests, server) => {
        const answer = await askCluster(kubeconfig(server));
        assert.ok(typeof answer !== "string");
        assert.deepEqual(answer.nodes, { items: [], request: "GET /api/v1/nodes" });
      },
    );
  });

  it("that refuses, or is not there, tells why", async () => {
    let gone = "";
    await withFakeApi(
      () => [401, { message: "Unauthorized" }],
      async (_api, _requests, server) => {
        gone = server;
        assert.equal(await askCluster(kubeconfig(server)), "Unauthorized");
      },
    );
    assert.match(JSON.stringify(await askCluster(kubeconfig(gone))), /ECONNREFUSED/);
  });
});
