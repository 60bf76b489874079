import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { local } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import { BootstrapToken } from "../../../components/controlplane/bootstrap-token.ts";
import {
  KindCluster,
  type KindClusterArgs,
} from "../../../components/controlplane/kind-cluster.ts";
import {
  type ClusterShape,
  hostTraits,
  type HostTraits,
  kindConfig,
} from "../../../components/controlplane/kind-config.ts";
import { nodeStarted, workerRunArgs } from "../../../components/controlplane/worker-container.ts";
import { workerJoinConfig } from "../../../components/controlplane/worker-join-config.ts";
import { eachCase } from "../each-case.ts";
import { kubeconfig } from "./fixture-kubeconfig.ts";
import { assertGolden, assertSaid } from "./golden.ts";
import { newFolder } from "../new-folder.ts";
import { look, record, revealed } from "./recorded-resources.ts";
import { type Ended, runAction, runOnCluster } from "./run-action.ts";

const here = new URL(import.meta.url);
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
/** What a refresh looks at. */
const observed = "kindows:host:Action";

const cluster = (changes: Partial<KindClusterArgs> = {}) =>
  record(
    (name) => (name === "cp" ? admin : "{}"),
    (opts) => new KindCluster("cp", { ...args, ...changes }, opts),
  );

describe("KindCluster", () => {
  it("is made again when kind could not change it, and only then", async () => {
    const trigger = async (changes: Partial<KindClusterArgs>): Promise<unknown> =>
      (await cluster(changes)).resources.get(`${observed}/cp`)?.inputs["triggers"];
    const usual = JSON.stringify(await trigger({}));
    assert.match(usual, /10\.244\.0\.0/);
    assert.equal(JSON.stringify(await trigger({ workers: ["a"] })), usual);
    const changes = {
      controlPlanes: 3,
      podCidr: "10.10.0.0/16",
      serviceCidr: "10.20.0.0/16",
      nodeImage: "kindest/node:other",
      cni: "calico",
      network: "other",
    } as const;
    for (const [name, value] of Object.entries(changes)) {
      assert.notEqual(JSON.stringify(await trigger({ [name]: value })), usual, name);
    }
  });

  it("keeps the kubeconfig secret and off the screen", async () => {
    const { made, resources } = await cluster();
    assert.deepEqual(await look(made.kubeconfig), { value: admin, secret: true });
    const making = resources.get(`${observed}/cp`);
    assert.deepEqual(making?.opts.additionalSecretOutputs, ["stdout"]);
    assert.equal(making?.inputs["logging"], "stderr");
    const awaiting = resources.get(`${command}/cp-ready`)?.inputs["environment"];
    assert.match(JSON.stringify(revealed(awaiting)), /certificate-authority-data/);
  });

  it("tells nodes where to join, in clear", async () => {
    const { made } = await cluster();
    const name = "kindows-t-control-plane";
    assert.deepEqual(await look(made.endpoint), { value: `${name}:6443`, secret: false });
    const value = [{ address: "192.0.2.128", name }];
    assert.deepEqual(await look(made.hostsEntries), { value, secret: false });
    const hash = await look(made.caCertHash);
    assert.match(hash.value, /^sha256:[0-9a-f]{64}$/);
    assert.equal(hash.secret, false);
  });

  it("has three control planes known by their load balancer", async () => {
    const { made } = await cluster({ controlPlanes: 3 });
    const { value } = await look(made.endpoint);
    assert.equal(value, "kindows-t-external-load-balancer:6443");
  });

  it("has a provider that outlives a changed kubeconfig, a killed run and the cluster", async () => {
    const { resources } = await cluster();
    const { kubeconfig, ...inputs } =
      resources.get("pulumi:providers:kubernetes/cp")?.inputs ?? assert.fail("no provider");
    assert.notEqual(kubeconfig, undefined);
    assert.deepEqual(inputs, {
      clusterIdentifier: "kindows-t",
      // What a killed run made without writing it down is taken over.
      upsertExistingObjects: "true",
      // Else a refresh fails once somebody has deleted the cluster.
      deleteUnreachable: "true",
    });
  });

  it("replaces workers with the cluster, and deletes none separately", async () => {
    const { made, resources } = await cluster({ workers: ["a"] });
    const opts = resources.get(`${observed}/cp-a`)?.opts;
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
        const type = name === "cp-a" ? observed : command;
        const environment = resources.get(`${type}/${name}`)?.inputs["environment"];
        assert.match(
          JSON.stringify(revealed(environment)),
          new RegExp(`(ready|timeout)Seconds\\\\":${String(seconds)}[,}]`),
          name,
        );
      }
    });
  }
});

