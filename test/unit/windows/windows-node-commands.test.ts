import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import { isSecret } from "@pulumi/pulumi";
import { toArgv } from "./command-line.ts";
import { declaredParameters, steps } from "./step-scripts.ts";
import {
  makeNode,
  nodeCommands as commands,
  registered,
  secrets,
  startMocks,
  valueOf,
  type MockedNode,
  type Registered,
} from "./windows-node-mocks.ts";

describe("the commands of a Windows node", () => {
  let made: MockedNode;
  const get = (name: string): Registered => registered(made, name);
  const property = (name: string, key: string): Promise<unknown> => valueOf(get(name).props[key]);

  before(async () => {
    await startMocks(false);
    made = makeNode();
  });

  for (const name of commands) {
    it(`${name} runs a script with values its parameters take`, async () => {
      const [program, ...words] = toArgv(String(await property(name, "create")));
      assert.equal(program, "powershell.exe");
      const script = words[words.indexOf("-File") + 1] ?? "";
      const [, step] =
        /^C:\\kindows\\steps\\([A-Za-z-]+)-[0-9a-f]{12}\\\1\.ps1$/.exec(script) ?? [];
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
    assert.deepEqual(Object.keys(environment), ["KUBECONFIG_CONTENT", "NODE", "TOKEN_ID"]);
    // Of the token that is removed then; no secret, unlike the rest of it.
    assert.equal(await valueOf(environment["TOKEN_ID"] ?? ""), secrets.token.split(".")[0]);
    assert.equal(await isSecret(environment["TOKEN_ID"] as pulumi.Output<string>), false);
    assert.equal(await isSecret(environment["KUBECONFIG_CONTENT"] as pulumi.Output<string>), true);
    assert.equal(await valueOf(environment["KUBECONFIG_CONTENT"] ?? ""), secrets.kubeconfig);
    assert.deepEqual(JSON.parse((await valueOf(environment["NODE"] ?? "")) ?? ""), {
      name: "win-1",
      timeoutSeconds: 900,
      labels: { "example.com/pool": "a", zone: "b" },
      taints: [{ key: "os", value: "windows", effect: "NoSchedule" }],
      // Other versions run it again: it opens a node that was drained for them.
      versions: { kubernetes: "1.36.4", containerd: "2.4.2" },
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

  it("registers with another of the machine's addresses where one is given", async () => {
    const { resources } = makeNode({ nodeIp: "10.7.0.2" });
    const create = String(await valueOf(resources.get("node-join-node")?.props["create"]));
    assert.match(create, / -NodeIp 10\.7\.0\.2 /);
  });
});
