import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";

import { withFields } from "../../../components/cni/calico/configuration.ts";
import {
  type CalicoNetworkOptions,
  installationObjects,
} from "../../../components/cni/calico/installation.ts";
import { calicoRelease, calicoVersions } from "../../../components/cni/calico/release.ts";
import {
  missingComponents,
  type TigeraCondition,
} from "../../../components/cni/calico/tigera-status.ts";
import type { ControlPlane } from "../../../components/controlplane/control-plane.ts";
import { podTroubles } from "../../../kubernetes/pod-state.ts";
import { assertGolden, yamlText } from "../controlplane/golden.ts";
import {
  look,
  record,
  type Recorded,
  type Resources,
  revealed,
} from "../controlplane/recorded-resources.ts";
import { runOnCluster } from "../controlplane/run-action.ts";
import { eachCase } from "../each-case.ts";

const here = new URL(import.meta.url);
const network: CalicoNetworkOptions = {
  podCidr: "10.244.0.0/16",
  serviceCidr: "10.96.0.0/16",
  encapsulation: "VXLAN",
  bgp: "Disabled",
  mtu: undefined,
  windows: true,
};

interface Spec {
  readonly calicoNetwork: Readonly<Record<string, unknown>>;
  readonly windowsNodes?: object;
}

const specOf = (changes: Partial<CalicoNetworkOptions>): Spec =>
  installationObjects({ ...network, ...changes }).Installation.spec as unknown as Spec;

describe("Calico's objects", () => {
  it("are an Installation with the cluster's ranges, VXLAN and HNS, and the API server", () => {
    const { Installation, APIServer } = installationObjects(network);
    assertGolden(here, "installation.yaml", yamlText(Installation, APIServer));
  });

  it("leave Windows out where there is none, as the operator refuses its folders then", () => {
    const spec = specOf({ windows: false, encapsulation: "VXLANCrossSubnet", bgp: "Enabled" });
    assert.equal(spec.calicoNetwork["windowsDataplane"], "Disabled");
    assert.equal(spec.calicoNetwork["bgp"], "Enabled");
    assert.equal(spec.windowsNodes, undefined);
  });

  it("in its own API are left alone where they are as they shall be", () => {
    assert.equal(withFields({ a: 1, vxlanVNI: 4096 }, { a: 1, c: undefined }), undefined);
  });

  it("have a release for every version of the settings, and no other", () => {
    for (const version of calicoVersions) {
      assert.equal(calicoRelease(version).calico, version);
      assert.match(calicoRelease(version).definitionsSha256, /^[0-9a-f]{64}$/);
    }
    assert.throws(
      () => calicoRelease("3.27.0"),
      /Calico 3\.27\.0 is not pinned: write one of 3\.32\.1/,
    );
  });
});

describe("a report of Tigera's operator", () => {
  const there = { type: "Available", status: "True" };
  const available = { ...there, observedGeneration: 2 };
  const degraded = { type: "Degraded", status: "True" };
  const underWay = {
    type: "Progressing",
    status: "True",
    reason: "ResourceNotReady",
    message: 'DaemonSet "calico-system/calico-node" is not available (awaiting 2 nodes)',
  };
  const invalid = {
    reason: "InvalidConfigurationError",
    message: "Invalid Installation provided: spec.cni must be defined",
  };
  const allThere = [
    available,
    ...[underWay, degraded].map((each) => ({ ...each, status: "False" })),
  ];
  const reported = (statuses: Parameters<typeof missingComponents>[0]) =>
    missingComponents(statuses, [{ name: "calico", generation: 2 }]);

  type Case = readonly [what: string, conditions: readonly TigeraCondition[], reported?: string];
  const cases: readonly Case[] = [
    ["nothing when all is there", allThere],
    ["nothing of a generation the operator does not note", [there]],
    ["nothing of a generation that was never set", [{ ...there, observedGeneration: 0 }]],
    [
      ...(["what the operator refuses", [available, { ...degraded, ...invalid }]] as const),
      `degraded: ${invalid.reason}: ${invalid.message}`,
    ],
    ["what is under way", [underWay], `not there yet: ${underWay.reason}: ${underWay.message}`],
    [
      ...(["that nothing is said", [{ ...there, status: "False" }]] as const),
      "not there yet, and the operator does not say why",
    ],
    ["a refusal without words", [degraded], "degraded: without a reason"],
    [
      ...(["that a report is too old", [{ ...available, observedGeneration: 1 }]] as const),
      "the operator has not looked at the newest settings yet",
    ],
  ];
  for (const [what, conditions, expected] of cases) {
    it(`tells ${what}`, () => {
      const found = reported([{ metadata: { name: "calico" }, status: { conditions } }]);
      assert.deepEqual(found, expected === undefined ? [] : [`calico: ${expected}`]);
    });
  }

  it("tells that there is none yet, or only one of another component", () => {
    const other = { metadata: { name: "apiserver" }, status: { conditions: [available] } };
    for (const statuses of [[], [other]]) {
      assert.deepEqual(reported(statuses), ["calico: no report of the operator's yet"]);
    }
  });
});

