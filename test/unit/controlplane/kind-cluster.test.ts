import assert from "node:assert/strict";
import { local } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";

import { BootstrapToken } from "../../../components/controlplane/bootstrap-token.ts";
import {
  KindCluster,
  type KindClusterArgs,
} from "../../../components/controlplane/kind-cluster.ts";
import { kubeconfig } from "./fixture-kubeconfig.ts";
import { look, record, revealed } from "./recorded-resources.ts";

const args: KindClusterArgs = {
  name: "kindows-t",
  kubernetesVersion: "1.36.4",
  nodeImage: "kindest/node:kindows-0123456789ab",
  controlPlanes: 1,
  workers: [],
  podCidr: "10.244.0.0/16",
  serviceCidr: "10.96.0.0/16",
  network: "kindows-t",
  cni: "kind-default",
};
const admin = kubeconfig("https://192.0.2.128:6443");
const command = "command:local:Command";

const cluster = (changes: Partial<KindClusterArgs> = {}) =>
  record(
    (name) => (name === "cp" ? admin : "{}"),
    (opts) => new KindCluster("cp", { ...args, ...changes }, opts),
  );

describe("KindCluster", () => {
  it("makes the cluster with one command and waits for its pods with another", async () => {
    const { resources } = await cluster();
    const names = [...resources.keys()].filter((key) => key.startsWith(command));
    assert.deepEqual(names.sort(), [`${command}/cp`, `${command}/cp-ready`]);
  });

  it("is made again when kind could not change it, and only then", async () => {
    const trigger = async (changes: Partial<KindClusterArgs>): Promise<unknown> =>
      (await cluster(changes)).resources.get(`${command}/cp`)?.inputs["triggers"];
    const usual = JSON.stringify(await trigger({}));
    assert.match(usual, /10\.244\.0\.0/);
    assert.equal(JSON.stringify(await trigger({ workers: ["a"] })), usual);
    for (const changes of [
      { controlPlanes: 3 },
      { podCidr: "10.10.0.0/16" },
      { serviceCidr: "10.20.0.0/16" },
      { nodeImage: "kindest/node:other" },
      { cni: "calico" },
      { network: "other" },
    ] as const) {
      assert.notEqual(JSON.stringify(await trigger(changes)), usual, JSON.stringify(changes));
    }
  });

  it("takes over the objects of a run that was killed before it wrote them down", async () => {
    const { resources } = await cluster();
    const { upsertExistingObjects } =
      resources.get("pulumi:providers:kubernetes/cp")?.inputs ?? assert.fail("no provider");
    assert.equal(String(upsertExistingObjects), "true");
  });

  it("keeps the kubeconfig secret and off the screen", async () => {
    const { made, resources } = await cluster();
    assert.deepEqual(await look(made.kubeconfig), { value: admin, secret: true });
    const making = resources.get(`${command}/cp`);
    assert.deepEqual(making?.opts.additionalSecretOutputs, ["stdout"]);
    assert.equal(making?.inputs["logging"], "stderr");
    const awaiting = resources.get(`${command}/cp-ready`)?.inputs["environment"];
    assert.match(JSON.stringify(revealed(awaiting)), /certificate-authority-data/);
  });

  it("tells nodes where to join, in clear", async () => {
    const { made } = await cluster();
    assert.deepEqual(await look(made.endpoint), {
      value: "kindows-t-control-plane:6443",
      secret: false,
    });
    assert.deepEqual(await look(made.hostsEntries), {
      value: [{ address: "192.0.2.128", name: "kindows-t-control-plane" }],
      secret: false,
    });
    const hash = await look(made.caCertHash);
    assert.match(hash.value, /^sha256:[0-9a-f]{64}$/);
    assert.equal(hash.secret, false);
  });

  it("has three control planes known by their load balancer", async () => {
    const { made } = await cluster({ controlPlanes: 3 });
    const { value } = await look(made.endpoint);
    assert.equal(value, "kindows-t-external-load-balancer:6443");
  });

  it("gives its Kubernetes provider an identity that outlives a changed kubeconfig", async () => {
    const { resources } = await cluster();
    const provider = resources.get("pulumi:providers:kubernetes/cp");
    assert.equal(provider?.inputs["clusterIdentifier"], "kindows-t");
  });

  it("joins each worker by itself: another one changes nothing of the first", async () => {
    const one = await cluster({ workers: ["a"] });
    const two = await cluster({ workers: ["a", "b"] });
    for (const [key, recorded] of one.resources) {
      assert.deepEqual(two.resources.get(key)?.inputs, recorded.inputs, key);
    }
    const more = [...two.resources.keys()].filter((key) => !one.resources.has(key));
    assert.deepEqual(more.sort(), [`${command}/cp-b`, "kindows:controlplane:LinuxWorker/cp-b"]);
  });

  it("lets workers go with the cluster", async () => {
    const { made, resources } = await cluster({ workers: ["a"] });
    const opts = resources.get(`${command}/cp-a`)?.opts;
    assert.equal(opts?.deletedWith, made.resource);
    assert.deepEqual(opts?.replaceWith, [made.resource]);
    assert.equal(opts?.deleteBeforeReplace, true);
  });

  for (const [cni, awaited, seconds] of [
    ["kind-default", ["cp-ready", "cp-a"], 300],
    ["flannel", ["cp-ready", "cp-a"], 1200],
    // Calico waits for the control planes itself.
    ["calico", ["cp-a"], 1200],
  ] as const) {
    it(`waits for its nodes to be Ready, as long as the network takes: ${cni}`, async () => {
      const { made, resources } = await cluster({ cni, workers: ["a"] });
      assert.equal(resources.has(`${command}/cp-ready`), cni !== "calico");
      assert.equal(made.ready.length, awaited.length);
      for (const name of awaited) {
        const environment = resources.get(`${command}/${name}`)?.inputs["environment"];
        assert.match(
          JSON.stringify(revealed(environment)),
          new RegExp(`(ready|timeout)Seconds\\\\":${String(seconds)}[,}]`),
          name,
        );
      }
    });
  }
});

describe("BootstrapToken", () => {
  it("is minted for an instance of a machine, and is secret", async () => {
    const token = "abc123.0123456789abcdef";
    const { made, resources } = await record(
      (name) => (name === "cp" ? admin : token),
      (opts) => {
        const controlPlane = new KindCluster("cp", args);
        const instanceId = pulumi.output("disk-7");
        const machine = { name: "win-1", instanceId, resource: new local.Command("vm", {}, opts) };
        const minting = { controlPlane, machine, ttlMinutes: 60 };
        return { minted: new BootstrapToken("win-1-token", minting), controlPlane };
      },
    );
    assert.deepEqual(await look(made.minted.token), { value: token, secret: true });
    const minting = resources.get(`${command}/win-1-token`);
    assert.deepEqual(minting?.inputs["triggers"], ["disk-7"]);
    assert.equal(minting?.inputs["logging"], "none");
    assert.deepEqual(minting?.opts.additionalSecretOutputs, ["stdout"]);
    assert.deepEqual(minting?.opts.replaceWith, [made.controlPlane.resource]);
    assert.match(
      JSON.stringify(revealed(minting?.inputs["environment"])),
      /kindows: join of win-1/,
    );
  });
});
