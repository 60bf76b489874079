import assert from "node:assert/strict";
import { stringify } from "yaml";

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
import { calicoRelease } from "../../../components/cni/calico/release.ts";
import { calicoVersions } from "../../../config/supported.ts";
import { assertGolden } from "../controlplane/golden.ts";

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
      operatorNamespace(),
      operatorAccount(),
      operatorBinding(),
      servicesEndpoint(endpointVariables({ address: "192.168.150.128", port: 6443 })),
      operatorDeployment(calicoRelease("3.32.1")),
    ];
    assertGolden(here, "operator.yaml", objects.map((each) => stringify(each)).join("---\n"));
  });

  it("are an Installation with the cluster's ranges, VXLAN and HNS, and the API server", () => {
    const objects = [installation(network), apiServer()];
    assertGolden(here, "installation.yaml", objects.map((each) => stringify(each)).join("---\n"));
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
