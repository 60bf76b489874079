import assert from "node:assert/strict";
import type { ProgramResult } from "../../rehearsal/machine/programs.ts";
import {
  assertDone,
  assertFails,
  runStep,
  runText,
  type StepRun,
} from "../unit/rehearsal/machine/step-runner.ts";
import { kubernetesVersion } from "../../toolchain/tools/table.ts";
import { TestCluster, waitFor } from "./test-cluster.ts";
import { clusterAddress, clusterName, nodeAddress } from "./test-programs.ts";
import { WineMachine } from "./wine-machine.ts";

const token = "abcdef.0123456789abcdef";

describe("kubeadm.exe and kubelet.exe, as Join-Node calls them, with a real API server", () => {
  let cluster: TestCluster;
  let machine: WineMachine;

  const prepare = async (): Promise<void> => {
    await machine.installContainerd();
    await machine.installKubernetes();
    const entry = `${clusterAddress}=${clusterName}`;
    await assertDone(runStep(machine, "Set-HostsEntry", ["-Entry", entry]));
  };
  before(async () => {
    cluster = await TestCluster.start();
    machine = await WineMachine.start();
    await prepare();
  });
  after(async () => {
    await machine.stop();
    await cluster.stop();
  });

  interface Join {
    readonly token: string;
    readonly caCertHash?: string;
    readonly timeoutSeconds: number;
  }
  const join = (join: Join): Promise<StepRun> =>
    runStep(
      machine,
      "Join-Node",
      [
        ...["-NodeName", "win-1", "-ApiServerEndpoint", cluster.endpoint],
        ...["-NodeIp", nodeAddress, "-NodeLabels", "pool=a,example.com/zone=b"],
        ...["-NodeTaints", "os=windows:NoSchedule", "-KubeletArgs", "max-pods=50"],
        ...["-TimeoutSeconds", String(join.timeoutSeconds)],
      ],
      JSON.stringify({ token: join.token, caCertHashes: [join.caCertHash ?? cluster.caCertHash] }),
    );
  const assertRefused = async (
    run: Promise<StepRun>,
    said: RegExp,
    remedy: RegExp,
  ): Promise<void> => {
    await assertFails(run, "JoinFailed", said, remedy);
    assert.deepEqual(await cluster.nodes(), []);
  };

  it("knows every field of our configuration, and names one that it does not know", async () => {
    const configuration = await runText(
      machine,
      ["Step", "Services", "KubeletService", "ApiServer", "Membership", "KubeadmJoin"],
      [
        `$secret = [pscustomobject]@{ token = '${token}'; caCertHashes = @('${cluster.caCertHash}') }`,
        `$text = New-JoinConfiguration -NodeName 'win-1' -ApiServerEndpoint '${cluster.endpoint}' \``,
        "    -CriSocket 'npipe:////./pipe/containerd-containerd' -Taints 'os=windows:NoSchedule' `",
        "    -Secret $secret -TimeoutSeconds 300",
        "[Console]::Out.WriteLine($text)",
      ].join("\r\n"),
    );
    const validate = async (text: string): Promise<ProgramResult> => {
      await machine.windows.drive.write("C:\\tested.json", text);
      const args = ["config", "validate", "--config", "C:\\tested.json"];
      return machine.run("C:\\k\\kubeadm.exe", args);
    };
    const good = await validate(configuration);
    assert.deepEqual([good.exitCode, good.stdout.trim()], [0, "ok"], good.stderr);
    const bad = await validate(configuration.replace('"criSocket"', '"cgroupDriver"'));
    assert.notEqual(bad.exitCode, 0);
    assert.match(bad.stderr, /unknown field "nodeRegistration\.cgroupDriver"/);
  });

  it("is refused with the CA hash of another cluster, and the remedy names it", async () => {
    const caCertHash = `sha256:${"0".repeat(64)}`;
    await assertRefused(
      join({ token: await cluster.token(), caCertHash, timeoutSeconds: 60 }),
      /none of the public keys "sha256:[0-9a-f]{64}" are pinned/,
      /The CA hash is another cluster's/,
    );
  });

  it("is refused with a token that has expired, in kubeadm's own words", async () => {
    const token = await cluster.token(new Date(Date.now() - 60_000));
    await assertRefused(
      join({ token, timeoutSeconds: 45 }),
      /JWS signature|token id/i,
      /The token has expired or was deleted/,
    );
  });

  const day = 86_400;
  const setClockAhead = (seconds: number): Promise<void> =>
    machine.wine.setClock(new Date(Date.now() + seconds * 1000));
  /** A join on a machine that nobody tells the time: Join-Node leaves its clock as it is. */
  const joinUntold = async (): Promise<StepRun> => {
    machine.wine.isTimeTold = false;
    try {
      return await join({ token: await cluster.token(), timeoutSeconds: 60 });
    } finally {
      machine.wine.isTimeTold = true;
    }
  };
  for (const [clock, seconds, said] of [
    ["a day behind, when no certificate is valid yet", -day, /x509: .*current time \S+ is before/],
    ["past the end of the certificates", 366 * day, /x509: .*current time \S+ is after/],
  ] as const) {
    it(`is refused with a clock ${clock}, and the remedy names the clock`, async () => {
      await setClockAhead(seconds);
      await assertRefused(joinUntold(), said, /Set the clock of this machine/);
    });
  }

  const assertNode = async (): Promise<void> => {
    const [node, ...others] = await cluster.nodes();
    assert.deepEqual(others, []);
    assert.equal(node?.metadata?.name, "win-1");
    const labels = node.metadata.labels ?? {};
    assert.deepEqual(
      [labels["kubernetes.io/os"], labels["pool"], labels["example.com/zone"]],
      ["windows", "a", "b"],
    );
    const taints = node.spec?.taints?.map(({ key, value, effect }) => `${key}=${value}:${effect}`);
    assert.ok(taints?.includes("os=windows:NoSchedule"), taints?.join(" "));
    assert.equal(node.status?.nodeInfo?.kubeletVersion, `v${kubernetesVersion}`);
    assert.equal(node.status?.capacity?.["pods"], "50");
    const internal = node.status?.addresses?.find(({ type }) => type === "InternalIP");
    assert.equal(internal?.address, nodeAddress);
  };
  /** A Node has its state some moments after it has been registered. */
  const nodeReported = (): Promise<void> =>
    waitFor("the Node's state", async () =>
      (await cluster.nodes()).some((node) => node.status?.nodeInfo?.kubeletVersion),
    );

  it("joins with our configuration, the clock set right first; kubelet registers the Node with labels, taints and address", async () => {
    await setClockAhead(-day);
    const joined = join({ token: await cluster.token(), timeoutSeconds: 120 });
    const result = await assertDone(joined, true, { alreadyJoined: false, wasReset: false });
    const moved = Number(result.facts["clockMovedSeconds"]);
    assert.ok(Math.abs(moved - day) < 60, `the clock was moved by ${moved} s`);
    await nodeReported();
    await assertNode();
  });

  it("leaves a machine alone that has joined this cluster", async () => {
    const again = join({ token: await cluster.token(), timeoutSeconds: 120 });
    await assertDone(again, false, { alreadyJoined: true });
  });

  // Certificates are valid for a year from then on, and whether a token has expired is the cluster's clock's business.
  it("joins again after Reset-Node, which kubeadm.exe reset is part of, also with a clock a day ahead", async () => {
    const reset = await assertDone(runStep(machine, "Reset-Node"), true, { wasJoined: true });
    assert.doesNotMatch(reset.stderr, /could not reset the node/);
    await cluster.deleteNode("win-1");
    await prepare();
    await setClockAhead(day);
    await assertDone(joinUntold(), true, { wasReset: false, clockMovedSeconds: 0 });
    await nodeReported();
    await assertNode();
  });
});