describe("archives of images", () => {
  const archives = [{ path: "/srv/calico.tar", sha256: "1".repeat(64) }];
  const withArchives = (changes: Partial<KindClusterArgs>) =>
    cluster({ cni: "calico", workers: ["a"], imageArchives: archives, ...changes });

  it("are given to all nodes by one action, and to a worker that comes later by its own", async () => {
    const { resources } = await withArchives({ controlPlanes: 3, workers: ["a", "b"] });
    const loading = resources.get(`${command}/cp-images`) ?? assert.fail("no images");
    const environment = (name: string) =>
      revealed(resources.get(`${observed}/${name}`)?.inputs["environment"]) as { WORKER: string };
    const workers = ["cp-a", "cp-b"].map((name) => JSON.parse(environment(name).WORKER) as object);
    assert.deepEqual(JSON.parse((loading.inputs["environment"] as { IMAGES: string }).IMAGES), {
      controlPlanes: ["", "2", "3"].map((number) => `kindows-t-control-plane${number}`),
      workers,
      archives,
    });
    for (const worker of workers)
      assert.deepEqual("imageArchives" in worker && worker.imageArchives, archives);
    const { dependsOn } = resources.get(`${observed}/cp-a`)?.opts ?? {};
    assert.ok(Array.isArray(dependsOn) && dependsOn.some((each) => each === loading.resource));
  });

  it("are there before the provider makes anything, and go with the cluster", async () => {
    const { made, resources } = await withArchives({});
    const loading = resources.get(`${command}/cp-images`) ?? assert.fail("no images");
    const { deletedWith, replaceWith } = loading.opts;
    assert.deepEqual([deletedWith, replaceWith], [made.resource, [made.resource]]);
    const { dependsOn } = resources.get("pulumi:providers:kubernetes/cp")?.opts ?? {};
    assert.deepEqual(dependsOn, [loading.resource]);
  });

  it("that are others change nothing but what gives them", async () => {
    const text = async (changes: Partial<KindClusterArgs>): Promise<Map<string, string>> =>
      new Map(
        [...(await withArchives(changes)).resources].map(([key, { inputs }]) => [
          key,
          JSON.stringify(inputs),
        ]),
      );
    const [before, after] = [
      await text({}),
      await text({ imageArchives: [...archives, ...archives] }),
    ];
    const changed = [...after].filter(([key, inputs]) => before.get(key) !== inputs);
    assert.deepEqual(changed.map(([key]) => key).sort(), [
      `${command}/cp-images`,
      `${observed}/cp-a`,
    ]);
  });

  it("make no resource where there are none", async () =>
    assert.ok(!(await cluster({ workers: ["a"] })).resources.has(`${command}/cp-images`)));
});

describe("a cluster whose pod network the user installs", () => {
  it("has none of kind's, and waits for no node to be Ready", async () => {
    const { resources } = await cluster({ cni: "none", workers: ["a"] });
    const inputs = resources.get(`${observed}/cp`)?.inputs["environment"];
    const { CLUSTER } = inputs as { CLUSTER: string };
    assert.match(CLUSTER, /"defaultCni":false,"cni":"none"/);
    assert.ok(!resources.has(`${command}/cp-ready`));
    const { WORKER } = revealed(resources.get(`${observed}/cp-a`)?.inputs["environment"]) as {
      WORKER: string;
    };
    assert.ok(!("readySeconds" in (JSON.parse(WORKER) as object)));
    const [facts] = [...resources].flatMap(([key, { inputs }]) =>
      key.includes("kindows:controlplane:KindCluster/") ? [inputs["facts"]] : [],
    );
    assert.equal((facts as { awaitsPodNetwork?: boolean }).awaitsPodNetwork, true);
  });
});

