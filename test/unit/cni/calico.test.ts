import assert from "node:assert/strict";

import { withFields } from "../../../components/cni/calico/configuration.ts";
import {
  apiServer,
  installation,
  type CalicoNetworkOptions,
} from "../../../components/cni/calico/installation.ts";
import {
  endpointVariables,
  operatorAccount,
  operatorBinding,
  operatorDeployment,
  operatorNamespace,
  servicesEndpoint,
} from "../../../components/cni/calico/operator-objects.ts";
import { calicoRelease, calicoVersions } from "../../../components/cni/calico/release.ts";
import {
  missingComponents,
  type TigeraCondition,
} from "../../../components/cni/calico/tigera-status.ts";
import { podTroubles } from "../../../kubernetes/pod-state.ts";
import { assertGolden, yamlText } from "../controlplane/golden.ts";

const here = new URL(import.meta.url);
const network: CalicoNetworkOptions = {
  podCidr: "10.244.0.0/16",
  serviceCidr: "10.96.0.0/16",
  encapsulation: "VXLAN",
  bgp: "Disabled",
  mtu: undefined,
  windows: true,
};

/** The fields of an Installation that tests look at. */
interface Spec {
  readonly calicoNetwork: Readonly<Record<string, unknown>>;
  readonly windowsNodes?: object;
}

const specOf = (changes: Partial<CalicoNetworkOptions>): Spec =>
  installation({ ...network, ...changes }).spec as unknown as Spec;

describe("Calico's objects", () => {
  it("are an operator that knows the API server by address", () => {
    const objects = [
      ...[operatorNamespace(), operatorAccount(), operatorBinding()],
      servicesEndpoint(endpointVariables({ address: "192.168.150.128", port: 6443 })),
      operatorDeployment(calicoRelease("3.32.1")),
    ];
    assertGolden(here, "operator.yaml", yamlText(...objects));
  });

  it("are an Installation with the cluster's ranges, VXLAN and HNS, and the API server", () => {
    assertGolden(here, "installation.yaml", yamlText(installation(network), apiServer()));
  });

  it("leave Windows out where there is none, as the operator refuses its folders then", () => {
    const spec = specOf({ windows: false, encapsulation: "VXLANCrossSubnet", bgp: "Enabled" });
    assert.equal(spec.calicoNetwork["windowsDataplane"], "Disabled");
    assert.equal(spec.calicoNetwork["bgp"], "Enabled");
    assert.equal(spec.windowsNodes, undefined);
  });

  it("have the largest packet only where one is set", () => {
    assert.equal("mtu" in specOf({}).calicoNetwork, false);
    assert.equal(specOf({ mtu: 1400 }).calicoNetwork["mtu"], 1400);
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

describe("what is set in Calico's API", () => {
  it("leaves alone what is as it shall be", () => {
    assert.equal(withFields({ a: 1, vxlanVNI: 4096 }, { a: 1, c: undefined }), undefined);
  });
});

describe("a report of Tigera's operator", () => {
  const there = { type: "Available", status: "True" };
  const available = { ...there, observedGeneration: 2 };
  const degraded = { type: "Degraded", status: "True" };
  const underWay = {
    ...{ type: "Progressing", status: "True", reason: "ResourceNotReady" },
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
  const reported = (statuses: Parameters<typeof missingComponents>[0]): readonly string[] =>
    missingComponents(statuses, [{ name: "calico", generation: 2 }]);

  const cases: readonly [
    what: string,
    conditions: readonly TigeraCondition[],
    reported?: string,
  ][] = [
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

describe("pods", () => {
  const troubles = (status: object): string[] => podTroubles({ status });

  it("say which image can't be pulled", () => {
    const waiting = { reason: "ImagePullBackOff", message: 'Back-off pulling image "quay.io/x"' };
    const found = troubles({
      initContainerStatuses: [{ name: "install-cni", state: { waiting } }],
    });
    assert.deepEqual(found, [
      'install-cni waits: ImagePullBackOff (Back-off pulling image "quay.io/x")',
    ]);
  });

  it("say that no node takes them", () => {
    const conditions = [
      { type: "PodScheduled", status: "False", message: "0/1 nodes are available" },
    ];
    assert.deepEqual(troubles({ conditions }), ["0/1 nodes are available"]);
  });

  it("say how a container ended, unless it did well", () => {
    const state = (exitCode: number): object => ({
      name: "c",
      state: { terminated: { exitCode } },
    });
    assert.deepEqual(troubles({ containerStatuses: [state(0), state(3)] }), ["c ended with 3"]);
  });

  it("say nothing when they run, or are only being made", () => {
    const container = (state: object): object => ({ containerStatuses: [{ name: "c", state }] });
    assert.deepEqual(troubles(container({ running: {} })), []);
    assert.deepEqual(troubles(container({ waiting: { reason: "ContainerCreating" } })), []);
    assert.deepEqual(troubles({}), []);
  });
});
