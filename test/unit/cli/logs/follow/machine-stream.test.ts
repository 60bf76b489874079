import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

import { machineStream } from "../../../../../cli/logs/follow/machine-stream.ts";
import type { SshSource } from "../../../../../ssh/run-over-ssh.ts";
import { startRehearsalHost } from "../../../../../rehearsal/host/in-process.ts";
import type { RehearsalHost } from "../../../../../rehearsal/host/in-process.ts";
import { eachCase } from "../../../each-case.ts";
import { adminKey, connect, run } from "../../../rehearsal-host/ssh-client.ts";
import { loginOf } from "../../rehearsal-machine.ts";
import { Following } from "./following.ts";

const kubelet = "C:\\var\\log\\kubelet\\kubelet.log";

describe("following a machine's logs", () => {
  let host: RehearsalHost;
  let following: Following | undefined;
  const follow = (change: Partial<SshSource> = {}, waitSeconds?: number): Following => {
    const stream = machineStream("win-1", { ...loginOf(host), ...change });
    following = new Following(stream, 2, waitSeconds);
    return following;
  };
  const append = async (path: string, text: string): Promise<void> => {
    const { drive } = host.windows;
    const before = (await drive.read(path))?.toString() ?? "";
    await drive.write(path, before + text);
  };

  beforeEach(async () => {
    host = await startRehearsalHost({ hostName: "win-1", authorizedKeys: [adminKey.public] });
  });
  afterEach(async () => {
    await following?.stop();
    await host.stop();
  });

  it("shows the last lines, new ones and new files, without secrets", async () => {
    await append(kubelet, "one\ntwo\nthree\n");
    const log = follow();
    await log.untilLines(2);
    assert.deepEqual(log.lines, ["[win-1/kubelet] two", "[win-1/kubelet] three"]);
    await log.until("what is missing", () => log.said.length === 1);
    assert.deepEqual(log.said, ["[win-1/containerd] has no log yet; waits for it"]);

    await append(kubelet, "token abcdef.012345");
    await sleep(100);
    await append(kubelet, "6789abcdef\n");
    await log.untilLines(3);
    assert.equal(log.lines[2], "[win-1/kubelet] token [redacted]");

    const pod = "C:\\var\\log\\pods\\kube-system_kube-proxy-windows-a_1\\kube-proxy\\0.log";
    await append(pod, "2026-11-22T11:32:38.1Z stderr F synced\n");
    await log.untilLines(4);
    assert.equal(log.lines[3], "[win-1/kube-proxy] synced");
  });

  it("survives a reboot: says that it waits, and goes on where it was", async () => {
    await append(kubelet, "before\n");
    const log = follow();
    await log.untilLines(1);
    const client = await connect(host);
    await run(client, "shutdown /r /t 0");
    client.end();
    const isLost = (text: string): boolean => text.includes("does not answer");
    await log.until("that it is lost", () => log.said.some(isLost));
    await host.up();
    await append(kubelet, "after\n");
    await log.until("what came later", () => log.lines.includes("[win-1/kubelet] after"));
    assert.equal(host.boots, 2);
    assert.equal(log.lines.filter((line) => line === "[win-1/kubelet] before").length, 1);
    const said = log.said.join("\n");
    assert.match(said, /\[win-1\] does not answer \(.+\); waits for it, for up to 600 s/);
    assert.ok(log.said.includes("[win-1] answers again"));
  });

  const givenUp: Readonly<Record<string, readonly [Partial<SshSource>, number, RegExp]>> = {
    "stays away": [{ port: 1 }, 0.1, /given up after 0.1 s without an answer; .*ECONNREFUSED/],
    "has another host key": [{ hostKey: adminKey.public }, 3600, /another host key/],
    "does not know the key": [{ user: "nobody" }, 3600, /does not take the lab's key/],
  };
  eachCase("is given up where the machine %s", givenUp, async ([change, waitSeconds, message]) => {
    const log = follow(change, waitSeconds);
    assert.deepEqual(await log.ending, ["given up"]);
    assert.match(log.said.join("\n"), message);
  });

  it("leaves no connection behind when it is told to end", async () => {
    await append(kubelet, "one\n");
    const log = follow();
    await log.untilLines(1);
    assert.deepEqual(await log.stop(), ["ended"]);
    await append(kubelet, "two\n");
    await sleep(100);
    assert.deepEqual(log.lines, ["[win-1/kubelet] one"]);
  });
});
