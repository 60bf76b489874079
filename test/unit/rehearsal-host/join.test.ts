import assert from "node:assert/strict";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { type FussyCluster, startJoinable } from "./fussy-cluster.ts";
import { ServiceError } from "../../../rehearsal/host/service-manager.ts";
import { runText } from "./run-text.ts";
import {
  caCertHash,
  goodArguments,
  joinInput,
  joinToken,
  runStep,
  withArgument,
} from "./step-runner.ts";

const kubeletConf = "C:\\etc\\kubernetes\\kubelet.conf";
const clientCertificate = "C:\\var\\lib\\kubelet\\pki\\kubelet-client-current.pem";
const joinRecord = "C:\\kindows\\state\\join.json";

describe("Join-Node, rehearsed", () => {
  let host: RehearsalHost;
  let cluster: FussyCluster;

  beforeEach(async () => {
    ({ host, cluster } = await startJoinable());
  });
  afterEach(() => host.stop());

  const joinNode = (args?: readonly string[], input = joinInput): ReturnType<typeof runStep> =>
    runStep(host, "Join-Node", args ?? goodArguments(host)["Join-Node"], input);

  it("joins with what it was given and leaves kubelet running for good", async () => {
    const result = await joinNode();
    assert.equal(result.exitCode, 0, result.stderr);
    assert.deepEqual(
      [result.changed, result.facts["alreadyJoined"], result.facts["wasReset"]],
      [true, false, false],
    );
    assert.deepEqual(cluster.joins, [
      { endpoint: "control-plane:6443", token: joinToken, caCertHashes: [caCertHash] },
    ]);
    assert.deepEqual(cluster.nodes, [
      {
        name: "win-1",
        address: "192.168.150.11",
        labels: { pool: "a", zone: "b" },
        taints: [],
        kubeletVersion: "1.36.4",
      },
    ]);
    const service = host.windows.services.get("kubelet");
    assert.deepEqual([service?.startType, service?.restarts], ["auto", true]);
    assert.equal(await host.windows.services.isRunning("kubelet"), true);
  });

  it("refuses a node's address that the machine does not have, and names those it has", async () => {
    host.programs.ownAddresses = ["127.0.0.1", "10.0.0.5", "10.1.0.5"];
    const refused = await joinNode();
    assert.deepEqual([refused.exitCode, refused.errorCode], [56, "NodeIpMissing"]);
    assert.match(
      refused.errorMessage,
      /register with 192\.168\.150\.11, which is no address .* It has: 10\.0\.0\.5, 10\.1\.0\.5\.$/,
    );
    assert.match(refused.remedy, /nodes\[\]\.nodeIp/);
    assert.deepEqual(cluster.joins, []);
    host.programs.ownAddresses = ["192.168.150.11"];
    assert.equal((await joinNode()).exitCode, 0);
  });

  it("registers taints", async () => {
    const args = [...(goodArguments(host)["Join-Node"] ?? [])];
    args[args.indexOf("-NodeTaints") + 1] = "os=windows:NoSchedule";
    assert.equal((await joinNode(args)).exitCode, 0);
    assert.deepEqual(cluster.nodes[0]?.taints, ["os=windows:NoSchedule"]);
  });

  it("a second run changes nothing, a changed label only kubelet's arguments", async () => {
    await joinNode();
    const second = await joinNode();
    assert.deepEqual([second.changed, second.facts["alreadyJoined"]], [false, true]);
    const args = (goodArguments(host)["Join-Node"] ?? []).map((argument) =>
      argument === "pool=a,zone=b" ? "pool=c" : argument,
    );
    const third = await joinNode(args);
    assert.deepEqual([third.changed, third.facts["alreadyJoined"]], [true, true]);
    assert.match(host.windows.services.get("kubelet")?.commandLine ?? "", / --node-labels=pool=c/);
    // What a Node that is there has, only the cluster's side changes.
    assert.deepEqual(cluster.nodes[0]?.labels, { pool: "a", zone: "b" });
    assert.equal(cluster.joins.length, 1);
  });

  it("a run that could not stop kubelet for its new arguments is made good by the next one", async () => {
    await joinNode();
    const { services } = host.windows;
    const stop = services.stop.bind(services);
    services.stop = () => Promise.reject(new ServiceError("It takes no orders."));
    const args = withArgument(goodArguments(host)["Join-Node"] ?? [], "-NodeLabels", "pool=c");
    assert.equal((await joinNode(args)).errorCode, "CommandTimedOut");
    services.stop = stop;
    assert.equal((await joinNode(args)).changed, true);
    assert.match(host.programs.commands.at(-1) ?? "", /kubelet\.exe .* --node-labels=pool=c/);
  });

  it("refuses what is written otherwise than Kubernetes has it, also by case alone", async () => {
    const args = goodArguments(host)["Join-Node"] ?? [];
    for (const [name, value] of [
      ["-NodeName", "WIN-1"],
      ["-NodeTaints", "a=b:noschedule"],
      ["-KubeletArgs", "Max-pods=60"],
    ] as const) {
      const { exitCode, stderr } = await joinNode(withArgument(args, name, value));
      assert.equal(exitCode, 1, value);
      assert.match(stderr, new RegExp(`on parameter '${name.slice(1)}'`));
    }
  });

  it("has a remedy for what has none of its own", async () => {
    const library =
      "Step,NativeCommand,ProtectedFile,KubernetesFolders,ServiceState,ServiceSettings";
    const text =
      "Get-JoinRemedy -Message 'certificate has expired or is not yet valid' -Default ''";
    const files = `${library},KubeletService,Membership,KubeadmJoin`.split(",");
    assert.match(await runText(host, files, text), /^Set the clock/);
  });

  it("starts a kubelet that somebody stopped", async () => {
    await joinNode();
    await host.windows.services.stop("kubelet");
    const result = await joinNode();
    assert.equal(result.changed, true);
    assert.equal(await host.windows.services.isRunning("kubelet"), true);
  });

  it("a half finished join is reset and done again", async () => {
    cluster.refusals = ["couldn't validate the identity of the API Server"];
    const first = await joinNode();
    assert.deepEqual([first.exitCode, first.errorCode], [51, "JoinFailed"]);
    assert.match(first.errorMessage, /exit code 1\. It wrote: .*couldn't validate the identity/);
    await host.windows.drive.write("C:\\var\\lib\\kubelet\\config.yaml", "half");
    const second = await joinNode();
    assert.equal(second.exitCode, 0, second.stderr);
    assert.deepEqual([second.changed, second.facts["wasReset"]], [true, true]);
  });

  it("another cluster under the same name: reset, then joined", async () => {
    await joinNode();
    const other = JSON.stringify({
      token: joinToken,
      caCertHashes: [`sha256:${"0b".repeat(32)}`],
    });
    const result = await joinNode(undefined, other);
    assert.equal(result.exitCode, 0, result.stderr);
    assert.equal(result.facts["wasReset"], true);
    assert.equal(cluster.joins.length, 2);
  });

  it("another cluster, joined by somebody else: reset, then joined", async () => {
    await host.windows.drive.write(kubeletConf, "theirs");
    await host.windows.drive.write(clientCertificate, "theirs");
    const result = await joinNode();
    assert.equal(result.exitCode, 0, result.stderr);
    assert.equal(result.facts["wasReset"], true);
    assert.notEqual(await host.windows.drive.readText(kubeletConf), "theirs");
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
      await host.windows.drive.write(joinRecord, record.replace("CLUSTER", identity));
      for (const file of files) await host.windows.drive.write(file, "half");
      const result = await joinNode();
      assert.equal(result.exitCode, 0, result.stderr);
      assert.deepEqual(
        [result.facts["alreadyJoined"], result.facts["wasReset"]],
        [false, files.length > 0],
      );
      const again = await joinNode();
      assert.deepEqual([again.changed, again.facts["alreadyJoined"]], [false, true]);
    });
  }

  it("gives kubelet its extra arguments, and asks it first whether it knows them", async () => {
    const args = [...(goodArguments(host)["Join-Node"] ?? [])];
    const index = args.indexOf("-KubeletArgs") + 1;
    args[index] = "pod-infra-container-image=pause";
    const refused = await joinNode(args);
    assert.deepEqual([refused.exitCode, refused.errorCode], [53, "KubeletArgsRefused"]);
    assert.match(refused.errorMessage, /unknown flag: --pod-infra-container-image/);
    assert.equal(cluster.joins.length, 0);
    args[index] = '"max-pods=60 v=4"';
    assert.equal((await joinNode(args)).exitCode, 0);
    const { commandLine = "" } = host.windows.services.get("kubelet") ?? {};
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
      cluster.refusals = [complaint];
      const result = await joinNode();
      assert.equal(result.errorCode, "JoinFailed");
      assert.match(result.remedy, remedy);
    });
  }

  it("waits for its predecessor's node to go", async () => {
    cluster.refusals = [
      'a Node with name "win-1" and status "Ready" already exists in the cluster',
    ];
    const result = await joinNode();
    assert.equal(result.exitCode, 0, result.stderr);
    assert.match(result.stderr, /a node of this name is still Ready/);
    assert.equal(cluster.joins.length, 2);
  });

  it("says when the API server can't be reached", async () => {
    cluster.unreachable = true;
    const result = await joinNode();
    assert.deepEqual([result.exitCode, result.errorCode], [50, "ApiServerUnreachable"]);
    assert.match(result.errorMessage, /control-plane:6443 .*last seen: connection refused/);
  });

  it("a new containerd on a joined node stops kubelet and starts it again", async () => {
    await joinNode();
    const args = goodArguments(host)["Install-Containerd"] ?? [];
    const result = await runStep(host, "Install-Containerd", [
      ...args,
      "-PauseImage",
      "p.test/p:2",
    ]);
    assert.equal(result.exitCode, 0, result.stderr);
    assert.equal(await host.windows.services.isRunning("kubelet"), true);
  });
});
