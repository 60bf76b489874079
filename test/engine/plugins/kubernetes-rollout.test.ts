import assert from "node:assert/strict";
import { ApiServer } from "./support/api-server.ts";
import { EngineProject, type EngineRun } from "./support/engine.ts";
import { eventually } from "./support/eventually.ts";
import { official } from "./support/installed-plugins.ts";
import { kubernetesProgram, namespace, type Objects, proxy } from "./support/kubernetes-program.ts";

interface LiveObject {
  readonly metadata: { readonly generation: number };
}

describe("kubernetes objects with pods to wait for, in the engine", function () {
  this.timeout(120_000);
  let server: ApiServer;
  let project: EngineProject;

  before(async () => {
    server = await ApiServer.start();
    project = await EngineProject.create();
    await project.write("kubeconfig", server.kubeconfig);
  });

  after(async () => {
    await project.dispose();
    await server.stop();
  });

  const write = (objects: Objects): Promise<void> => project.program(kubernetesProgram(objects));

  const up = async (objects: Objects): Promise<EngineRun> => {
    await write(objects);
    return project.up();
  };

  const path = "/apis/apps/v1/namespaces/lab/daemonsets/proxy";
  /** Plays the controller: says that the DaemonSet, as it is now, has that many pods ready. */
  const report = async (ready: number, desired: number): Promise<void> => {
    const live = await server.get<LiveObject>(path);
    await server.patch(`${path}/status`, {
      status: {
        observedGeneration: live?.metadata.generation,
        currentNumberScheduled: desired,
        desiredNumberScheduled: desired,
        updatedNumberScheduled: ready,
        numberAvailable: ready,
        numberReady: ready,
        numberMisscheduled: 0,
      },
    });
  };

  it("waits until all pods are ready, and says how far it is", async function () {
    // The official plugin takes a DaemonSet that no controller has seen yet for ready.
    if (official) this.skip();
    await write({ namespace, proxy: proxy("example.test/a") });
    const running = project.up();
    await eventually("the DaemonSet is there", () => server.get<LiveObject>(path));
    await report(0, 2);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await report(2, 2);
    const run = await running;
    assert.equal(run.exitCode, 0, run.text);
    const progress = run.messages.filter(({ resource }) => resource === "proxy");
    assert.match(JSON.stringify(progress), /0 of 2 pods updated/);
    const again = await project.preview("--expect-no-changes");
    assert.equal(again.exitCode, 0, again.text);
  });

  it("keeps an object that does not get ready, says why, and waits again the next time", async function () {
    if (official) this.skip();
    await server.request("POST", "/api/v1/namespaces/lab/pods", {
      metadata: { name: "proxy-abc", labels: { app: "proxy" } },
      spec: { containers: [{ name: "main", image: "example.test/b" }] },
    });
    await server.patch("/api/v1/namespaces/lab/pods/proxy-abc/status", {
      status: {
        phase: "Pending",
        containerStatuses: [
          {
            name: "main",
            ready: false,
            image: "",
            imageID: "",
            restartCount: 0,
            state: { waiting: { reason: "ImagePullBackOff", message: "no such image" } },
          },
        ],
      },
    });
    const failed = await up({ namespace, proxy: proxy("example.test/b", "4s") });
    assert.notEqual(failed.exitCode, 0);
    assert.match(failed.text, /DaemonSet lab\/proxy is not ready after 4 s/);
    assert.match(failed.text, /last seen: generation 1 of 2 seen/);
    assert.match(failed.text, /pod proxy-abc .*container main waits: ImagePullBackOff/);
    assert.ok((await project.resource("proxy")).initErrors?.length);

    await report(1, 1);
    const again = await project.up();
    assert.equal(again.exitCode, 0, again.text);
    assert.deepEqual(again.steps["proxy"], ["update"]);
  });

  it("replaces for a changed selector", async function () {
    if (official) this.skip();
    const [type, args, options] = proxy("example.test/b");
    await write({
      namespace,
      proxy: [type, args.replaceAll("app: 'proxy'", "app: 'other'"), options],
    });
    const preview = await project.preview();
    assert.match(preview.text, /replace/, preview.text);
  });
});
