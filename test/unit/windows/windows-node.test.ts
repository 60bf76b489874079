import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import { isSecret } from "@pulumi/pulumi";
import { defaultSetup } from "../../../components/windows/node-setup.ts";
import type { Medium, MediumName, WindowsSoftware } from "../../../components/windows/software.ts";
import { toArgv } from "./command-line.ts";
import { declaredParameters, steps } from "./step-scripts.ts";
import {
  makeNode,
  secrets,
  software,
  startMocks,
  valueOf,
  type MockedNode,
} from "./windows-node-mocks.ts";

/** The resources of a node, in the order in which they may run. */
const order = [
  "node-home",
  "node-steps",
  "node-test-windowshost",
  "node-enable-containersfeature",
  "node-confirm-reboot",
  "node-install-containerd",
  "node-install-kubernetes",
  "node-set-hostsentry",
  "node-join-node",
  "node-registration",
  "node-ready",
];
const onMachine = order.slice(0, -2);
const commands = order.slice(2, -2);

describe("a Windows node", () => {
  let made: MockedNode;
  const get = (name: string): NonNullable<ReturnType<MockedNode["resources"]["get"]>> => {
    const found = made.resources.get(name);
    assert.ok(found, name);
    return found;
  };
  const property = (name: string, key: string): Promise<unknown> => valueOf(get(name).props[key]);
  const dependencies = (name: string): pulumi.Resource[] =>
    [get(name).opts.dependsOn ?? []].flat() as pulumi.Resource[];

  before(async () => {
    await startMocks(false);
    made = makeNode();
  });

  it("consists of these resources", () => {
    assert.deepEqual([...made.resources.keys()], ["node", ...order]);
    assert.equal(get("node").type, "kindows:windows:WindowsNode");
  });

  for (const [index, name] of order.entries()) {
    it(`${name} is a child of the node`, () => {
      assert.equal(get(name).opts.parent, made.node);
    });

    it(`${name} waits for what comes before it`, () => {
      const before = index === 0 ? made.machine.resource : get(order[index - 1] ?? "").resource;
      assert.ok(dependencies(name).includes(before));
    });

    it(`${name} is made again on a new machine, and for no other trigger`, async () => {
      assert.deepEqual(await property(name, "triggers"), ["machine-1"]);
      assert.equal(get(name).opts.deleteBeforeReplace, true);
    });

    it(`${name} ends in bounded time`, () => {
      const { create, update } = get(name).opts.customTimeouts ?? {};
      assert.match(create ?? "", /^\d+s$/);
      assert.equal(update, create);
    });
  }

  it("waits for the control plane only when all is prepared", () => {
    const waiting = order.filter((name) => dependencies(name).includes(made.controlPlane.resource));
    assert.deepEqual(waiting, ["node-set-hostsentry"]);
  });

  for (const name of onMachine) {
    it(`${name} goes with the machine`, () => {
      assert.equal(get(name).opts.deletedWith, made.machine.resource);
    });

    it(`${name} has the machine's connection, as a secret`, async () => {
      assert.equal(await isSecret(get(name).props["connection"] as pulumi.Output<unknown>), true);
      const connection = (await property(name, "connection")) as Record<string, unknown>;
      const { host, privateKey, dialErrorLimit } = connection;
      assert.deepEqual(
        { host, privateKey, dialErrorLimit },
        await valueOf(made.machine.connection),
      );
    });
  }

  for (const name of ["node-registration", "node-ready"]) {
    it(`${name} goes with the control plane`, () => {
      assert.equal(get(name).opts.deletedWith, made.controlPlane.resource);
    });
  }

  for (const name of [...commands, "node-registration", "node-ready"]) {
    it(`${name} writes no log and passes no output on`, () => {
      assert.equal(get(name).props["logging"], "none");
      assert.equal(get(name).props["addPreviousOutputInEnv"], false);
    });
  }

  for (const name of commands) {
    it(`${name} runs a script with values its parameters take`, async () => {
      const [program, ...words] = toArgv(String(await property(name, "create")));
      assert.equal(program, "powershell.exe");
      const script = words[words.indexOf("-File") + 1] ?? "";
      const [, step] = /^C:\\kindows\\steps\\[0-9a-f]{12}\\([A-Za-z-]+)\.ps1$/.exec(script) ?? [];
      assert.equal(name, `node-${step?.toLowerCase()}`);

      const values = words.slice(words.indexOf("-File") + 2);
      const parameters = declaredParameters(
        steps.find((each) => each.name === step)?.root ?? assert.fail(),
      );
      assert.deepEqual(
        values.filter((_, index) => index % 2 === 0),
        parameters.map((parameter) => `-${parameter.name}`),
      );
      for (const [index, { name: parameter, pattern, range }] of parameters.entries()) {
        const value = values[index * 2 + 1] ?? "";
        assert.match(value, new RegExp(pattern ?? "", "i"), parameter);
        if (range) assert.ok(Number(value) >= range[0] && Number(value) <= range[1], parameter);
      }
    });
  }

  const values: readonly (readonly [string, string])[] = [
    ["node-test-windowshost", "-ComputerName win-1 -MinimumBuild 20348 -MinimumRevision 2762"],
    [
      "node-install-containerd",
      `-Version 2.4.2 -ArchivePath C:\\kindows\\media\\${"1".repeat(64)}\\containerd.tar.gz ` +
        `-ArchiveSha256 ${"1".repeat(64)}`,
    ],
    ["node-install-kubernetes", `-KubeLogRunnerSha256 ${"4".repeat(64)}`],
    [
      "node-set-hostsentry",
      '-Entry "192.168.150.128=kindows-test-control-plane;192.168.150.129=kindows-test-lb"',
    ],
    ["node-join-node", "-NodeName win-1 -ApiServerEndpoint kindows-test-control-plane:6443"],
    ["node-join-node", "-NodeIp 192.168.150.10"],
    ["node-join-node", '-NodeLabels "example.com/pool=a,zone=b" -NodeTaints os=windows:NoSchedule'],
    ["node-join-node", "-KubeletArgs max-pods=60"],
  ];
  for (const [name, text] of values) {
    it(`${name} gets ${text}`, async () => {
      assert.ok(String(await property(name, "create")).includes(text));
    });
  }

  it("undoes all of them where the machine stays, by the one that was made first", async () => {
    const undone = new Map<string, string>();
    for (const name of commands) {
      const command = await property(name, "delete");
      if (typeof command === "string") undone.set(name, command);
    }
    assert.deepEqual([...undone.keys()], ["node-test-windowshost"]);
    const [, path, command] =
      /^if exist (\S+) (.*)$/.exec(undone.get("node-test-windowshost") ?? "") ?? [];
    assert.match(path ?? "", /\\Reset-Node\.ps1$/);
    assert.match(command ?? "", /^powershell\.exe .*\\Reset-Node\.ps1 -CriSocket /);
  });

  it("passes the token on standard input, as a secret, and in no other place", async () => {
    const stdin = get("node-join-node").props["stdin"] as pulumi.Output<string>;
    assert.equal(await isSecret(stdin), true);
    assert.deepEqual(JSON.parse((await valueOf(stdin)) ?? ""), {
      token: secrets.token,
      caCertHashes: [`sha256:${"5".repeat(64)}`],
    });
    for (const name of commands) {
      for (const key of ["create", "delete"]) {
        const text = String(await property(name, key));
        assert.ok(
          !Object.values(secrets).some((secret) => text.includes(secret)),
          `${name}.${key}`,
        );
      }
    }
  });

  it("waits for the Node and removes it by the cluster's own actions", async () => {
    const { props } = get("node-registration");
    assert.match(String(props["create"]), /actions\/await-node\.ts$/);
    assert.match(String(props["delete"]), /actions\/remove-node\.ts$/);
    const environment = props["environment"] as Record<string, pulumi.Input<string>>;
    assert.deepEqual(Object.keys(environment), ["KUBECONFIG_CONTENT", "NODE"]);
    assert.equal(await isSecret(environment["KUBECONFIG_CONTENT"] as pulumi.Output<string>), true);
    assert.equal(await valueOf(environment["KUBECONFIG_CONTENT"] ?? ""), secrets.kubeconfig);
    assert.deepEqual(JSON.parse((await valueOf(environment["NODE"] ?? "")) ?? ""), {
      name: "win-1",
      timeoutSeconds: 900,
      labels: { "example.com/pool": "a", zone: "b" },
      taints: [{ key: "os", value: "windows", effect: "NoSchedule" }],
    });
  });

  it("waits until the Node is Ready after it is there, with nothing to undo", async () => {
    const { props, opts } = get("node-ready");
    assert.match(String(props["create"]), /actions\/await-ready\.ts$/);
    assert.equal(props["delete"], undefined);
    assert.deepEqual(opts.dependsOn, [made.node.registered]);
    const environment = props["environment"] as Record<string, pulumi.Input<string>>;
    assert.equal(await isSecret(environment["KUBECONFIG_CONTENT"] as pulumi.Output<string>), true);
    assert.deepEqual(JSON.parse((await valueOf(environment["NODE"] ?? "")) ?? ""), {
      name: "win-1",
      timeoutSeconds: 900,
    });
  });

  it("gives what the steps reported, as plain outputs", async () => {
    const { nodeName, windowsBuild, kubernetesVersion, containerdVersion } = made.node;
    assert.deepEqual(
      await Promise.all(
        [nodeName, windowsBuild, kubernetesVersion, containerdVersion].map((each) => valueOf(each)),
      ),
      ["win-1", "10.0.20348.4405", "1.36.4", "2.4.2"],
    );
    assert.equal(await isSecret(nodeName), false);
  });

  it("shows the engine no secrets as its own inputs", () => {
    assert.doesNotMatch(
      JSON.stringify(get("node").props),
      new RegExp(Object.values(secrets).join("|")),
    );
  });

  it("registers with another of the machine's addresses where one is given", async () => {
    const { resources } = makeNode({ nodeIp: "10.7.0.2" });
    const create = String(await valueOf(resources.get("node-join-node")?.props["create"]));
    assert.match(create, / -NodeIp 10\.7\.0\.2 /);
  });

  it("does not take a machine without Windows", () => {
    assert.throws(() => makeNode({}, "linux"), /win-1 is a linux machine: .* os "windows"/);
  });

  it("does not install what has no checksum", () => {
    const kubeadm = { ...fromHost("kubeadm"), sha256: undefined };
    assert.throws(
      () => makeNode({ software: { ...software, kubeadm } }),
      /win-1: no checksum is known for https:\/\/example\.com\/kubeadm\.exe: nothing is installed/,
    );
  });
});

