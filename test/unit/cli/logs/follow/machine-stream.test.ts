import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

import { followAll } from "../../../../../cli/logs/follow/follow-all.ts";
import { machineStream } from "../../../../../cli/logs/follow/machine-stream.ts";
import type { Ending } from "../../../../../cli/logs/follow/patience.ts";
import type { SshSource } from "../../../../../components/machine/run-over-ssh.ts";
import { startRehearsalHost } from "../../../../../rehearsal/host/in-process.ts";
import type { RehearsalHost } from "../../../../../rehearsal/host/in-process.ts";
import { waitUntil } from "../../../../../toolchain/wait-until.ts";
import { adminKey, connect, run } from "../../../rehearsal-host/ssh-client.ts";

const kubelet = "C:\\var\\log\\kubelet\\kubelet.log";

describe("following a machine's logs", () => {
  let host: RehearsalHost;
  let source: SshSource;
  let end: AbortController;
  let lines: string[];
  let said: string[];
  let ending: Promise<readonly Ending[]>;

  const follow = (change: Partial<SshSource> = {}, waitSeconds = 600): void => {
    ending = followAll({
      streams: [machineStream("win-1", { ...source, ...change })],
      tail: 2,
      lookSeconds: 0.02,
      pauseSeconds: 0.02,
      waitSeconds,
      signal: end.signal,
      out: (line) => lines.push(line),
      say: (line) => said.push(line),
    });
  };
  const until = (what: string, holds: () => boolean): Promise<void> =>
    waitUntil({ what, timeoutSeconds: 300, pollMilliseconds: 10 }, () =>
      Promise.resolve(holds() ? undefined : JSON.stringify({ lines, said })),
    );
  const append = async (path: string, text: string): Promise<void> => {
    const { drive } = host.windows;
    const before = (await drive.read(path))?.toString() ?? "";
    await drive.write(path, before + text);
  };

  beforeEach(async () => {
    host = await startRehearsalHost({ hostName: "win-1", authorizedKeys: [adminKey.public] });
    source = {
      host: "127.0.0.1",
      port: host.port,
      user: "Administrator",
      privateKey: adminKey.private,
      hostKey: host.hostKey,
    };
    end = new AbortController();
    lines = [];
    said = [];
  });
  afterEach(async () => {
    end.abort();
    await ending;
    await host.stop();
  });

  it("shows the last lines, new ones and new files, without secrets", async () => {
    await append(kubelet, "one\ntwo\nthree\n");
    follow();
    await until("the end of the log", () => lines.length === 2);
    assert.deepEqual(lines, ["[win-1/kubelet] two", "[win-1/kubelet] three"]);
    await until("what is missing", () => said.length === 1);
    assert.deepEqual(said, ["[win-1/containerd] has no log yet; waits for it"]);

    await append(kubelet, "token abcdef.012345");
    await sleep(100);
    await append(kubelet, "6789abcdef\n");
    await until("the token's line", () => lines.length === 3);
    assert.equal(lines[2], "[win-1/kubelet] token [redacted]");

    const pod = "C:\\var\\log\\pods\\kube-system_kube-proxy-windows-a_1\\kube-proxy\\0.log";
    await append(pod, "2026-11-22T11:32:38.1Z stderr F synced\n");
    await until("the pod's line", () => lines.length === 4);
    assert.equal(lines[3], "[win-1/kube-proxy] synced");
  });

  it("survives a reboot: says that it waits, and goes on where it was", async () => {
    await append(kubelet, "before\n");
    follow();
    await until("the first line", () => lines.length === 1);
    const client = await connect(host);
    await run(client, "shutdown /r /t 0");
    client.end();
    await until("that it is lost", () => said.some((text) => text.includes("does not answer")));
    await host.up();
    await append(kubelet, "after\n");
    await until("the line after the reboot", () => lines.includes("[win-1/kubelet] after"));
    assert.equal(host.boots, 2);
    assert.equal(lines.filter((line) => line === "[win-1/kubelet] before").length, 1);
    assert.match(said.join("\n"), /\[win-1\] does not answer \(.+\); waits for it, for up to 600 s/);
    assert.ok(said.includes("[win-1] answers again"));
  });

  it("is given up where the machine stays away", async () => {
    follow({ port: 1 }, 0.1);
    assert.deepEqual(await ending, ["given up"]);
    assert.match(said.at(-1) ?? "", /given up after 0.1 s without an answer; .*ECONNREFUSED/);
  });

  const refused: readonly (readonly [string, Partial<SshSource>, RegExp])[] = [
    ["has another host key", { hostKey: adminKey.public }, /another host key/],
    ["does not know the key", { user: "nobody" }, /does not take the lab's key/],
  ];
  for (const [what, change, message] of refused) {
    it(`is given up at once where the machine ${what}`, async () => {
      follow(change, 3600);
      assert.deepEqual(await ending, ["given up"]);
      assert.match(said.join("\n"), message);
    });
  }

  it("leaves no connection behind when it is told to end", async () => {
    await append(kubelet, "one\n");
    follow();
    await until("the first line", () => lines.length === 1);
    end.abort();
    assert.deepEqual(await ending, ["ended"]);
    await append(kubelet, "two\n");
    await sleep(100);
    assert.deepEqual(lines, ["[win-1/kubelet] one"]);
  });
});
