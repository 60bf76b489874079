import assert from "node:assert/strict";
import { ownedThings } from "../../../../cli/recovery/owned-things.ts";
import { resource } from "./state-builder.ts";

const uuid = "214eb323-4be6-4f00-a39a-5f0351cda04b";
const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
const create = (action: string): string =>
  `node toolchain/program/run.js components/controlplane/actions/${action}`;

const cases: readonly (readonly [
  string,
  ReturnType<typeof resource>,
  readonly (readonly [string, boolean])[],
])[] = [
  [
    "domain",
    resource("libvirt:index/domain:Domain", "a", { id: uuid }),
    [[`libvirt domain ${uuid}`, true]],
  ],
  [
    "network with its bridge",
    resource("libvirt:index/network:Network", "a", { id: uuid, outputs: { bridge: "kw-t" } }),
    [
      [`libvirt network ${uuid}`, true],
      ["bridge kw-t", false],
    ],
  ],
  [
    "pool",
    resource("libvirt:index/pool:Pool", "a", { id: uuid }),
    [[`libvirt pool ${uuid}`, true]],
  ],
  [
    "volume",
    resource("libvirt:index/volume:Volume", "a", { id: "/pool/a.qcow2" }),
    [["libvirt volume /pool/a.qcow2", true]],
  ],
  [
    "identity disk, whose id has a random part",
    resource("libvirt:index/cloudinitDisk:CloudinitDisk", "a", { id: `/pool/a.iso;${uuid}` }),
    [["libvirt volume /pool/a.iso", true]],
  ],
  [
    "Docker network",
    resource("docker:index/network:Network", "a", { id: "f00d" }),
    [["docker network f00d", true]],
  ],
  [
    "kind cluster with one control plane",
    resource("command:local:Command", "a", {
      inputs: {
        create: create("create-kind-cluster.ts"),
        environment: { CLUSTER: '{"name":"kindows-t","controlPlanes":1,"image":"i"}' },
      },
    }),
    [
      ["docker container kindows-t-control-plane", true],
      ["kind cluster kindows-t", false],
    ],
  ],
  [
    "kind cluster with three control planes",
    resource("command:local:Command", "a", {
      inputs: {
        create: create("create-kind-cluster.ts"),
        environment: { CLUSTER: '{"name":"kindows-t","controlPlanes":3}' },
      },
    }),
    [
      ["docker container kindows-t-control-plane", true],
      ["docker container kindows-t-control-plane2", true],
      ["docker container kindows-t-control-plane3", true],
      ["docker container kindows-t-external-load-balancer", true],
      ["kind cluster kindows-t", false],
    ],
  ],
  [
    "Linux worker, its kubeconfig secret",
    resource("command:local:Command", "a", {
      inputs: {
        create: create("add-linux-worker.ts"),
        environment: {
          WORKER: '{"name":"kindows-t-w1","cluster":"kindows-t"}',
          KUBECONFIG_CONTENT: secret,
        },
      },
    }),
    [["docker container kindows-t-w1", true]],
  ],
  [
    "another host action with the same parameter",
    resource("command:local:Command", "a", {
      inputs: {
        create: create("await-cluster.ts"),
        environment: { CLUSTER: '{"name":"kindows-t","controlPlanes":1}' },
      },
    }),
    [],
  ],
  ["step on a machine", resource("command:remote:Command", "a", { inputs: { create: "x" } }), []],
  ["Kubernetes object", resource("kubernetes:core/v1:ConfigMap", "a", { id: "ns/a" }), []],
];

describe("what a resource stands for on the host", () => {
  for (const [name, each, expected] of cases) {
    it(name, () => {
      assert.deepEqual(
        ownedThings([each]),
        expected.map(([identity, essential]) => ({ identity, essential, urn: each.urn })),
      );
    });
  }
});
