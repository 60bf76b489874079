import assert from "node:assert/strict";
import { ApiServer } from "./support/api-server.ts";
import { EngineProject, type EngineRun } from "./support/engine.ts";
import { eventually } from "./support/eventually.ts";
import { official } from "./support/installed-plugins.ts";

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

  /** A program with the objects given, as JavaScript by name: type and arguments. */
  const write = (
    objects: Readonly<Record<string, readonly [string, string, string?]>>,
    settings = "clusterIdentifier: 'test'",
  ): Promise<void> => {
    const modules = [...new Set(Object.values(objects).map(([type]) => type))];
    const imports = modules.map((type) => {
      const [group = "", version = "", kind = ""] = type.split("/");
      const file = `${kind.charAt(0).toLowerCase()}${kind.slice(1)}.js`;
      return `import { ${kind} } from "@pulumi/kubernetes/${group}/${version}/${file}";`;
    });
    const resources = Object.entries(objects).map(
      ([name, [type, args, options = ""]]) =>
        `export const ${name} = new ${type.split("/")[2] ?? ""}('${name}', ${args},
          { provider, ${options} }).metadata.name;`,
    );
    return project.program(`
      import { readFileSync } from "node:fs";
      import * as pulumi from "@pulumi/pulumi";
      import { Provider } from "@pulumi/kubernetes/provider.js";
      ${imports.join("\n")}
      const kubeconfig = pulumi.secret(readFileSync('kubeconfig', 'utf8'));
      const provider = new Provider('cluster', { kubeconfig, ${settings} });
      ${resources.join("\n")}
    `);
  };

  const up = async (
    objects: Readonly<Record<string, readonly [string, string, string?]>>,
    settings?: string,
  ): Promise<EngineRun> => {
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

  const namespace = ["core/v1/Namespace", "{ metadata: { name: 'lab' } }"] as const;
  const settings = (data: string): readonly [string, string, string] => [
    "core/v1/ConfigMap",
    `{ metadata: { name: 'settings', namespace: 'lab' }, data: ${data} }`,
    "dependsOn: []",
  ];
  const account = [
    "core/v1/ServiceAccount",
    "{ metadata: { namespace: 'lab', labels: { app: 'x' } } }",
  ] as const;
  const role = [
    "rbac/v1/ClusterRole",
    `{ metadata: { name: 'reader' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }`,
  ] as const;
  const secret = [
    "core/v1/Secret",
    "{ metadata: { name: 'secret', namespace: 'lab' }, stringData: { password: 'hunter2-hunter2' } }",
  ] as const;

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
    const run = await up({
      namespace,
      taken: ["core/v1/ConfigMap", "{ metadata: { name: 'taken' }, data: { by: 'us' } }"],
      wrong: ["core/v1/ConfigMap", "{ metadata: { name: 'Not_A_Name' } }"],
    });
    assert.notEqual(run.exitCode, 0);
    assert.match(run.text, /configmaps "taken" already exists/);
    assert.match(run.text, /Not_A_Name/);
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

  describe("with pods to wait for", () => {
    const path = "/apis/apps/v1/namespaces/lab/daemonsets/proxy";
    const proxy = (image: string, timeout = "60s"): readonly [string, string, string] => [
      "apps/v1/DaemonSet",
      `{ metadata: { name: 'proxy', namespace: 'lab' }, spec: {
          selector: { matchLabels: { app: 'proxy' } },
          template: {
            metadata: { labels: { app: 'proxy' } },
            spec: { containers: [{ name: 'main', image: '${image}', resources: { requests: { cpu: '1000m' } } }] },
          } } }`,
      `customTimeouts: { create: '${timeout}', update: '${timeout}' }`,
    ];

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
      await clean();
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
