import assert from "node:assert/strict";
import { access, stat } from "node:fs/promises";
import { join } from "node:path";

import { ServiceError } from "../../../../rehearsal/machine/service-manager.ts";
import {
  assertDone,
  assertFails,
  caCertHash,
  goodArguments,
  hostFor,
  joinInput,
  joinToken,
  runGood,
  runStep,
  runText,
  type StepRun,
} from "./step-runner.ts";

const kubeletConf = "C:\\etc\\kubernetes\\kubelet.conf";
const clientCertificate = "C:\\var\\lib\\kubelet\\pki\\kubelet-client-current.pem";
const joinRecord = "C:\\kindows\\state\\join.json";

describe("Join-Node, rehearsed", () => {
  const machine = hostFor("each", "Set-HostsEntry");

  const joinNode = (given?: Readonly<Record<string, string>>): Promise<StepRun> =>
    runGood(machine, "Join-Node", given);
  const joinWith = (input: string): Promise<StepRun> =>
    runStep(machine, "Join-Node", goodArguments(machine)["Join-Node"], input);

  it("joins with what it was given and leaves kubelet running for good", async () => {
    await assertDone(joinNode(), true, { alreadyJoined: false, wasReset: false });
    assert.deepEqual(machine.cluster.joins, [
      { endpoint: "control-plane:6443", token: joinToken, caCertHashes: [caCertHash] },
    ]);
    assert.deepEqual(machine.cluster.nodes, [
      {
        name: "win-1",
        address: "192.168.150.11",
        labels: { pool: "a", zone: "b" },
        taints: [],
        kubeletVersion: "1.36.4",
      },
    ]);
    const service = machine.windows.services.get("kubelet");
    assert.deepEqual([service?.startType, service?.restarts], ["auto", true]);
    assert.equal(await machine.windows.services.isRunning("kubelet"), true);
  });

  it("refuses a node's address that the machine does not have, and names those it has", async () => {
    machine.programs.ownAddresses = ["127.0.0.1", "10.0.0.5", "10.1.0.5"];
    const missing =
      /register with 192\.168\.150\.11, which is no address .* It has: 10\.0\.0\.5, 10\.1\.0\.5\.$/;
    await assertFails(joinNode(), "NodeIpMissing", missing, /nodes\[\]\.nodeIp/);
    assert.deepEqual(machine.cluster.joins, []);
    machine.programs.ownAddresses = ["192.168.150.11"];
    await assertDone(joinNode());
  });

  it("registers taints", async () => {
    const taints = { "-NodeTaints": "os=windows:NoSchedule" };
    await assertDone(joinNode(taints));
    assert.deepEqual(machine.cluster.nodes[0]?.taints, ["os=windows:NoSchedule"]);
  });

  it("a second run changes nothing, a changed label only kubelet's arguments", async () => {
    await joinNode();
    await assertDone(joinNode(), false, { alreadyJoined: true });
    await assertDone(joinNode({ "-NodeLabels": "pool=c" }), true, { alreadyJoined: true });
    assert.match(
      machine.windows.services.get("kubelet")?.commandLine ?? "",
      / --node-labels=pool=c/,
    );
    // What a Node that is there has, only the cluster's side changes.
    assert.deepEqual(machine.cluster.nodes[0]?.labels, { pool: "a", zone: "b" });
    assert.equal(machine.cluster.joins.length, 1);
  });

  it("a run that could not stop kubelet for its new arguments is made good by the next one", async () => {
    await joinNode();
    const { services } = machine.windows;
    const stop = services.stop.bind(services);
    services.stop = () => Promise.reject(new ServiceError("It takes no orders."));
    const labels = { "-NodeLabels": "pool=c" };
    await assertFails(joinNode(labels), "CommandTimedOut");
    services.stop = stop;
    await assertDone(joinNode(labels), true);
    assert.match(machine.programs.commands.at(-1) ?? "", /kubelet\.exe .* --node-labels=pool=c/);
  });

  it("refuses what is written otherwise than Kubernetes has it, also by case alone", async () => {
    for (const [name, value] of [
      ["-NodeName", "WIN-1"],
      ["-NodeTaints", "a=b:noschedule"],
      ["-KubeletArgs", "Max-pods=60"],
    ] as const) {
      const { exitCode, stderr } = await joinNode({ [name]: value });
      assert.equal(exitCode, 1, value);
      assert.match(stderr, new RegExp(`on parameter '${name.slice(1)}'`));
    }
  });

  it("has a remedy for what has none of its own", async () => {
    const library = [
      "Step",
      "Services",
      "KubeletService",
      "ApiServer",
      "Membership",
      "KubeadmJoin",
    ];
    const text =
      "Get-JoinRemedy -Message 'certificate has expired or is not yet valid' -Default ''";
    assert.match(await runText(machine, library, text), /^Set the clock/);
  });

  it("starts a kubelet that somebody stopped", async () => {
    await joinNode();
    await machine.windows.services.stop("kubelet");
    await assertDone(joinNode(), true);
    assert.equal(await machine.windows.services.isRunning("kubelet"), true);
  });

  it("a half finished join is reset and done again", async () => {
    machine.cluster.refusals = ["couldn't validate the identity of the API Server"];
    const wrote = /exit code 1\. It wrote: .*couldn't validate the identity/;
    await assertFails(joinNode(), "JoinFailed", wrote);
    await machine.windows.drive.write("C:\\var\\lib\\kubelet\\config.yaml", "half");
    await assertDone(joinNode(), true, { wasReset: true });
  });

  it("another cluster under the same name: reset, then joined", async () => {
    await joinNode();
    const caCertHashes = [`sha256:${"0b".repeat(32)}`];
    const result = await assertDone(joinWith(JSON.stringify({ token: joinToken, caCertHashes })));
    assert.equal(result.facts["wasReset"], true);
    assert.equal(machine.cluster.joins.length, 2);
  });

  it("another cluster, joined by somebody else: reset, then joined", async () => {
    await machine.windows.drive.write(kubeletConf, "theirs");
    await machine.windows.drive.write(clientCertificate, "theirs");
    const result = await assertDone(joinNode());
    assert.equal(result.facts["wasReset"], true);
    assert.notEqual(await machine.windows.drive.readText(kubeletConf), "theirs");
    assert.match(result.stderr, /what another cluster .* left here is removed first/);
  });

  const cutShort: readonly (readonly [what: string, record: string, files: readonly string[]])[] = [
    ["before anything of it was there", '{"joining":"CLUSTER"}', []],
    ["kubelet asked for its certificate", '{"joining":"CLUSTER"}', [kubeletConf]],
    ["also where the record says it ended", '{"cluster":"CLUSTER"}', [kubeletConf]],
    ["kubeadm had not ended", '{"joining":"CLUSTER"}', [kubeletConf, clientCertificate]],
    ["the record is empty", "", [kubeletConf, clientCertificate]],
    ["the record is half of one", '{"clus', [kubeletConf, clientCertificate]],
  ];
  for (const [what, record, files] of cutShort) {
    it(`a join cut short is done again: ${what}`, async () => {
      const identity = `control-plane:6443 ${caCertHash}`;
      await machine.windows.drive.write(joinRecord, record.replace("CLUSTER", identity));
      for (const file of files) await machine.windows.drive.write(file, "half");
      await assertDone(joinNode(), undefined, { alreadyJoined: false, wasReset: files.length > 0 });
      await assertDone(joinNode(), false, { alreadyJoined: true });
    });
  }

  it("gives kubelet its extra arguments, and asks it first whether it knows them", async () => {
    const removed = joinNode({ "-KubeletArgs": "pod-infra-container-image=pause" });
    await assertFails(removed, "KubeletArgsRefused", /unknown flag: --pod-infra-container-image/);
    assert.equal(machine.cluster.joins.length, 0);
    await assertDone(joinNode({ "-KubeletArgs": '"max-pods=60 v=4"' }));
    const { commandLine = "" } = machine.windows.services.get("kubelet") ?? {};
    assert.match(commandLine, / --node-labels=pool=a,zone=b --max-pods=60 --v=4$/);
  });

  const complaints: readonly (readonly [complaint: string, remedy: RegExp])[] = [
    ["x509: certificate has expired or is not yet valid: current time", /^Set the clock/],
    ['none of the public keys "sha256:11" are pinned', /^The CA hash is another cluster's/],
    [
      'could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"',
      /token has expired/,
    ],
    ["something else", /^Read kubeadm's last lines/],
  ];
  for (const [complaint, remedy] of complaints) {
    it(`says what to do about: ${complaint}`, async () => {
      machine.cluster.refusals = [complaint];
      await assertFails(joinNode(), "JoinFailed", /./, remedy);
    });
  }

  it("waits for its predecessor's node to go", async () => {
    machine.cluster.refusals = [
      'a Node with name "win-1" and status "Ready" already exists in the cluster',
    ];
    const result = await assertDone(joinNode());
    assert.match(result.stderr, /a node of this name is still Ready/);
    assert.equal(machine.cluster.joins.length, 2);
  });

  it("says when the API server can't be reached", async () => {
    machine.cluster.awaySeconds = Infinity;
    const seen = /control-plane:6443 .*last seen: connection refused/;
    await assertFails(joinNode(), "ApiServerUnreachable", seen);
  });

  const isThere = (path: string): Promise<boolean> => machine.windows.drive.isFile(path);

  it("keeps the token out of command lines, output and files that stay", async () => {
    const result = await assertDone(joinNode());
    const secret = joinToken.split(".")[1] ?? "";
    assert(!machine.programs.commands.join("\n").includes(secret));
    assert(!result.stderr.includes(secret));
    await assert.rejects(
      access(join(machine.driveC, "kindows/state/join-configuration.json")),
      /ENOENT/,
    );
  });

  it("hides the token in what kubeadm writes", async () => {
    machine.cluster.refusals = [`token ${joinToken} is no good`];
    const result = await joinNode();
    assert.match(result.errorMessage, /token \*\*\* is no good/);
    assert(!result.stderr.includes(joinToken));
  });

  it("a token that a power cut left is removed by whichever step runs next", async () => {
    const bootstrap = "C:\\etc\\kubernetes\\bootstrap-kubelet.conf";
    const configuration = "C:\\kindows\\state\\join-configuration.json";
    for (const path of [configuration, bootstrap]) {
      await machine.windows.drive.write(path, joinToken, true);
    }
    await runGood(machine, "Test-WindowsHost");
    // Without a record of a join the second one is not ours.
    assert.deepEqual(await Promise.all([configuration, bootstrap].map(isThere)), [false, true]);
    await machine.windows.drive.write(joinRecord, '{"joining":"x"}');
    await runGood(machine, "Test-WindowsHost");
    assert.equal(await isThere(bootstrap), false);
  });

  it("nobody but the administrator can read the token while it is on the drive", async () => {
    const modes: number[] = [];
    machine.cluster.onAuthorize = async () => {
      const state = join(machine.driveC, "kindows/state");
      for (const path of [state, join(state, "join-configuration.json")]) {
        modes.push((await stat(path)).mode & 0o077);
      }
    };
    await joinNode();
    assert.deepEqual(modes, [0, 0]);
  });

  const hash = [caCertHash];
  const wrong: readonly (readonly [input: string, message: RegExp])[] = [
    ["", /no token/],
    [joinToken, /not JSON \(23 characters\)/],
    ["null", /no token/],
    [JSON.stringify({ caCertHashes: hash }), /no token/],
    [JSON.stringify({ token: joinToken.toUpperCase(), caCertHashes: hash }), /no token/],
    [JSON.stringify({ token: joinToken }), /no caCertHashes/],
    [JSON.stringify({ token: joinToken, caCertHashes: [] }), /no caCertHashes/],
    [JSON.stringify({ token: joinToken, caCertHashes: ["sha1:00"] }), /no caCertHashes/],
  ];
  it("refuses a token, and does not repeat it, that is not what it must be", async () => {
    for (const [input, message] of wrong) {
      const result = await assertFails(joinWith(input), "SecretMissing", message);
      assert.ok(!result.stderr.includes(joinToken));
    }
  });

  it("takes a token with a byte order mark and line ends", async () => {
    await assertDone(joinWith(`\uFEFF${joinInput}\r\n`));
  });
});
