import assert from "node:assert/strict";
import { isSecret } from "@pulumi/pulumi";
import { addContainerImage } from "../../../components/windows/steps.ts";
import { bakeOf } from "../../../images/windows/bake.ts";
import { stepTriggerOf } from "../../../components/node/step-trigger.ts";
import { scriptCommand } from "../../../host/ssh/windows-command.ts";
import { stages } from "../../../cli/stages/node-stages.ts";
import { secrets } from "../controlplane/fixture-node.ts";
import { look, revealed } from "../controlplane/recorded-resources.ts";
import {
  makeNode,
  nodeCommands as commands,
  nodeResources as order,
  software,
  type MockedNode,
} from "./windows-node-mocks.ts";

describe("a Windows node", () => {
  let made: MockedNode;
  const create = (name: string): string => made.create(name) ?? assert.fail(name);

  before(async () => (made = await makeNode()));

  it("consists of these resources", () => {
    assert.deepEqual(made.names, ["node", ...order]);
    assert.equal(made.get("node").type, "kindows:windows:WindowsNode");
  });

  it("says of each which step it is, as the stages of `up` have them", () => {
    const known = stages.windows.flatMap(({ steps }) => steps);
    for (const name of order) {
      const step = stepTriggerOf(made.get(name).inputs)?.step;
      assert.ok(step !== undefined && known.includes(step), `${name}: ${step}`);
    }
  });

  for (const [index, name] of order.entries()) {
    it(`${name} follows what comes before it, in bounded time, on each new machine`, async () => {
      const { inputs, opts } = made.get(name);
      const before = index === 0 ? made.machine : made.get(order[index - 1] ?? "");
      assert.equal(opts.parent, made.node);
      assert.ok(made.needs(name).includes(before.resource));
      assert.equal(stepTriggerOf(inputs)?.machine, "machine-1");
      assert.equal(opts.deleteBeforeReplace, true);
      const { create, update } = opts.customTimeouts ?? {};
      assert.match(create ?? "", /^\d+s$/);
      assert.equal(update, create);
      if (name === "node-registration" || name === "node-ready") {
        assert.equal(opts.deletedWith, made.controlPlane.resource);
        return;
      }
      assert.equal(opts.deletedWith, made.machine.resource);
      const connection = revealed(inputs["connection"]) as Record<string, unknown>;
      const { host, privateKey, dialErrorLimit } = connection;
      const { value } = await look(made.machine.connection);
      assert.deepEqual({ host, privateKey, dialErrorLimit }, value);
    });
  }

  it("waits for the control plane only when all is prepared", () => {
    const { resource } = made.controlPlane;
    const waiting = order.filter((name) => made.needs(name).includes(resource));
    assert.deepEqual(waiting, ["node-set-hostsentry"]);
  });

  it("writes no log and passes no output on", () => {
    for (const name of [...commands, "node-registration", "node-ready"]) {
      const { logging, addPreviousOutputInEnv } = made.get(name).inputs;
      assert.deepEqual([logging, addPreviousOutputInEnv], ["none", false], name);
    }
  });

  it("gives what the steps reported, as plain outputs", async () => {
    const { nodeName, windowsBuild, kubernetesVersion, containerdVersion } = made.node;
    const outputs = [nodeName, windowsBuild, kubernetesVersion, containerdVersion];
    assert.deepEqual(
      await Promise.all(outputs.map(look)),
      ["win-1", "10.0.20348.4405", "1.36.4", "2.4.2"].map((value) => ({ value, secret: false })),
    );
  });

  it("shows no secret in its own inputs, nor on a command line", () => {
    const shown = [
      made.get("node").inputs,
      ...commands.map((name) => [create(name), made.get(name).inputs["delete"]]),
    ];
    assert.doesNotMatch(JSON.stringify(shown), new RegExp(Object.values(secrets).join("|")));
  });

  it("is drained only before other programs are installed, and not in a preview", () => {
    const drained = made.names.flatMap((name) => {
      const hooks = made.get(name).opts.hooks?.beforeUpdate ?? [];
      return hooks.map((hook) => [name, hook.name, "opts" in hook && hook.opts?.onDryRun === true]);
    });
    assert.deepEqual(drained, [
      ["node-install-containerd", "node-install-containerd-drain", false],
      ["node-install-kubernetes", "node-install-kubernetes-drain", false],
    ]);
  });

  it("does not take a machine without Windows", () =>
    assert.rejects(makeNode({}, { os: "linux" }), /win-1 is a linux machine: .* os "windows"/));

  it("runs each step's script in a folder of its own", () => {
    for (const name of commands) {
      const [, step = ""] = /^powershell\.exe .* -File (\S+)/.exec(create(name)) ?? [];
      assert.match(step.toLowerCase(), /^c:\\kindows\\steps\\([a-z-]+)-[0-9a-f]{12}\\\1\.ps1$/);
      assert.ok(step.toLowerCase().endsWith(`\\${name.replace("node-", "")}.ps1`), step);
    }
  });

  const sha = (digit: string): string => digit.repeat(64);
  const archive = `C:\\kindows\\media\\${sha("1")}\\containerd.tar.gz`;
  const values: Readonly<Record<string, readonly string[]>> = {
    "test-windowshost": ["-ComputerName win-1 -MinimumBuild 20348 -MinimumRevision 2762"],
    "install-containerd": [`-Version 2.4.2 -ArchivePath ${archive} -ArchiveSha256 ${sha("1")}`],
    "install-kubernetes": [`-KubeLogRunnerSha256 ${sha("4")}`],
    "set-hostsentry": [
      '-Entry "192.168.150.128=kindows-test-control-plane;192.168.150.129=kindows-test-lb"',
    ],
    "join-node": [
      ...[
        "-NodeName win-1 -ApiServerEndpoint kindows-test-control-plane:6443",
        "-NodeIp 192.168.150.10",
      ],
      ...['-NodeLabels "example.com/pool=a,zone=b" -NodeTaints os=windows:NoSchedule'],
      ...["-KubeletArgs max-pods=60"],
    ],
  };
  for (const [name, texts] of Object.entries(values)) {
    it(`${name} gets ${texts.join(", ")}`, () =>
      texts.forEach((text) => assert.ok(create(`node-${name}`).includes(text), text)));
  }

  it("undoes all of them where the machine stays, by the one that was made first", () => {
    const undone = commands.filter((name) => made.get(name).inputs["delete"] !== undefined);
    assert.deepEqual(undone, ["node-test-windowshost"]);
    assert.match(
      String(made.get("node-test-windowshost").inputs["delete"]),
      /^if exist \S+\\Reset-Node\.ps1 powershell\.exe .*\\Reset-Node\.ps1 -CriSocket /,
    );
  });

  it("passes the token on standard input, as a secret", () =>
    assert.deepEqual(JSON.parse(String(revealed(made.get("node-join-node").inputs["stdin"]))), {
      token: secrets.token,
      caCertHashes: [`sha256:${"5".repeat(64)}`],
    }));

  it("waits for the Node and removes it by the cluster's own actions", async () => {
    const environment = (name: string) =>
      revealed(made.get(name).inputs["environment"]) as Readonly<Record<string, unknown>>;
    const { inputs, props } = made.get("node-registration");
    assert.match(String(inputs["create"]), /actions\/await-node\.ts$/);
    assert.match(String(inputs["delete"]), /actions\/remove-node\.ts$/);
    const { NODE, ...others } = environment("node-registration");
    // Of the token that is removed then.
    const TOKEN_ID = secrets.token.split(".")[0];
    assert.deepEqual(others, { KUBECONFIG_CONTENT: secrets.kubeconfig, TOKEN_ID });
    // No secret, unlike the rest of it.
    const { TOKEN_ID: id } = props["environment"] as Record<string, Parameters<typeof isSecret>[0]>;
    assert.equal(id && (await isSecret(id)), false);
    const node = { name: "win-1", timeoutSeconds: 900 };
    assert.deepEqual(JSON.parse(String(NODE)), {
      ...node,
      labels: { "example.com/pool": "a", zone: "b" },
      taints: [{ key: "os", value: "windows", effect: "NoSchedule" }],
      // Other versions run it again: it opens a node that was drained for them.
      versions: { kubernetes: "1.36.4", containerd: "2.4.2" },
      // And what was deployed in place of others is noted no more.
      programs: {
        kubelet: "2".repeat(64),
        kubeadm: "3".repeat(64),
        kubeProxy: "",
        containerd: "1".repeat(64),
      },
    });
    // Ready comes after that, and has nothing to undo.
    const ready = made.get("node-ready").inputs;
    assert.match(String(ready["create"]), /actions\/await-ready\.ts$/);
    assert.equal(ready["delete"], undefined);
    assert.deepEqual(made.needs("node-ready"), [made.node.registered]);
    assert.deepEqual(JSON.parse(String(environment("node-ready")["NODE"])), node);
  });

  it("registers with another of the machine's addresses where one is given", async () => {
    const { create: of } = await makeNode({ nodeIp: "10.7.0.2" });
    assert.match(of("node-join-node") ?? "", / -NodeIp 10\.7\.0\.2 /);
  });

  it("is asked for the very same again as its image has, by checksum and version", () => {
    const { steps: baked } = bakeOf(software, ["registry.k8s.io/pause:3.10.2"]);
    for (const { step, parameters } of baked.filter((each) => each.step !== addContainerImage)) {
      const command = create(`node-${step.name.toLowerCase()}`);
      const [, folder = ""] = / -File (\S+)\\[A-Za-z-]+\.ps1/.exec(command) ?? [];
      assert.equal(command, scriptCommand(folder, step, parameters));
    }
  });
});