describe("certificates that nodes in containers trust", () => {
  const certificates = [{ sha1: "A".repeat(40), der: "QUJD" }];

  it("are given before images, and to a worker that comes later", async () => {
    const imageArchives = [{ path: "/srv/calico.tar", sha256: "1".repeat(64) }];
    const { made, resources } = await cluster({ workers: ["a"], certificates, imageArchives });
    const { inputs, resource, opts } =
      resources.get(`${command}/cp-certificates`) ?? assert.fail("no certificates");
    const { WORKER } = revealed(resources.get(`${observed}/cp-a`)?.inputs["environment"]) as {
      WORKER: string;
    };
    const worker = JSON.parse(WORKER) as Record<string, unknown>;
    assert.deepEqual(worker["certificates"], certificates);
    assert.deepEqual(JSON.parse((inputs["environment"] as { TRUST: string }).TRUST), {
      cluster: "kindows-t",
      controlPlanes: ["kindows-t-control-plane"],
      workers: [worker],
      certificates,
    });
    assert.match(String(inputs["delete"]), /trust-certificates\.ts --none$/);
    assert.deepEqual([opts.deletedWith, opts.replaceWith], [made.resource, [made.resource]]);
    const { dependsOn } = resources.get(`${command}/cp-images`)?.opts ?? {};
    assert.ok(Array.isArray(dependsOn) && dependsOn.some((each) => each === resource));
  });

  it("are there before the provider makes anything", async () => {
    const { resources } = await cluster({ certificates });
    const { resource } = resources.get(`${command}/cp-certificates`) ?? assert.fail("none");
    assert.deepEqual(resources.get("pulumi:providers:kubernetes/cp")?.opts.dependsOn, [resource]);
  });

  it("make no resource where there are none", async () =>
    assert.ok(!(await cluster()).resources.has(`${command}/cp-certificates`)));
});

describe("a registry that nodes in containers find", () => {
  const registry = "192.0.2.254:5000";

  it("is told to the control planes by one action, and to each worker by its own", async () => {
    const { made, resources } = await cluster({ controlPlanes: 3, workers: ["a"], registry });
    const { inputs, opts } =
      resources.get(`${command}/cp-registry`) ?? assert.fail("nothing tells them");
    assert.deepEqual(JSON.parse((inputs["environment"] as { REGISTRY: string }).REGISTRY), {
      cluster: "kindows-t",
      controlPlanes: ["", "2", "3"].map((number) => `kindows-t-control-plane${number}`),
      address: registry,
    });
    assert.match(String(inputs["delete"]), /trust-registry\.ts --none$/);
    assert.deepEqual([opts.deletedWith, opts.replaceWith], [made.resource, [made.resource]]);
    const { WORKER } = revealed(resources.get(`${observed}/cp-a`)?.inputs["environment"]) as {
      WORKER: string;
    };
    assert.equal((JSON.parse(WORKER) as { registry?: string }).registry, registry);
  });

  it("changes no other resource, and none where there is none", async () => {
    const text = async (changes: Partial<KindClusterArgs>): Promise<Map<string, string>> =>
      new Map(
        [...(await cluster({ workers: ["a"], ...changes })).resources].map(([key, { inputs }]) => [
          key,
          JSON.stringify(inputs),
        ]),
      );
    const [before, after] = [await text({}), await text({ registry })];
    const changed = [...after].filter(([key, inputs]) => before.get(key) !== inputs);
    assert.deepEqual(changed.map(([key]) => key).sort(), [
      `${command}/cp-registry`,
      `${observed}/cp-a`,
    ]);
  });
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
    const minting = resources.get(`${observed}/win-1-token`);
    assert.deepEqual(minting?.inputs["triggers"], [{ machine: "disk-7", step: "mint-token" }]);
    assert.equal(minting?.inputs["logging"], "none");
    assert.deepEqual(minting?.opts.additionalSecretOutputs, ["stdout"]);
    assert.deepEqual(minting?.opts.replaceWith, [made.controlPlane.resource]);
    assert.match(
      JSON.stringify(revealed(minting?.inputs["environment"])),
      /kindows: join of win-1/,
    );
  });
});

/** What a host action has printed, or all that it said when it failed. */
const printed = ({ exitCode, stdout, stderr }: Ended): unknown =>
  exitCode === 0 ? (stdout === "" ? "as it was" : JSON.parse(stdout)) : stderr;