describe("pods say what holds them up", () => {
  const waiting = { reason: "ImagePullBackOff", message: 'Back-off pulling image "quay.io/x"' };
  const unschedulable = { type: "PodScheduled", status: "False", message: "0/1 nodes fit" };
  const ended = (exitCode: number): object => ({ name: "c", state: { terminated: { exitCode } } });
  eachCase<readonly [status: object, says: string]>(
    "%s",
    {
      "an image that can't be pulled": [
        { initContainerStatuses: [{ name: "install-cni", state: { waiting } }] },
        'install-cni waits: ImagePullBackOff (Back-off pulling image "quay.io/x")',
      ],
      "no node that takes them": [{ conditions: [unschedulable] }, "0/1 nodes fit"],
      "how a container ended, unless it did well": [
        { containerStatuses: [ended(0), ended(3)] },
        "c ended with 3",
      ],
    },
    ([status, says]) => assert.deepEqual(podTroubles({ status }), [says]),
  );
});

const timeouts = { operatorSeconds: 70, rolloutSeconds: 80 };

const cluster = "Command cp";
const operator = "Deployment tigera-operator";
const linux = "Command calico-linux";

/** What is waited for, by the resource that waits, each with its type's last part. */
const waits: Readonly<Record<string, readonly string[]>> = {
  "Command calico-definitions": [cluster],
  "Command calico-endpoint": [cluster],
  "Namespace tigera-operator": [],
  "ServiceAccount tigera-operator": ["Namespace tigera-operator"],
  "ClusterRoleBinding tigera-operator": [],
  "ConfigMap tigera-operator-endpoint": ["Namespace tigera-operator"],
  // It reads the address of the API server when it starts.
  [operator]: [
    ...["Command calico-definitions", "ServiceAccount tigera-operator"],
    ...["ClusterRoleBinding tigera-operator", "ConfigMap tigera-operator-endpoint"],
  ],
  // After the operator: an older one would not know what a newer Installation says.
  "Installation calico": [operator],
  "APIServer calico-apiserver": ["Installation calico"],
  [linux]: [cluster, "Installation calico", "APIServer calico-apiserver"],
  "Command calico-configuration": [cluster, linux],
  "Command calico-windows": [cluster, "Command calico-configuration"],
};

