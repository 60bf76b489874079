import assert from "node:assert/strict";
import { ApiServer } from "./support/api-server.ts";
import { EngineProject, type EngineRun } from "./support/engine.ts";
import {
  account,
  kubernetesProgram,
  namespace,
  type Objects,
  role,
  secret,
  settings,
} from "./support/kubernetes-program.ts";

interface LiveObject {
  readonly metadata: {
    readonly uid: string;
    readonly generation: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly managedFields: readonly { readonly manager: string; readonly operation: string }[];
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly template: unknown };
}

describe("kubernetes objects in the engine", function () {
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

  const write = (objects: Objects, settings?: string): Promise<void> =>
    project.program(kubernetesProgram(objects, settings));

  const up = async (objects: Objects, settings?: string): Promise<EngineRun> => {
    await write(objects, settings);
    return project.up();
  };

  const clean = async (): Promise<void> => {
    for (const run of [
      await project.preview("--expect-no-changes"),
      await project.refresh("--expect-no-changes"),
      await project.preview("--expect-no-changes"),
    ]) {
      assert.equal(run.exitCode, 0, run.text);
    }
  };

  it("makes objects, finds nothing to change afterwards, and keeps secrets", async () => {
    await write({ namespace, settings: settings("{ a: '1' }"), account, role, secret });
    const preview = await project.preview();
    assert.equal(preview.exitCode, 0, preview.text);
    assert.equal(await server.get("/api/v1/namespaces/lab"), undefined);

    const made = await project.up();
    assert.equal(made.exitCode, 0, made.text);
    const live = await server.get<LiveObject>("/api/v1/namespaces/lab/configmaps/settings");
    assert.deepEqual(live?.data, { a: "1" });
    assert.match(live.metadata.managedFields[0]?.manager ?? "", /^pulumi-kubernetes/);
    const { account: name } = await project.outputs();
    assert.match(String(name), /^account-[0-9a-f]{8}$/);
    assert.ok(await server.get(`/api/v1/namespaces/lab/serviceaccounts/${String(name)}`));
    const stored = JSON.stringify(await project.state());
    assert.doesNotMatch(stored, /hunter2/);
    assert.ok(!stored.includes(Buffer.from("hunter2-hunter2").toString("base64")));
    await clean();
  });

  it("updates in place what can change, and replaces for the rest, the old one first", async () => {
    const uid = async (path: string): Promise<string | undefined> =>
      (await server.get<LiveObject>(path))?.metadata.uid;
    const [rolePath, mapPath] = [
      "/apis/rbac.authorization.k8s.io/v1/clusterroles/reader",
      "/api/v1/namespaces/lab/configmaps/settings",
    ];
    const before = [await uid(rolePath), await uid(mapPath)];
    const changedRole = [role[0], role[1].replace("['get']", "['get', 'list']")] as const;
    const run = await up({
      namespace,
      settings: settings("{ a: '2' }"),
      account,
      role: changedRole,
      secret,
    });
    assert.equal(run.exitCode, 0, run.text);
    assert.deepEqual(run.steps["role"], ["update"]);
    // Data of a ConfigMap: replaced, unless the provider says that it is mutable.
    const steps = run.steps["settings"] ?? [];
    assert.ok(steps.indexOf("delete-replaced") < steps.indexOf("create-replacement"), run.text);
    assert.equal(await uid(rolePath), before[0]);
    assert.notEqual(await uid(mapPath), before[1]);
  });

  it("updates data in place where the provider says so, and removes what is gone from the inputs", async () => {
    const mutable = "clusterIdentifier: 'test', enableConfigMapMutable: true";
    await write(
      { namespace, settings: settings("{ a: '2', b: '3' }"), account, role, secret },
      mutable,
    );
    const added = await project.up();
    assert.deepEqual(added.steps["settings"], ["update"], added.text);
    const run = await up(
      { namespace, settings: settings("{ b: '3' }"), account, role, secret },
      mutable,
    );
    assert.deepEqual(run.steps["settings"], ["update"], run.text);
    const live = await server.get<LiveObject>("/api/v1/namespaces/lab/configmaps/settings");
    assert.deepEqual(live?.data, { b: "3" });
  });

  it("sees drift in a refresh, and takes it back only when told to", async () => {
    await server.patch("/api/v1/namespaces/lab/configmaps/settings", { data: { b: "drifted" } });
    const refreshed = await project.refresh();
    assert.deepEqual(refreshed.steps["settings"], ["refresh"], refreshed.text);
    const mutable = "clusterIdentifier: 'test', enableConfigMapMutable: true";
    const refused = await project.up();
    assert.notEqual(refused.exitCode, 0);
    assert.match(refused.text, /[Cc]onflict.*patchForce/s);
    const forced = settings("{ b: '3' }");
    const run = await up(
      {
        namespace,
        settings: [
          forced[0],
          forced[1].replace("name:", "annotations: { 'pulumi.com/patchForce': 'true' }, name:"),
        ],
        account,
        role,
        secret,
      },
      mutable,
    );
    assert.equal(run.exitCode, 0, run.text);
    const live = await server.get<LiveObject>("/api/v1/namespaces/lab/configmaps/settings");
    assert.deepEqual(live?.data, { b: "3" });
  });

  it("refuses to create what exists, and reports what the API server refuses", async () => {
    await server.request("POST", "/api/v1/namespaces/default/configmaps", {
      metadata: { name: "taken" },
      data: { by: "another" },
    });
    // One by one: where the first fails early the engine does not begin with the other.
    const taken = await up({
      namespace,
      taken: ["core/v1/ConfigMap", "{ metadata: { name: 'taken' }, data: { by: 'us' } }"],
    });
    assert.notEqual(taken.exitCode, 0);
    assert.match(taken.text, /configmaps "taken" already exists/);
    const wrong = await up({
      namespace,
      wrong: ["core/v1/ConfigMap", "{ metadata: { name: 'Not_A_Name' } }"],
    });
    assert.notEqual(wrong.exitCode, 0);
    assert.match(wrong.text, /Not_A_Name/);
    const live = await server.get<LiveObject>("/api/v1/namespaces/default/configmaps/taken");
    assert.deepEqual(live?.data, { by: "another" });
  });

  it("does not mind deleting what is gone", async () => {
    await write({ namespace, secret });
    await project.up();
    await server.request("DELETE", "/api/v1/namespaces/lab/secrets/secret");
    const run = await up({ namespace });
    assert.deepEqual(run.steps["secret"], ["delete"], run.text);
    assert.equal(run.exitCode, 0, run.text);
  });

  describe("without a connection", () => {
    it("replaces nothing because of a kubeconfig that is not known before the update", async () => {
      const withCommand = (version: number): Promise<void> =>
        project.program(`
          import { local } from "@pulumi/command";
          import { Namespace } from "@pulumi/kubernetes/core/v1/namespace.js";
          import { Provider } from "@pulumi/kubernetes/provider.js";
          const made = new local.Command('made', { create: 'cat kubeconfig', environment: { VERSION: '${String(version)}' } });
          const provider = new Provider('cluster', { kubeconfig: made.stdout, clusterIdentifier: 'test' });
          new Namespace('namespace', { metadata: { name: 'lab' } }, { provider });
        `);
      await withCommand(1);
      const made = await project.up();
      assert.equal(made.exitCode, 0, made.text);
      await withCommand(2);
      const preview = await project.preview();
      assert.equal(preview.exitCode, 0, preview.text);
      assert.deepEqual(preview.steps["made"], ["update"]);
      assert.deepEqual(preview.steps["cluster"], ["update"], preview.text);
      assert.doesNotMatch(preview.text, /replace/);
    });

    it("needs no contact for a preview without changes", async () => {
      await up({ namespace, secret });
      const { kubeconfig } = server;
      // Nobody listens there.
      await project.write("kubeconfig", kubeconfig.replace(/127\.0\.0\.1:\d+/, "127.0.0.1:1"));
      try {
        const changed = await project.preview();
        assert.equal(changed.exitCode, 0, changed.text);
        assert.deepEqual(changed.steps["secret"], ["same"], changed.text);
        assert.deepEqual(changed.steps["cluster"], ["update"], changed.text);
      } finally {
        await project.write("kubeconfig", kubeconfig);
      }
    });

    it("says which API server it cannot reach, and gives its objects up when told to", async () => {
      await server.stop();
      const refused = await project.destroy();
      assert.notEqual(refused.exitCode, 0);
      assert.match(refused.text, /unreachable|cannot be reached/);
      assert.match(refused.text, /PULUMI_K8S_DELETE_UNREACHABLE/);
      await write({ namespace, secret }, "clusterIdentifier: 'test', deleteUnreachable: true");
      const given = await project.refresh("--run-program");
      assert.equal(given.exitCode, 0, given.text);
      assert.deepEqual(
        (await project.state()).filter(({ type }) => type.startsWith("kubernetes:")),
        [],
      );
    });
  });
});