describe("a refresh", () => {
  const containers: Readonly<
    Record<string, readonly [listed: string, found: unknown, address?: string]>
  > = {
    "a cluster that runs": ["cp running\nlb running\nother exited", "as it was"],
    "one that stands still": ["cp exited\nlb running", { changed: "not running: cp" }],
    "one of which something is gone": ["cp exited", { gone: "there is no container lb" }],
    "none at all": ["", { gone: "there is no container cp, lb" }],
    "one that Docker has given another address": [
      "cp running\nlb running",
      { changed: "not at the address it had: cp" },
      "10.0.0.3",
    ],
  };
  eachCase("finds %s", containers, async ([listed, found, address = "10.0.0.2"]) => {
    const folder = newFolder();
    const network = `{"lab":{"IPAddress":"${address}","IPAMConfig":null}}`;
    const docker = [
      "#!/bin/sh",
      'case "$1 $2" in',
      `ps*) printf '${listed}' ;;`,
      `inspect*) echo '[{"State":{"Running":true},"NetworkSettings":{"Networks":${network}}}]' ;;`,
      `cp*cp:*) head -c 512 /dev/zero; echo 10.0.0.2 ;;`,
      "*) exit 1 ;;",
      "esac",
    ];
    await writeFile(path.join(folder, "docker"), docker.join("\n"), { mode: 0o755 });
    const PATH = `${folder}:${process.env["PATH"] ?? ""}`;
    const ended = await runAction("controlplane/actions/find-containers cp lb", { PATH });
    assert.deepEqual(printed(ended), found);
  });

  it("fails where Docker does not say", async () => {
    const ended = await runAction("controlplane/actions/find-containers cp", {
      PATH: newFolder(),
    });
    assert.match(String(printed(ended)), /there is no docker command/);
  });

  const node = { metadata: { name: "win-1", labels: { zone: "a", theirs: "b" } }, spec: {} };
  const annotated = {
    ...node,
    metadata: {
      ...node.metadata,
      annotations: { "kindows.dev/set": '{"labels":["zone"],"taints":[]}' },
    },
  };
  const nodePath = "GET /api/v1/nodes/win-1";
  const secretPath = "GET /api/v1/namespaces/kube-system/secrets/bootstrap-token-abcdef";
  const NODE = JSON.stringify({ labels: { zone: "a" }, taints: [], timeoutSeconds: 1 });
  const token = { PULUMI_COMMAND_STDOUT: "abcdef.0123456789abcdef" };
  const nodes: Readonly<
    Record<string, readonly [what: string, there: Readonly<Record<string, object>>, found: unknown]>
  > = {
    "a Node as it was set": ["win-1", { [nodePath]: annotated }, "as it was"],
    "one with another label": [
      "win-1",
      { [nodePath]: node },
      { changed: "win-1 has other labels or taints" },
    ],
    "no Node": ["win-1", {}, { changed: "there is no node win-1" }],
    "a token that was used": ["win-1 token", { [nodePath]: node }, "as it was"],
    "one that still can be": ["win-1 token", { [secretPath]: {} }, "as it was"],
    "one of no use": ["win-1 token", {}, { gone: "there is neither the token nor the node win-1" }],
  };
  eachCase("finds %s", nodes, async ([what, there, found]) => {
    const ended = await runOnCluster(
      `controlplane/actions/find-node ${what}`,
      { NODE, ...token },
      (request) => (request in there ? [200, there[request] ?? {}] : [404, {}]),
    );
    assert.deepEqual(printed(ended), found);
  });

  it("takes a Node for what it was where the cluster does not answer", async () => {
    const KUBECONFIG_CONTENT = kubeconfig("https://127.0.0.1:1");
    for (const what of ["win-1", "win-1 token"]) {
      const environment = { KUBECONFIG_CONTENT, NODE, ...token };
      const ended = await runAction(`controlplane/actions/find-node ${what}`, environment);
      assert.equal(printed(ended), "as it was");
      assert.match(ended.stderr, /the cluster does not answer/);
    }
  });
});

const shape: ClusterShape = {
  name: "kindows-lab",
  image: `kindest/node:v1.36.4@sha256:${"0".repeat(64)}`,
  controlPlanes: 1,
  podCidr: "10.244.0.0/16",
  serviceCidr: "10.96.0.0/16",
  defaultCni: true,
};
const modern: HostTraits = { cgroupVersion: 2, mayLowerOomScore: true };

