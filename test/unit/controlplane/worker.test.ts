import assert from "node:assert/strict";
import { parse } from "yaml";

import { nodeStarted, workerRunArgs } from "../../../components/controlplane/worker-container.ts";
import type { ControlPlaneContainer } from "../../../components/controlplane/worker-container.ts";
import { workerJoinConfig } from "../../../components/controlplane/worker-join-config.ts";

const worker = {
  name: "kindows-lab-worker-1",
  cluster: "kindows-lab",
  image: "kindest/node:kindows-0123456789ab",
  network: "kindows-lab",
};
const plain: ControlPlaneContainer = {
  HostConfig: { Binds: ["/lib/modules:/lib/modules:ro"], Devices: [], UsernsMode: "" },
  Config: { Env: ["KUBECONFIG=/etc/kubernetes/admin.conf", "PATH=/usr/bin", "container=docker"] },
};

describe("a worker's container", () => {
  it("is started as kind starts its own", () => {
    const mounts = "--tmpfs /tmp --tmpfs /run --volume /var --volume /lib/modules:/lib/modules:ro";
    const expected =
      "run --name kindows-lab-worker-1 --hostname kindows-lab-worker-1 " +
      "--label io.x-k8s.kind.role=worker --label io.x-k8s.kind.cluster=kindows-lab --privileged " +
      `--security-opt seccomp=unconfined --security-opt apparmor=unconfined ${mounts} ` +
      "--detach --tty --net kindows-lab --restart=on-failure:1 --init=false --cgroupns=private " +
      worker.image;
    assert.deepEqual(workerRunArgs(worker, plain), expected.split(" "));
  });

  it("shares what kind found out about the host", () => {
    const args = workerRunArgs(worker, {
      HostConfig: {
        Binds: ["/lib/modules:/lib/modules:ro", "/dev/mapper:/dev/mapper"],
        Devices: [{ PathOnHost: "/dev/fuse" }],
        UsernsMode: "host",
      },
      Config: { Env: ["HTTP_PROXY=http://proxy:3128", "no_proxy=.svc", "SECRET=x"] },
    }).join(" ");
    assert.match(args, /--volume \/dev\/mapper:\/dev\/mapper --device \/dev\/fuse --userns=host/);
    assert.match(args, /-e HTTP_PROXY=http:\/\/proxy:3128 -e no_proxy=\.svc/);
    assert.doesNotMatch(args, /SECRET/);
  });

  it("copes with what Docker leaves out", () => {
    const bare = {
      HostConfig: { Binds: null, Devices: null, UsernsMode: "" },
      Config: { Env: null },
    };
    assert.equal(workerRunArgs(worker, bare).at(-1), worker.image);
  });

  const logs: readonly [line: string, started: boolean][] = [
    ["[  OK  ] Reached target multi-user.target - Multi-User System.", true],
    ["INFO: detected cgroup v1", true],
    ["INFO: starting init", false],
    ["", false],
  ];
  for (const [line, started] of logs) {
    it(`is ${started ? "" : "not "}up after ${JSON.stringify(line)}`, () =>
      assert.equal(nodeStarted.test(line), started));
  }
});

describe("a worker's join", () => {
  const join = {
    name: "kindows-lab-worker-1",
    cluster: "kindows-lab",
    address: "192.0.2.130",
    endpoint: "kindows-lab-control-plane:6443",
    caCertHash: `sha256:${"a".repeat(64)}`,
    token: "abc123.0123456789abcdef",
  };

  it("has the configuration kind would write, and checks the cluster's CA", () =>
    assert.deepEqual(parse(workerJoinConfig(join)), {
      apiVersion: "kubeadm.k8s.io/v1beta4",
      kind: "JoinConfiguration",
      nodeRegistration: {
        name: "kindows-lab-worker-1",
        criSocket: "unix:///run/containerd/containerd.sock",
        kubeletExtraArgs: [
          { name: "node-ip", value: "192.0.2.130" },
          { name: "provider-id", value: "kind://docker/kindows-lab/kindows-lab-worker-1" },
        ],
      },
      discovery: {
        bootstrapToken: {
          apiServerEndpoint: join.endpoint,
          token: join.token,
          caCertHashes: [join.caCertHash],
        },
      },
      skipPhases: ["preflight"],
    }));
});
