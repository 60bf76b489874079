import assert from "node:assert/strict";
import { kubeProxyObjects } from "../../../components/kubeproxy/kube-proxy-objects.ts";
import {
  isSecret,
  secret,
  type PropertyMap,
} from "../../../offline/plugins/protocol/property-value.ts";
import { ApiServer } from "./support/api-server.ts";
import { eventually } from "./support/eventually.ts";
import { official } from "./support/engine.ts";
import { Plugin, type Resource } from "./support/plugin.ts";

interface LiveObject {
  readonly metadata: {
    readonly uid: string;
    readonly generation: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly managedFields: readonly { readonly manager: string; readonly operation: string }[];
  };
  readonly data?: Readonly<Record<string, string>>;
}

/** As the engine hands a program's objects to the plugin. */
const plain = (object: object): PropertyMap => JSON.parse(JSON.stringify(object)) as PropertyMap;

describe("kubernetes objects, on a real API server", () => {
  let server: ApiServer;
  let plugin: Plugin;

  before(async () => {
    server = await ApiServer.start();
    plugin = await Plugin.start("kubernetes", settings());
    await plugin.resource("kubernetes:core/v1:Namespace", "lab").up({ metadata: { name: "lab" } });
  });
  after(async () => {
    await plugin.stop();
    await server.stop();
  });

  /** The provider's settings. */
  function settings(more: PropertyMap = {}): PropertyMap {
    return { kubeconfig: secret(server.kubeconfig), clusterIdentifier: "test", ...more };
  }
  const resource = (type: string, name: string): Resource =>
    plugin.resource(`kubernetes:${type}`, name);
  const live = (path: string): Promise<LiveObject | undefined> => server.get<LiveObject>(path);
  const mapPath = (name: string): string => `/api/v1/namespaces/lab/configmaps/${name}`;
  const map = (name: string, data: PropertyMap, annotations: PropertyMap = {}): PropertyMap => ({
    metadata: { name, namespace: "lab", annotations },
    data,
  });

  it("creates an object, and finds no change afterwards", async () => {
    const made = resource("core/v1:ConfigMap", "made");
    assert.deepEqual((await made.preview(map("made", { a: "1" }))).steps, ["create"]);
    assert.equal(await live(mapPath("made")), undefined);
    assert.deepEqual(await made.up(map("made", { a: "1" })), ["create"]);
    const { data, metadata } = (await live(mapPath("made"))) ?? assert.fail("it is not there");
    assert.deepEqual(data, { a: "1" });
    assert.match(metadata.managedFields[0]?.manager ?? "", /^pulumi-kubernetes/);
    assert.deepEqual(await made.up(map("made", { a: "1" })), ["same"]);
    assert.equal(await made.refresh(), "same");
    assert.deepEqual(await made.up(map("made", { a: "1" })), ["same"]);
  });

  it("marks what is in a Secret as secret, also as the API server encodes it", async () => {
    const made = resource("core/v1:Secret", "secret");
    const stringData = { password: "hunter2-hunter2" };
    await made.up({ metadata: { name: "secret", namespace: "lab" }, stringData });
    for (const properties of [made.inputs, made.state]) {
      for (const key of ["data", "stringData"]) {
        const value = properties[key] as PropertyMap | undefined;
        assert.ok(value === undefined || isSecret(value) || isSecret(value["password"]), key);
      }
    }
    assert.equal(await made.refresh(), "same");
    // Somebody else was quicker.
    await server.request("DELETE", "/api/v1/namespaces/lab/secrets/secret");
    await made.delete();
  });

  describe("what may change in place", () => {
    const labelled = (labels: PropertyMap, annotations: PropertyMap = {}): PropertyMap => ({
      metadata: { name: "changing", namespace: "lab", labels, annotations },
    });
    let changing: Resource;
    before(async () => {
      changing = resource("core/v1:ConfigMap", "changing");
      await changing.up(labelled({ a: "2" }));
    });
    const labels = async (): Promise<unknown> => (await live(mapPath("changing")))?.metadata.labels;

    it("is updated, and fields that left the inputs are removed", async () => {
      assert.deepEqual(await changing.up(labelled({ a: "2", b: "3" })), ["update"]);
      assert.deepEqual(await changing.up(labelled({ b: "3" })), ["update"]);
      assert.deepEqual(await labels(), { b: "3" });
    });

    it("shows drift in a refresh, and is reverted only on request", async () => {
      await server.patch(mapPath("changing"), { metadata: { labels: { b: "drifted" } } });
      assert.equal(await changing.refresh(), "refresh");
      await assert.rejects(changing.up(labelled({ b: "3" })), /[Cc]onflict.*patchForce/s);
      await changing.up(labelled({ b: "3" }, { "pulumi.com/patchForce": "true" }));
      assert.deepEqual(await labels(), { b: "3" });
    });
  });

  it("refuses to create what exists, and reports what the API server refuses", async () => {
    await server.request("POST", "/api/v1/namespaces/lab/configmaps", {
      metadata: { name: "taken" },
      data: { by: "another" },
    });
    const taken = resource("core/v1:ConfigMap", "taken").up(map("taken", { by: "us" }));
    await assert.rejects(taken, /configmaps "taken" already exists/);
    assert.deepEqual((await live(mapPath("taken")))?.data, { by: "another" });
    await assert.rejects(
      resource("core/v1:ConfigMap", "wrong").up(map("Not_A_Name", {})),
      /Not_A_Name/,
    );
  });

  it("distinguishes another object of the same name when deleting", async () => {
    const held = resource("core/v1:ConfigMap", "held");
    await held.up(map("held", {}));
    await server.patch(mapPath("held"), { metadata: { finalizers: ["example.test/held"] } });
    const deleting = held.delete();
    await eventually("the plugin waits for the finalizer", () =>
      plugin.messages.find(({ text }) => text.startsWith("waiting until ConfigMap lab/held")),
    );
    // It goes, and somebody makes another one at once.
    await server.patch(mapPath("held"), { metadata: { finalizers: null } });
    await server.request("POST", "/api/v1/namespaces/lab/configmaps", {
      metadata: { name: "held" },
    });
    await deleting;
    assert.ok(await live(mapPath("held")), "the other one stays");
  });

  describe("with pods to wait for", () => {
    // The official plugin takes a DaemonSet that no controller has seen yet for ready.
    before(function () {
      if (official) this.skip();
    });
    const path = "/apis/apps/v1/namespaces/lab/daemonsets/proxy";
    const set = (image: string, app = "proxy"): PropertyMap => ({
      metadata: { name: "proxy", namespace: "lab" },
      spec: {
        selector: { matchLabels: { app } },
        template: {
          metadata: { labels: { app } },
          // The API server writes another unit.
          spec: {
            containers: [{ name: "main", image, resources: { requests: { cpu: "1000m" } } }],
          },
        },
      },
    });
    /** Plays the controller: says that the DaemonSet, as it is now, has that many pods ready. */
    const report = async (ready: number, desired: number): Promise<void> => {
      const generation = (await live(path))?.metadata.generation;
      await server.patch(`${path}/status`, {
        status: {
          observedGeneration: generation,
          currentNumberScheduled: desired,
          desiredNumberScheduled: desired,
          updatedNumberScheduled: ready,
          numberAvailable: ready,
          numberReady: ready,
          numberMisscheduled: 0,
        },
      });
    };
    const reported = (what: RegExp): Promise<unknown> =>
      eventually(`it says ${String(what)}`, () =>
        plugin.messages.find(({ resource: of, text }) => of === "proxy" && what.test(text)),
      );
    let proxy: Resource;

    it("waits until all pods are ready, and reports its progress", async () => {
      proxy = resource("apps/v1:DaemonSet", "proxy");
      const making = proxy.up(set("example.test/a"), 600);
      await eventually("the DaemonSet is there", () => live(path));
      await report(0, 2);
      await reported(/0 of 2 pods updated/);
      await report(2, 2);
      assert.deepEqual(await making, ["create"]);
      assert.deepEqual(await proxy.up(set("example.test/a")), ["same"]);
    });

    it("keeps an object that does not become ready, says why, and waits again the next time", async () => {
      await server.request("POST", "/api/v1/namespaces/lab/pods", {
        metadata: { name: "proxy-abc", labels: { app: "proxy" } },
        spec: { containers: [{ name: "main", image: "example.test/b" }] },
      });
      const waiting = { reason: "ImagePullBackOff", message: "no such image" };
      const main = { name: "main", ready: false, image: "b", imageID: "", restartCount: 0 };
      await server.patch("/api/v1/namespaces/lab/pods/proxy-abc/status", {
        status: { phase: "Pending", containerStatuses: [{ ...main, state: { waiting } }] },
      });
      await assert.rejects(proxy.up(set("example.test/b"), 2), (error: Error) => {
        assert.match(error.message, /DaemonSet lab\/proxy is not ready after 2 s/);
        assert.match(error.message, /last seen: generation 1 of 2 seen/);
        assert.match(error.message, /proxy-abc: the image b cannot be pulled on .*: no such image/);
        return true;
      });
      await reported(/^waiting: generation 1 of 2 .*; proxy-abc: the image b cannot be pulled/);
      assert.ok(proxy.initErrors.length > 0);
      await report(1, 1);
      assert.deepEqual(await proxy.up(set("example.test/b")), ["update"]);
    });
  });

  describe("kube-proxy for Windows, made by a run that was killed before it wrote that down", () => {
    before(() => plugin.configure(settings({ upsertExistingObjects: "true" })));
    after(() => plugin.configure(settings()));

    /** Creates both objects, removes them from the state, and creates them again. */
    const options = { image: "kube-proxy:v1.36.4", script: "exit 0\n", network: undefined };
    const objects = kubeProxyObjects(options);

    async function madeTwice(annotations: Readonly<Record<string, string>>): Promise<void> {
      const set = plain(objects.DaemonSet);
      const metadata = set["metadata"] as PropertyMap;
      // Nobody rolls it out here: there is an API server, and no controller.
      const all = { ...annotations, "pulumi.com/skipAwait": "true" };
      for (let run = 0; run < 2; run++) {
        await resource("core/v1:ConfigMap", "script").up(plain(objects.ConfigMap));
        const made = resource("apps/v1:DaemonSet", "set");
        await made.up({ ...set, metadata: { ...metadata, annotations: all } });
      }
    }

    it("is taken over by the next run", async () => {
      const { metadata } = plain(objects.DaemonSet) as {
        metadata: { annotations: Record<string, string> };
      };
      await madeTwice(metadata.annotations);
    });

    it("would conflict without a field manager of its own", async () => {
      const sets = "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-proxy-windows";
      await server.request("DELETE", sets);
      await assert.rejects(madeTwice({}), /conflicts? with "pulumi-kubernetes-/);
    });
  });

  describe("without a connection", () => {
    // Nobody listens there.
    const nowhere = (): string => server.kubeconfig.replace(/127[\d.]+:\d+/, "127.0.0.1:1");

    it("needs no connection if nothing changed", async () => {
      const kept = resource("core/v1:ConfigMap", "kept");
      await kept.up(map("kept", { a: "1" }));
      await plugin.configure(settings({ kubeconfig: nowhere() }));
      assert.deepEqual((await kept.preview(map("kept", { a: "1" }))).steps, ["same"]);
      await assert.rejects(kept.delete(), (error: Error) => {
        assert.match(error.message, /unreachable|cannot be reached/);
        assert.match(error.message, /PULUMI_K8S_DELETE_UNREACHABLE/);
        return true;
      });
    });

    it("forgets its objects if told to", async () => {
      const kept = resource("core/v1:ConfigMap", "given up");
      await plugin.configure(settings());
      await kept.up(map("given-up", {}));
      await plugin.configure(settings({ kubeconfig: nowhere(), deleteUnreachable: "true" }));
      await kept.delete();
      Object.assign(kept, { id: "lab/given-up" });
      assert.equal(await kept.refresh(), "gone");
    });
  });
});