describe("a Windows node with a setup of its own", () => {
  const proxy = { http: "", https: "http://proxy.test:3128", noProxy: "localhost,.svc" };

  before(() => startMocks(false));

  it("gets its proxy before anything is installed, and loses it with the setting", async () => {
    const { resources } = makeNode({ setup: { ...defaultSetup, proxy } });
    assert.deepEqual(
      [...resources.keys()].filter((name) => !order.includes(name)),
      ["node", "node-set-machineproxy"],
    );
    const { props, opts, resource } = resources.get("node-set-machineproxy") ?? assert.fail();
    assert.match(
      String(await valueOf(props["create"])),
      /Set-MachineProxy\.ps1 -HttpProxy "" -HttpsProxy http:\/\/proxy\.test:3128 -NoProxy "localhost,\.svc"$/,
    );
    assert.match(String(props["delete"]), /-HttpProxy "" -HttpsProxy "" -NoProxy ""$/);
    const dependencies = (of: pulumi.CustomResourceOptions): unknown[] => [of.dependsOn].flat();
    assert.deepEqual(dependencies(opts), [resources.get("node-confirm-reboot")?.resource]);
    assert.deepEqual(dependencies(resources.get("node-install-containerd")?.opts ?? {}), [
      resource,
    ]);
  });

  it("gets Calico's network when all is installed, before it waits for the control plane", async () => {
    const { resources } = makeNode({ setup: { ...defaultSetup, podNetwork: "calico" } });
    const names = ["node-add-externalnetwork", "node-confirm-externalnetwork"];
    assert.deepEqual(
      [...resources.keys()].filter((name) => !order.includes(name)),
      ["node", ...names],
    );
    for (const name of names) {
      assert.match(
        String(await valueOf(resources.get(name)?.props["create"])),
        /-ExternalNetwork\.ps1 -Address 192\.168\.150\.10 -DelaySeconds 5$/,
      );
    }
    const before = (name: string): unknown => [resources.get(name)?.opts.dependsOn].flat()[0];
    const chain = ["node-install-kubernetes", ...names, "node-set-hostsentry"];
    for (const [index, name] of chain.slice(1).entries()) {
      assert.equal(before(name), resources.get(chain[index] ?? "")?.resource, name);
    }
    assert.match(
      String(await valueOf(resources.get("node-test-windowshost")?.props["create"])),
      / -PodNetwork calico$/,
    );
  });

  it("passes mirrors and Defender's exclusions to Install-Containerd", async () => {
    const setup = {
      ...defaultSetup,
      registryMirrors: { "docker.io": ["https://a.test", "https://b.test"] },
      defenderExclusions: false,
      proxy: undefined,
    };
    const { resources } = makeNode({ setup });
    assert.match(
      String(await valueOf(resources.get("node-install-containerd")?.props["create"])),
      / -RegistryMirrors "docker\.io=https:\/\/a\.test,https:\/\/b\.test" -DefenderExclusions 0$/,
    );
    assert.ok(!resources.has("node-set-machineproxy"));
  });
});