describe("Calico's resources", () => {
  const network = { encapsulation: "VXLAN", bgp: "Disabled", windows: true, mtu: 1400 } as const;

  let resources: Resources;

  before(async () => {
    ({ resources } = await record(
      () => JSON.stringify({ address: "192.168.150.128", port: 6443 }),
      async (opts) => {
        const { secret } = await import("@pulumi/pulumi");
        const { local } = await import("@pulumi/command");
        const { Provider } = await import("@pulumi/kubernetes/provider.js");
        const { Calico } = await import("../../../components/cni/calico/calico.ts");
        const controlPlane = {
          kubeconfig: secret("the kubeconfig"),
          provider: new Provider("cp", {}),
          resource: new local.Command("cp", {}, opts),
          podCidr: "10.244.0.0/16",
          serviceCidr: "10.96.0.0/16",
        } as unknown as ControlPlane;
        const configuration = { felix: { bpfLogLevel: "Info" } };
        const release = calicoRelease("3.32.1");
        new Calico(
          "calico",
          { controlPlane, release, network, configuration, timeouts },
          opts,
        ).awaitOnWindows([]);
      },
    ));
  });

  const shortName = (type: string, name: string): string => `${type.split(":").at(-1)} ${name}`;
  const own = (): readonly (readonly [string, Recorded])[] =>
    [...resources]
      .filter(([key]) => !key.startsWith("kindows:") && !key.endsWith("/cp"))
      .map(([key, each]) => {
        const at = key.lastIndexOf("/");
        return [shortName(key.slice(0, at), key.slice(at + 1)), each] as const;
      });

  it("wait for each other", async () => {
    const found: Record<string, string[]> = {};
    for (const [name, { opts }] of own()) {
      const needed = [opts.dependsOn ?? []].flat() as pulumi.Resource[];
      found[name] = await Promise.all(
        needed.map(async ({ urn }) => {
          const [types = "", last = ""] = (await look(urn)).value.split("::").slice(-2);
          return shortName(types, last);
        }),
      );
    }
    assert.deepEqual(found, waits);
  });

  it("all go with the cluster, and come again with a new one", () => {
    const { resource } = resources.get("command:local:Command/cp") ?? assert.fail();
    assert.ok(resource);
    for (const [name, { opts }] of own()) {
      assert.equal(opts.deletedWith, resource, name);
      assert.deepEqual(opts.replaceWith, [resource], name);
    }
  });

  it("wait as long as they are asked to, and the engine a little longer", () => {
    const limits = Object.fromEntries(
      own().flatMap(([name, { opts }]) => {
        const { create, update } = opts.customTimeouts ?? {};
        assert.equal(create, update, name);
        return create === undefined ? [] : [[name, create]];
      }),
    );
    assert.deepEqual(limits, {
      "Command calico-definitions": "300s",
      "Command calico-endpoint": "300s",
      [operator]: "70s",
      [linux]: "140s",
      "Command calico-configuration": "140s",
      "Command calico-windows": "140s",
    });
    const reported = (suffix: string): unknown => {
      const { inputs } = resources.get(`command:local:Command/calico-${suffix}`) ?? assert.fail();
      const { CALICO } = revealed(inputs["environment"]) as { readonly CALICO: string };
      return JSON.parse(CALICO);
    };
    const [ippools, calico, apiserver] = ["installations", "installations", "apiservers"];
    const common = { version: "3.32.1", network, timeoutSeconds: 80 };
    assert.deepEqual(reported("linux"), {
      ...common,
      components: { ippools, calico, apiserver },
      linuxNodes: true,
    });
    assert.deepEqual(reported("windows"), {
      ...common,
      components: { "calico-windows": "installations" },
      linuxNodes: false,
    });
    assert.deepEqual(reported("configuration"), {
      felix: { bpfLogLevel: "Info" },
      timeoutSeconds: 80,
    });
  });
});

/** Has a wait of 600 s end after its first look: each look at the clock is 400 s after the one before. */
const hasty = "let now = Date.now(); Date.now = () => (now += 400_000)";
const hastily = ["--import", `data:text/javascript,${encodeURIComponent(hasty)}`];

