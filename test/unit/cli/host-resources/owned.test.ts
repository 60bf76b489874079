import assert from "node:assert/strict";
import type { StateResource } from "../../../../cli/engine/deployment.ts";
import { ownedResources } from "../../../../cli/host-resources/host-resources.ts";
import { eachCase } from "../../each-case.ts";
import { resource } from "../recovery/state-builder.ts";

const uuid = "214eb323-4be6-4f00-a39a-5f0351cda04b";
const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
/** A component, and the command in it that has such a parameter. */
const action = (
  type: string,
  parameter: string,
  value: object,
  rest: Partial<StateResource> = {},
): [StateResource, StateResource] => {
  const component = resource(`kindows:controlplane:${type}`, "a", { custom: false });
  const environment = { [parameter]: JSON.stringify(value), KUBECONFIG_CONTENT: secret };
  const parent = component.urn;
  return [
    resource("command:local:Command", "a", { parent, inputs: { environment }, ...rest }),
    component,
  ];
};
const libvirt = (kind: string, id: string, outputs?: object): StateResource =>
  resource(`libvirt:index/${kind}:${kind[0]?.toUpperCase()}${kind.slice(1)}`, "a", {
    ...{ id, outputs: outputs as StateResource["outputs"] },
  });
const container = (name: string): readonly [string, boolean] => [`docker container ${name}`, true];

/** What each stands for, and whether the resource is gone with it. */
const cases: Readonly<
  Record<string, readonly [StateResource | StateResource[], (readonly [string, boolean])[]]>
> = {
  domain: [libvirt("domain", uuid), [[`libvirt domain ${uuid}`, true]]],
  "network with its bridge": [
    libvirt("network", uuid, { bridge: "kw-t" }),
    [
      [`libvirt network ${uuid}`, true],
      ["bridge kw-t", false],
    ],
  ],
  pool: [libvirt("pool", uuid), [[`libvirt pool ${uuid}`, true]]],
  volume: [libvirt("volume", "/pool/a.qcow2"), [["libvirt volume /pool/a.qcow2", true]]],
  "identity disk, whose id has a random part": [
    libvirt("cloudinitDisk", `/pool/a.iso;${uuid}`),
    [["libvirt volume /pool/a.iso", true]],
  ],
  "Docker network": [
    resource("docker:index/network:Network", "a", { id: "f00d" }),
    [["docker network f00d", true]],
  ],
  "kind cluster with one control plane": [
    action("KindCluster", "CLUSTER", { name: "kindows-t", controlPlanes: 1, image: "i" }),
    [container("kindows-t-control-plane"), ["kind cluster kindows-t", false]],
  ],
  "kind cluster with three control planes": [
    action("KindCluster", "CLUSTER", { name: "kindows-t", controlPlanes: 3 }),
    [
      ...["control-plane", "control-plane2", "control-plane3", "external-load-balancer"].map(
        (each) => container(`kindows-t-${each}`),
      ),
      ["kind cluster kindows-t", false],
    ],
  ],
  "Linux worker, its kubeconfig secret": [
    action("LinuxWorker", "WORKER", { name: "kindows-t-w1", cluster: "kindows-t" }),
    [container("kindows-t-w1")],
  ],
  "what waits for a cluster": [
    action("KindCluster", "CLUSTER", { controlPlanes: ["a"] }, { deletedWith: "cluster" }),
    [],
  ],
  "another component's host action": [action("ExistingCluster", "CLUSTER", { id: "a" }), []],
  "stack, with the files it has handed out": [
    resource("pulumi:pulumi:Stack", "kindows-t", { custom: false }),
    [["files of kindows-t", false]],
  ],
  "step on a machine": [resource("command:remote:Command", "a", { inputs: { create: "x" } }), []],
  "Kubernetes object": [resource("kubernetes:core/v1:ConfigMap", "a", { id: "ns/a" }), []],
};

describe("what a resource stands for on the host", () => {
  eachCase("%s", cases, ([each, expected]) => {
    const resources = [each].flat();
    assert.deepEqual(
      ownedResources(resources),
      expected.map(([identity, essential]) => ({ identity, essential, urn: resources[0]?.urn })),
    );
  });

  it("is not guessed where a cluster does not say what it is", () =>
    assert.throws(() => ownedResources(action("KindCluster", "CLUSTER", {})), /name/));
});