/** A program that is pushed from a folder of this host. */
function fromHost(name: MediumName, folder?: string): Medium {
  return { ...software[name], origin: { checksumUri: "https://example.com/sum", folder } };
}

describe("a Windows node whose image carries no programs", () => {
  const fetched = import.meta.dirname;
  const pushed: WindowsSoftware = {
    ...software,
    containerd: fromHost("containerd", fetched),
    kubelet: fromHost("kubelet", fetched),
    kubeadm: fromHost("kubeadm", fetched),
  };
  let made: MockedNode;
  const dependencies = (name: string): unknown[] =>
    [made.resources.get(name)?.opts.dependsOn ?? []].flat();
  const resource = (name: string): pulumi.Resource =>
    made.resources.get(name)?.resource ?? assert.fail(name);

  before(async () => {
    await startMocks(false);
    made = makeNode({ software: pushed });
  });

  const pushes: readonly (readonly [string, string, string])[] = [
    ["node-push-containerd", "1", "node-install-containerd"],
    ["node-push-kubelet", "2", "node-install-kubernetes"],
    ["node-push-kubeadm", "3", "node-install-kubernetes"],
  ];
  it("has these pushed to it, and what the image does carry not", () => {
    assert.deepEqual(
      [...made.resources.keys()].filter((name) => name.includes("-push-")),
      pushes.map(([name]) => name),
    );
  });

  for (const [name, digit, user] of pushes) {
    it(`${name} comes after the reboot and before the step that uses it`, () => {
      assert.deepEqual(dependencies(name), [resource("node-confirm-reboot")]);
      assert.ok(dependencies(user).includes(resource(name)));
    });

    it(`${name} goes among the media, again on a new machine or for another content`, async () => {
      const { props, opts } = made.resources.get(name) ?? assert.fail();
      assert.equal(await valueOf(props["remotePath"]), "C:/kindows/media");
      assert.deepEqual(await valueOf(props["triggers"]), ["machine-1", digit.repeat(64)]);
      const source = (await valueOf(props["source"])) as pulumi.asset.FileArchive;
      assert.equal(await source.path, fetched);
      assert.deepEqual(opts.ignoreChanges, []);
      assert.equal(opts.deletedWith, made.machine.resource);
      assert.match(opts.customTimeouts?.create ?? "", /^\d+s$/);
    });
  }

  const unfetched: readonly (readonly [string, string | undefined])[] = [
    ["was never fetched", undefined],
    ["is gone from the cache", "/no/such/folder"],
  ];
  for (const [what, folder] of unfetched) {
    it(`is not made when a program ${what}`, () => {
      assert.throws(
        () => makeNode({ software: { ...pushed, kubelet: fromHost("kubelet", folder) } }),
        /win-1: https:\/\/example\.com\/kubelet\.exe is not in this host's cache: run `\.\/kindows fetch`/,
      );
    });

    it(`is shown by a preview when a program ${what}`, async () => {
      await startMocks(true);
      const { resources } = makeNode({
        software: { ...pushed, kubelet: fromHost("kubelet", folder) },
      });
      const push = resources.get("node-push-kubelet");
      assert.equal(await valueOf(push?.props["source"]), undefined);
      // Else the preview of a lab that stands would show a push that `up` does not make.
      assert.deepEqual(push?.opts.ignoreChanges, ["source"]);
      assert.match(
        String(await valueOf(resources.get("node-install-kubernetes")?.props["create"])),
        /-KubeletPath C:\\kindows\\media\\2{64}\\kubelet\.exe/,
      );
      await startMocks(false);
    });
  }
});

describe("a preview of a Windows node without checksums", () => {
  it("goes on, and shows the commands that need one as not known yet", async () => {
    await startMocks(true);
    const containerd = { ...fromHost("containerd"), sha256: undefined };
    const { resources } = makeNode({ software: { ...software, containerd } });
    const create = (name: string): Promise<unknown> =>
      valueOf(resources.get(name)?.props["create"]);
    assert.equal(await create("node-install-containerd"), undefined);
    assert.match(String(await create("node-install-kubernetes")), /Install-Kubernetes\.ps1/);
  });
});