describe("host actions of the pod network", () => {
  it("configure Calico once its API is there: what is missing is made, the rest kept", async () => {
    const api = "/apis/projectcalico.org/v3";
    const written: Record<string, unknown> = {};
    let looks = 0;
    const { exitCode, stdout, stderr } = await runOnCluster(
      "cni/actions/configure-calico",
      {
        CALICO: JSON.stringify({ felix: { logSeverityScreen: "Debug" }, timeoutSeconds: 600 }),
        PULUMI_COMMAND_STDOUT: '["dropped","logSeverityScreen"]',
      },
      (request, body) => {
        if (request === `GET ${api}`) {
          looks += 1;
          const names = looks < 3 ? [] : ["ipamconfigurations", "felixconfigurations"];
          return looks < 2
            ? [404, { message: "the server could not find the requested resource" }]
            : [200, { resources: names.map((name) => ({ name })) }];
        }
        if (request === `GET ${api}/ipamconfigurations/default`) {
          return [404, { message: "not found" }];
        }
        if (request === `GET ${api}/felixconfigurations/default`) {
          const spec = { vxlanVNI: 4096, dropped: 1, logSeverityScreen: "Info" };
          return [200, { metadata: { resourceVersion: "7" }, spec }];
        }
        written[request] = body;
        return [200, {}];
      },
    );
    assert.equal(exitCode, 0, stderr);
    assert.equal(stdout, '["logSeverityScreen"]');
    assert.deepEqual(written, {
      [`POST ${api}/ipamconfigurations`]: {
        apiVersion: "projectcalico.org/v3",
        kind: "IPAMConfiguration",
        metadata: { name: "default" },
        spec: { strictAffinity: true, autoAllocateBlocks: true },
      },
      [`PUT ${api}/felixconfigurations/default`]: {
        metadata: { resourceVersion: "7" },
        spec: { vxlanVNI: 4096, logSeverityScreen: "Debug" },
      },
    });
    assert.match(stderr, /no ipamconfigurations, felixconfigurations yet/);
  });

  /** Waits for Calico with these conditions of its component `calico`, and of nothing else. */
  const awaitCalico = (
    request: object,
    conditions: readonly object[],
    others: (request: string) => object,
  ) =>
    runOnCluster(
      "cni/actions/await-calico",
      { CALICO: JSON.stringify({ ...request, timeoutSeconds: 600 }) },
      (path) => [
        200,
        path.endsWith("/tigerastatuses")
          ? { items: [{ metadata: { name: "calico" }, status: { conditions } }] }
          : others(path),
      ],
      hastily,
    );

  it("end a wait for Calico with all that is missing, and the pods that hold it up", async () => {
    const components = { calico: "installations", apiserver: "apiservers" };
    const waiting = { reason: "ImagePullBackOff", message: "Back-off pulling image" };
    const pod = {
      metadata: { name: "calico-node-a" },
      spec: { nodeName: "worker-1" },
      status: { containerStatuses: [{ name: "calico-node", state: { waiting } }] },
    };
    const lists: Readonly<Record<string, readonly object[]>> = {
      "GET /api/v1/nodes": [{ metadata: { name: "worker-1" }, status: {} }],
      "GET /api/v1/namespaces/calico-system/pods": [pod],
    };
    const { exitCode, stderr } = await awaitCalico(
      { version: "3.32.1", components, linuxNodes: true },
      [{ type: "Degraded", status: "True", reason: "Invalid", message: "no pool" }],
      (path) => ({ items: lists[path] ?? [], metadata: { generation: 2 } }),
    );
    assert.equal(exitCode, 1);
    for (const expected of [
      "waited 600 s for Calico 3.32.1 (calico, apiserver) and Ready Linux nodes",
      "calico: degraded: Invalid: no pool",
      "apiserver: no report of the operator's yet",
      "node worker-1: registered, has not reported its state yet",
      "pod calico-node-a on worker-1: calico-node waits: ImagePullBackOff (Back-off pulling image)",
    ]) {
      assert.ok(stderr.includes(expected), stderr);
    }
  });

  it("wait until the version that is wanted is the one that is installed", async () => {
    const { exitCode, stderr } = await awaitCalico(
      { version: "3.32.2", components: { calico: "installations" }, linuxNodes: false },
      [{ type: "Available", status: "True", observedGeneration: 2 }],
      () => ({ items: [], metadata: { generation: 2 }, status: { calicoVersion: "v3.32.1" } }),
    );
    assert.equal(exitCode, 1);
    assert.match(stderr, /last seen: the operator has installed v3\.32\.1 so far/);
  });

  it("print the API server's own address", async () => {
    const slice = {
      addressType: "IPv4",
      endpoints: [{ addresses: ["192.168.150.128"] }],
      ports: [{ name: "https", port: 6443 }],
    };
    const { stdout } = await runOnCluster("cni/actions/find-api-server", {}, () => [
      200,
      { items: [slice] },
    ]);
    assert.deepEqual(JSON.parse(stdout), { address: "192.168.150.128", port: 6443 });
  });
});
