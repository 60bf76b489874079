import assert from "node:assert/strict";
import { parse } from "yaml";

import { hostWarnings } from "../../../components/windows/windows-node.ts";
import { renderRegistryMirrors } from "../../../components/windows/node-setup.ts";
import { renderRoutes } from "../../../components/windows/steps.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { clusterRoutes, hasClusterRoutes } from "../../../stacks/cluster-routes.ts";
import { nodeSetup, ownSetup } from "../../../stacks/node-setup.ts";
import { controlPlaneFixture } from "../controlplane/fixture-node.ts";
import { look, record, revealed } from "../controlplane/recorded-resources.ts";
import { eachCase } from "../each-case.ts";

/** As below `config:`. */
const settings = (yaml: string) =>
  resolveSettings((parse(yaml) ?? {}) as Record<string, unknown>, { stack: "dev", file: "x" });

const setup = (yaml: string) => nodeSetup(settings(yaml));

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
  it("with their time zone, but the user's own machine keeps its own", () => {
    const written = settings("windows: { timeZone: Europe/Berlin, defenderExclusions: false }");
    assert.equal(nodeSetup(written).timeZone, "Europe/Berlin");
    const own = ownSetup(written);
    assert.deepEqual([own.timeZone, own.defenderExclusions], [undefined, false]);
  });

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
        ...["localhost", "127.0.0.1", ".svc", ".cluster.local", ".dev.kindows.test"],
        ...["192.168.150.0/24", "10.244.0.0/16", "10.96.0.0/16", "kindows-dev-control-plane"],
        ...["kindows-dev-control-plane2", "kindows-dev-control-plane3"],
        ...["kindows-dev-external-load-balancer", ".example.com"],
      ].join(","),
    });
  });

  it("for the pod network that reaches Windows", () =>
    assert.equal(setup("cni: { kind: kind-default }").podNetwork.kind, "none"));

  it("takes mirrors, DNS servers and Defender's exclusions as they are written", () => {
    const written = {
      dnsServers: ["8.8.8.8", "1.1.1.1"],
      defenderExclusions: false,
      automaticUpdates: true,
      registryMirrors: { "docker.io": ["https://mirror.example.com"] },
    };
    const made = setup(JSON.stringify({ windows: written }));
    assert.deepEqual({ ...made, ...written }, made);
  });
});

const now = new Date("2026-11-21T12:00:00Z");

describe("warnings about a machine", () => {
  const cases: readonly (readonly [
    name: string,
    facts: Readonly<Record<string, unknown>>,
    warnings: readonly RegExp[],
  ])[] = [
    ["no licence that ends, no reboot", { evaluationEnds: "", rebootPending: "" }, []],
    ["a result of an older script", {}, []],
    ["180 days left", { evaluationEnds: "2027-05-20T12:00:00Z" }, []],
    ["15 days left", { evaluationEnds: "2026-12-06T12:00:01Z" }, []],
    ["14 days left", { evaluationEnds: "2026-12-05T12:00:01Z" }, [/^win-1: .* ends in 14 days/]],
    ["hours left", { evaluationEnds: "2026-11-21T20:00:00Z" }, [/ends in 0 days/]],
    ["none left", { evaluationEnds: "2026-11-21T11:59:59Z" }, [/ended on 2026-11-21T11:59:59Z/]],
    ["a reboot", { rebootPending: "Windows Update" }, [/waiting for a reboot .*Windows Update/]],
  ];
  for (const [name, facts, expected] of cases) {
    it(`${name}: ${expected.length}`, () => {
      const outcome = { changed: false, rebootRequired: false, seconds: 1 };
      const result = { step: "Test-WindowsHost", ...outcome, facts };
      const warnings = hostWarnings("win-1", result, now);
      assert.equal(warnings.length, expected.length, warnings.join());
      expected.forEach((pattern, index) => assert.match(warnings[index] ?? "", pattern));
    });
  }
});

const kindDefault = "cni: { kind: kind-default }, nodes: [{ name: win-1 }]";

describe("routes to the cluster's ranges", () => {
  const found = [
    { range: "10.244.0.0/24", nextHop: "192.168.150.128" },
    { range: "10.96.0.0/16", nextHop: "192.168.150.128" },
  ];

  const routesOf = (yaml: string) =>
    record(
      () => JSON.stringify(found),
      () => clusterRoutes(settings(yaml), { ...controlPlaneFixture(), ready: [] }, []),
    );

  const cases: Readonly<Record<string, readonly [yaml: string, nodes: readonly string[]]>> = {
    "are found for the control plane": [`{ ${kindDefault} }`, ["kindows-dev-control-plane"]],
    "are found for every Linux node, and not for the load balancer before three control planes": [
      `{ ${kindDefault}, cluster: { controlPlanes: 3, workers: [{ name: worker-1 }] } }`,
      [
        ...["kindows-dev-control-plane", "kindows-dev-control-plane2"],
        ...["kindows-dev-control-plane3", "kindows-dev-worker-1"],
      ],
    ],
    "are found for Linux nodes on machines of their own": [
      "{ cni: { kind: kind-default }, nodes: [{ name: win-1 }, { name: linux-1, os: linux }] }",
      ["kindows-dev-control-plane", "linux-1"],
    ],
  };
  eachCase("%s", cases, async ([yaml, nodes]) => {
    const { made, resources } = await routesOf(yaml);
    const { value, secret } = await look(made ?? assert.fail());
    assert.equal(renderRoutes(value), "10.244.0.0/24=192.168.150.128;10.96.0.0/16=192.168.150.128");
    assert.equal(secret, false);
    assert.equal(hasClusterRoutes(settings(yaml)), true);
    const action = resources.get("command:local:Command/node-routes");
    const { ROUTED } = revealed(action?.inputs["environment"]) as { ROUTED?: string };
    assert.deepEqual(JSON.parse(ROUTED ?? ""), { nodes, serviceCidr: "10.96.0.0/16" });
  });

  it("are none where the pod network is on Windows, too, and none without Windows nodes", async () => {
    for (const yaml of [
      "{ nodes: [{ name: win-1 }] }",
      "{ cni: { kind: kind-default }, nodes: [] }",
    ]) {
      assert.equal((await routesOf(yaml)).made, undefined);
    }
    assert.equal(hasClusterRoutes(settings("{ nodes: [{ name: win-1 }] }")), false);
  });
});
