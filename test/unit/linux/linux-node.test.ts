import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import type { ControlPlane } from "../../../components/controlplane/control-plane.ts";
import {
  kubeletArguments,
  LinuxNode,
  type LinuxNodeArgs,
} from "../../../components/linux/linux-node.ts";
import type { Machine } from "../../../components/machine/machine.ts";

const token = "abcdef.0123456789abcdef";
const hash = `sha256:${"5".repeat(64)}`;
const sha256 = "a".repeat(64);

/** What a step of that name reports. */
const facts: Readonly<Record<string, object>> = {
  "install-programs": { kubernetes: "1.36.4", containerd: "2.4.2" },
  "join-node": { nodeName: "linux-1" },
};

interface Made {
  readonly type: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

class Anything extends pulumi.CustomResource {
  constructor(name: string) {
    super("test:index:Anything", name, {});
  }
}

describe("a Linux node", () => {
  const made = new Map<string, Made>();
  const options = new Map<string, pulumi.CustomResourceOptions>();

  beforeEach(async () => {
    made.clear();
    options.clear();
    await pulumi.runtime.setMocks(
      {
        call: ({ inputs }) => inputs as Record<string, unknown>,
        newResource: (given) => {
          const { name, type } = given;
          const inputs = given.inputs as Made["inputs"];
          made.set(name, { type, inputs });
          const step = /\/([a-z-]+)\.sh/.exec(String(inputs["create"]))?.[1] ?? "";
          const result = {
            ...{ step, changed: true, rebootRequired: false, seconds: 1 },
            facts: facts[step] ?? {},
          };
          return {
            id: `${name}-id`,
            state: { ...inputs, stdout: `some line\n${JSON.stringify(result)}\n` },
          };
        },
      },
      "kindows",
      "test",
      false,
    );
  });

  function machine(os: Machine["os"] = "linux"): Machine {
    return {
      name: "linux-1",
      os,
      address: "192.168.150.20",
      connection: pulumi.secret({ host: "192.168.150.20", privateKey: "PRIVATE KEY" }),
      instanceId: pulumi.output("machine-1"),
      resource: new Anything("machine"),
    };
  }

  function node(change: Partial<LinuxNodeArgs> = {}): LinuxNode {
    const controlPlane = {
      kubeconfig: pulumi.secret("users: admin"),
      endpoint: pulumi.output("kindows-test-control-plane:6443"),
      caCertHash: pulumi.output(hash),
      kubernetesVersion: "1.36.4",
      hostsEntries: pulumi.output([
        { address: "192.168.150.128", name: "kindows-test-control-plane" },
      ]),
      resource: new Anything("control-plane"),
      podCidr: "10.244.0.0/16",
      serviceCidr: "10.96.0.0/16",
      // No part of a node: whoever installs into the cluster uses it.
      provider: undefined as unknown as ControlPlane["provider"],
    } satisfies ControlPlane;
    return new LinuxNode(
      "node",
      {
        machine: machine(),
        controlPlane,
        token: pulumi.secret(token),
        programs: { path: import.meta.filename, sha256, kubernetesVersion: "1.36.4" },
        labels: { zone: "b", "example.com/pool": "a" },
        taints: [{ key: "only", value: "tests", effect: "NoSchedule" }],
        kubeletArgs: { "max-pods": "60" },
        ...change,
      },
      {
        transformations: [
          ({ name, opts }) => {
            options.set(name, opts);
            return undefined;
          },
        ],
      },
    );
  }

  async function done(change: Partial<LinuxNodeArgs> = {}): Promise<LinuxNode> {
    const one = node(change);
    await new Promise<void>((resolve) => {
      pulumi.all([one.nodeName, one.registered.urn, one.resource.urn]).apply(() => resolve());
    });
    return one;
  }

  const create = (name: string): string =>
    String(made.get(name)?.inputs["create"]).replace(/-[0-9a-f]{12}\//, "-HASH/");

  it("is made by these resources, and by no others", async () => {
    await done();
    assert.deepEqual([...made.keys()].filter((name) => name.startsWith("node")).sort(), [
      ...["node", "node-install-programs", "node-join-node", "node-prepare-host"],
      ...["node-push-programs", "node-ready", "node-registration", "node-steps"],
    ]);
  });

  it("has its steps run with what they need", async () => {
    await done();
    const steps = "sh /var/lib/kindows-steps-HASH";
    assert.equal(create("node-prepare-host"), `${steps}/prepare-host.sh linux-1 1200`);
    assert.equal(
      create("node-install-programs"),
      `${steps}/install-programs.sh /var/lib/kindows-programs.tar.gz ${sha256}`,
    );
    assert.equal(
      create("node-join-node"),
      `${steps}/join-node.sh ${hash} 192.168.150.128=kindows-test-control-plane ` +
        `'--cgroup-root=/ --max-pods=60 --node-ip=192.168.150.20' 600`,
    );
  });

  it("reports what its steps found", async () => {
    const { nodeName, kubernetesVersion, containerdVersion } = await done();
    const seen = await new Promise((resolve) => {
      pulumi.all([nodeName, kubernetesVersion, containerdVersion]).apply(resolve);
    });
    assert.deepEqual(seen, ["linux-1", "1.36.4", "2.4.2"]);
  });

  it("joins with its labels and taints, by a token that is on standard input only", async () => {
    await done();
    const { value } = made.get("node-join-node")?.inputs["stdin"] as { value: string };
    const config = parse(value) as Record<string, unknown>;
    assert.deepEqual(config["nodeRegistration"], {
      name: "linux-1",
      criSocket: "unix:///run/containerd/containerd.sock",
      kubeletExtraArgs: [{ name: "node-labels", value: "example.com/pool=a,zone=b" }],
      taints: [{ key: "only", value: "tests", effect: "NoSchedule" }],
    });
    assert.deepEqual(config["discovery"], {
      bootstrapToken: {
        apiServerEndpoint: "kindows-test-control-plane:6443",
        token,
        caCertHashes: [hash],
      },
    });
    for (const [name, { inputs }] of made) {
      const { stdin, ...others } = inputs;
      assert.ok(!JSON.stringify(others).includes(token), `${name} shows the token`);
      void stdin;
    }
  });

  it("has its token removed from the cluster by whoever waits for the Node", async () => {
    await done();
    const { environment } = made.get("node-registration")?.inputs ?? {};
    // Wrapped as a secret, for what else is in it.
    assert.match(JSON.stringify(environment), /"TOKEN_ID":"abcdef"/);
  });

  it("goes with its machine; only where that stays is it reset", async () => {
    await done();
    for (const name of [
      "steps",
      "prepare-host",
      "push-programs",
      "install-programs",
      "join-node",
    ]) {
      assert.ok(options.get(`node-${name}`)?.deletedWith, name);
    }
    const undone = [...made].filter(
      ([, { type, inputs }]) => type.includes("remote") && inputs["delete"],
    );
    assert.deepEqual(
      undone.map(([name]) => name),
      ["node-join-node"],
    );
    assert.match(String(undone[0]?.[1].inputs["delete"]), /^sh \S+\/reset-node\.sh$/);
  });

  const refused: readonly [what: string, change: () => Partial<LinuxNodeArgs>, error: RegExp][] = [
    ["a Windows machine", () => ({ machine: machine("windows") }), /linux-1 is a windows machine/],
    [
      "programs of another version",
      () => ({ programs: { path: "x", sha256, kubernetesVersion: "1.35.0" } }),
      /are of Kubernetes 1\.35\.0, the cluster is of 1\.36\.4/,
    ],
    [
      "programs that are not made",
      () => ({ programs: { path: undefined, sha256, kubernetesVersion: "1.36.4" } }),
      /are not made: run `\.\/kindows prepare`/,
    ],
  ];
  for (const [what, change, error] of refused) {
    it(`refuses ${what}`, () => {
      assert.throws(() => node(change()), error);
    });
  }
});

describe("a Linux node's kubelet", () => {
  const cases: readonly [args: Record<string, string>, line: string][] = [
    [{}, "--cgroup-root=/"],
    [{ v: "4", "node-ip": "192.0.2.1" }, "--cgroup-root=/ --node-ip=192.0.2.1 --v=4"],
    // Not by the settings: these refuse it.
    [{ "cgroup-root": "/kubelet" }, "--cgroup-root=/"],
  ];
  for (const [args, line] of cases) {
    it(`has ${line}`, () => assert.equal(kubeletArguments(args), line));
  }
});