describe("kind's configuration", () => {
  const cases: Readonly<Record<string, Partial<ClusterShape & HostTraits>>> = {
    plain: {},
    // No workers: they are joined one by one.
    "three control planes": { controlPlanes: 3 },
    "without CNI": { defaultCni: false },
    "other ranges": { podCidr: "10.10.0.0/16", serviceCidr: "10.20.0.0/20" },
    "cgroup v1": { cgroupVersion: 1 },
    "no OOM score": { mayLowerOomScore: false },
    "a sandbox": { cgroupVersion: 1, mayLowerOomScore: false },
    "parts of the user's": {
      mayLowerOomScore: false,
      controlPlanes: 1,
      patches: {
        featureGates: { WindowsGracefulNodeShutdown: true },
        runtimeConfig: { "api/alpha": "true" },
        kubeadmConfigPatches: ["kind: KubeletConfiguration\nmaxPods: 50\n"],
        containerdConfigPatches: ['[debug]\n  level = "debug"\n'],
        extraMounts: [{ hostPath: "/srv/data", containerPath: "/data", readOnly: true }],
        extraPortMappings: [{ containerPort: 30080, hostPort: 8080, protocol: "TCP" }],
        apiServerAddress: "0.0.0.0",
        apiServerPort: 6443,
      },
    },
    "which other computers reach": {
      apiServer: { address: "192.0.2.1", port: 8443, certSANs: ["lab.test", "192.0.2.1"] },
    },
  };
  it("is as long as the host needs it", () =>
    assertSaid(here, "kind-configs.yaml", cases, (changes) =>
      parse(kindConfig({ ...shape, ...changes }, { ...modern, ...changes })),
    ));
});

describe("what a host allows", () => {
  const status = (bounding: string): string => `Name:\tnode\nCapBnd:\t${bounding}\nCapAmb:\t0\n`;
  const all = "000001ffffffffff";
  const withoutSysResource = "000001fffeffffff";

  for (const [cgroupVersion, bounding, mayLowerOomScore] of [
    [1, all, true],
    [2, all, true],
    [2, withoutSysResource, false],
    [1, withoutSysResource, false],
    [2, "0000000001000000", true],
    [2, "0000000000000000", false],
  ] as const) {
    it(`cgroup ${cgroupVersion}, capabilities ${bounding}`, () => {
      const info = JSON.stringify({ CgroupVersion: String(cgroupVersion) });
      assert.deepEqual(hostTraits(info, status(bounding)), { cgroupVersion, mayLowerOomScore });
    });
  }

  it("refuses a Docker that does not say, and a status without capabilities", () => {
    assert.throws(() => hostTraits("{}", status(all)), /does not report its cgroup version/);
    assert.throws(() => hostTraits('{"CgroupVersion":"2"}', "Name:\tnode\n"), /no CapBnd line/);
  });
});

const worker = {
  name: "kindows-lab-worker-1",
  cluster: "kindows-lab",
  image: "kindest/node:kindows-0123456789ab",
  network: "kindows-lab",
};
const plain = {
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
    const HostConfig = { Binds: null, Devices: null, UsernsMode: "" };
    const bare = { HostConfig, Config: { Env: null } };
    assert.equal(workerRunArgs(worker, bare).at(-1), worker.image);
  });

  const logs = {
    "up after systemd's last target":
      "[  OK  ] Reached target multi-user.target - Multi-User System.",
    "up with cgroup v1": "INFO: detected cgroup v1",
    "not up while init starts": "INFO: starting init",
    "not up without a line": "",
  };
  eachCase("is %s", logs, (line, name) =>
    assert.equal(nodeStarted.test(line), !name.startsWith("not")),
  );
});

describe("a worker's join", () => {
  it("has the configuration kind would write, and checks the cluster's CA", () => {
    const join = {
      name: "kindows-lab-worker-1",
      cluster: "kindows-lab",
      address: "192.0.2.130",
      endpoint: "kindows-lab-control-plane:6443",
      caCertHash: `sha256:${"a".repeat(64)}`,
      token: "abc123.0123456789abcdef",
    };
    assertGolden(here, "worker-join.yaml", workerJoinConfig(join));
  });
});
