import assert from "node:assert/strict";
import { parse } from "yaml";
import { resolveSettings } from "../../../config/resolve.ts";
import { renderRegistryMirrors } from "../../../components/windows/node-setup.ts";
import { nodeSetup } from "../../../stacks/node-setup.ts";

/** What a node is prepared with, from settings as below `config:`. */
const setup = (yaml: string): ReturnType<typeof nodeSetup> =>
  nodeSetup(
    resolveSettings((parse(yaml) ?? {}) as Record<string, unknown>, { stack: "dev", file: "x" }),
  );

describe("mirrors of registries", () => {
  it("are rendered by registry, each in its own order; one without addresses is none", () => {
    assert.equal(renderRegistryMirrors({}), "");
    assert.equal(
      renderRegistryMirrors({
        "quay.io": ["https://z.test", "https://a.test"],
        "ghcr.io": [],
        "docker.io": ["https://b.test"],
      }),
      "docker.io=https://b.test;quay.io=https://z.test,https://a.test",
    );
  });
});

describe("how the settings want machines prepared", () => {
  it("by default with the pod network, and without a proxy", () => {
    const { podNetwork, proxy } = setup("");
    assert.deepEqual([podNetwork, proxy], [{ kind: "calico" }, undefined]);
  });

  it("reaches everything of the lab without the proxy, by address and by name", () => {
    const { proxy } = setup(`
      cluster: { controlPlanes: 3 }
      windows:
        proxy: { https: "http://proxy.example.com:3128", noProxy: [.example.com, localhost] }
    `);
    assert.deepEqual(proxy, {
      http: "",
      https: "http://proxy.example.com:3128",
      noProxy: [
        "localhost",
        "127.0.0.1",
        ".svc",
        ".cluster.local",
        ".dev.kindows.test",
        "192.168.150.0/24",
        "10.244.0.0/16",
        "10.96.0.0/16",
        "kindows-dev-control-plane",
        "kindows-dev-control-plane2",
        "kindows-dev-control-plane3",
        "kindows-dev-external-load-balancer",
        ".example.com",
      ].join(","),
    });
  });

  it("for the pod network that reaches Windows", () =>
    assert.equal(setup("cni: { kind: kind-default }").podNetwork.kind, "none"));

  it("takes mirrors, DNS servers and Defender's exclusions as they are written", () => {
    const { registryMirrors, defenderExclusions, automaticUpdates, dnsServers } = setup(`
      windows:
        dnsServers: [8.8.8.8, 1.1.1.1]
        defenderExclusions: false
        automaticUpdates: true
        registryMirrors: { docker.io: [https://mirror.example.com] }
    `);
    assert.deepEqual(registryMirrors, { "docker.io": ["https://mirror.example.com"] });
    assert.equal(defenderExclusions, false);
    assert.equal(automaticUpdates, true);
    assert.deepEqual(dnsServers, ["8.8.8.8", "1.1.1.1"]);
  });
});
