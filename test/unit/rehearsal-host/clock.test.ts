import assert from "node:assert/strict";
import { createServer } from "node:http";
import { RecordingCluster } from "../../../rehearsal/host/fake/fake-cluster.ts";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { serverTime } from "../../../rehearsal/host/server-time.ts";
import {
  goodArguments,
  joinInput,
  prepareThrough,
  runStep,
  startWithSteps,
} from "./step-runner.ts";
import { calicoBootTime } from "./machine-registry.ts";

const hour = 3600;
/** Seconds that the way from one look at a clock to the next may take on a busy host. */
const slack = 120;

class SilentCluster extends RecordingCluster {
  override serverTime(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

describe("A wrong clock, rehearsed", () => {
  let host: RehearsalHost;
  afterEach(() => host.stop());

  const prepare = async (offsetSeconds: number, cluster = new RecordingCluster()) => {
    host = await startWithSteps({ cluster });
    await prepareThrough(host, "Set-HostsEntry");
    host.programs.clockOffsetMilliseconds = offsetSeconds * 1000;
  };
  const join = (): ReturnType<typeof runStep> =>
    runStep(host, "Join-Node", goodArguments(host)["Join-Node"], joinInput);

  const cases: readonly (readonly [offsetSeconds: number, moved: number])[] = [
    [0, 0],
    [20, 0],
    [-20, 0],
    [-24 * hour, 24 * hour],
    [8 * hour, -8 * hour],
    [-90 * 365 * 24 * hour, 90 * 365 * 24 * hour],
  ];
  for (const [offset, moved] of cases) {
    it(`${offset} s ahead: moved by ${moved} s, and the node joins`, async () => {
      await prepare(offset);
      const result = await join();
      assert.equal(result.exitCode, 0, result.stderr);
      const actual = Number(result.facts["clockMovedSeconds"]);
      assert.ok(Math.abs(actual - moved) < slack, `moved by ${actual} s`);
      if (moved !== 0) assert.ok(Math.abs(host.programs.clockOffsetMilliseconds) < slack * 1000);
      const second = await join();
      assert.deepEqual([second.changed, second.facts["clockMovedSeconds"]], [false, 0]);
    });
  }

  it("is set on a node that has joined, too", async () => {
    await prepare(0);
    assert.equal((await join()).exitCode, 0);
    host.programs.clockOffsetMilliseconds = hour * 1000;
    const again = await join();
    assert.deepEqual([again.changed, again.facts["alreadyJoined"]], [true, true]);
    assert.ok(Math.abs(host.programs.clockOffsetMilliseconds) < slack * 1000);
  });

  for (const [isThisBoots, text] of [
    [true, "Calico is informed that the boot's time has moved with it"],
    [false, "Calico is not informed if its networks are an earlier boot's"],
  ] as const) {
    it(text, async () => {
      await prepare(-24 * hour);
      const reported = (): number => Date.parse(`${String(calicoBootTime(host.windows))} UTC`);
      await runStep(host, "Add-ExternalNetwork", goodArguments(host)["Add-ExternalNetwork"]);
      await host.windows.tasksEnded();
      if (!isThisBoots) {
        await host.programs.reboot(0);
        await host.up();
      }
      const before = reported();
      assert.equal((await join()).changed, true);
      const booted = Date.parse(host.windows.lastBootUpTime);
      assert.ok(booted - before > 23 * hour * 1000);
      assert.equal(reported(), isThisBoots ? booted : before);
    });
  }

  it("that nobody can set right ends in kubeadm's complaint and what to do", async () => {
    await prepare(-24 * hour, new SilentCluster());
    const result = await join();
    assert.equal(result.errorCode, "JoinFailed");
    assert.match(result.errorMessage, /x509: certificate has expired or is not yet valid/);
    assert.match(result.stderr, /does not tell its time/);
  });
});

describe("A server's time", () => {
  it("is not had from one that speaks no TLS, nor from none", async () => {
    const server = createServer((_, answer) => answer.end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    assert.equal(await serverTime("127.0.0.1", port, 600), undefined);
    await new Promise((resolve) => server.close(resolve));
    assert.equal(await serverTime("127.0.0.1", port, 600), undefined);
  });
});
