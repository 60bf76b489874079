import assert from "node:assert/strict";
import {
  daemonSet,
  scriptConfigMap,
  scriptConfigMapName,
} from "../../../components/kubeproxy/kube-proxy-objects.ts";
import { ApiServer } from "../plugins/support/api-server.ts";
import { EngineProject, type EngineRun } from "../plugins/support/engine.ts";
import { kubernetesProgram } from "../plugins/support/kubernetes-program.ts";

/** As the cluster's own provider has it. */
const provider = "clusterIdentifier: 'test', upsertExistingObjects: true";

function plainDaemonSet(configMap: string): { metadata: { annotations: Record<string, string> } } {
  return JSON.parse(
    JSON.stringify(daemonSet({ image: "kube-proxy:v1.36.4", configMap, network: undefined })),
  ) as ReturnType<typeof plainDaemonSet>;
}

describe("kube-proxy for Windows, made by a run that was killed before it wrote that down", function () {
  this.timeout(120_000);
  let server: ApiServer;
  let project: EngineProject;

  beforeEach(async () => {
    server = await ApiServer.start();
    project = await EngineProject.create();
    await project.write("kubeconfig", server.kubeconfig);
  });
  afterEach(async () => {
    await project.dispose();
    await server.stop();
  });

  /** Makes both objects, forgets them, and makes them again. */
  async function madeTwice(annotations: Readonly<Record<string, string>>): Promise<EngineRun> {
    const script = "exit 0\n";
    const set = plainDaemonSet(scriptConfigMapName(script));
    // Nobody rolls it out here: there is an API server, and no controller.
    set.metadata.annotations = { ...annotations, "pulumi.com/skipAwait": "true" };
    await project.program(
      kubernetesProgram(
        {
          script: ["core/v1/ConfigMap", JSON.stringify(scriptConfigMap(script))],
          set: ["apps/v1/DaemonSet", JSON.stringify(set)],
        },
        provider,
      ),
    );
    const made = await project.up();
    assert.equal(made.exitCode, 0, made.text);
    for (const name of ["script", "set"]) {
      const { urn } = await project.resource(name);
      const forgotten = await project.run(["state", "delete", urn, "--yes"]);
      assert.equal(forgotten.exitCode, 0, forgotten.text);
    }
    return project.up();
  }

  it("is taken over by the next run", async () => {
    const run = await madeTwice(plainDaemonSet("any").metadata.annotations);
    assert.equal(run.exitCode, 0, run.text);
    assert.deepEqual([run.steps["script"], run.steps["set"]], [["create"], ["create"]], run.text);
  });

  it("would be another's without a name of our own for its fields", async () => {
    const run = await madeTwice({});
    assert.notEqual(run.exitCode, 0);
    assert.match(run.text, /conflicts? with "pulumi-kubernetes-/);
  });
});
