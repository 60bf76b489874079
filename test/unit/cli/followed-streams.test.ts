import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";

import { beginUpLog } from "../../../cli/engine/up-log.ts";
import { chooseStreams, followAll, type LogStream } from "../../../cli/logs/follow/log-stream.ts";
import { machineStream } from "../../../cli/logs/follow/machine-stream.ts";
import {
  journalArguments,
  journalStream,
  staticPodArguments,
  staticPodsStream,
} from "../../../cli/logs/follow/process-streams.ts";
import { stepsStream } from "../../../cli/logs/follow/followed-files.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import {
  type RehearsedMachine,
  startRehearsedMachine,
} from "../../rehearsed-machine/in-process.ts";
import type { SshSource } from "../../../host/ssh/run-over-ssh.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";
import { adminKey, loginOf } from "../rehearsal/machine/ssh-client.ts";

/** Streams that are followed, and what is reported about them. */
class Following {
  readonly lines: string[] = [];
  readonly said: string[] = [];
  readonly end = new AbortController();
  readonly ending: Promise<void>;

  constructor(stream: LogStream, tail: number, waitSeconds = 600) {
    this.ending = followAll({
      streams: [stream],
      tail,
      pollSeconds: 0.02,
      pauseSeconds: 0.02,
      waitSeconds,
      signal: this.end.signal,
      out: (line) => this.lines.push(line),
      say: (line) => this.said.push(line),
    });
  }

  until(what: string, holds: () => boolean): Promise<void> {
    return waitUntil({ what, timeoutSeconds: 300, pollMilliseconds: 10 }, () =>
      Promise.resolve(holds() ? undefined : JSON.stringify([this.lines, this.said])),
    );
  }

  /** Waits for so many lines. */
  untilLines(count: number): Promise<void> {
    return this.until(`line ${count}`, () => this.lines.length >= count);
  }

  stop(): Promise<void> {
    this.end.abort();
    return this.ending;
  }
}

const kubelet = "C:\\var\\log\\kubelet\\kubelet.log";

describe("following a machine's logs", () => {
  let machine: RehearsedMachine;
  let following: Following | undefined;
  const follow = (change: Partial<SshSource> = {}, waitSeconds?: number): Following => {
    const stream = machineStream("win-1", { ...loginOf(machine), ...change });
    following = new Following(stream, 2, waitSeconds);
    return following;
  };
  const append = async (path: string, text: string): Promise<void> => {
    const { drive } = machine.windows;
    const before = (await drive.read(path))?.toString() ?? "";
    await drive.write(path, before + text);
  };

  beforeEach(async () => {
    machine = await startRehearsedMachine({ hostName: "win-1", authorizedKeys: [adminKey.public] });
  });
  afterEach(async () => {
    await following?.stop();
    await machine.stop();
  });

  it("shows the last lines, new ones and new files, without secrets", async () => {
    await append(kubelet, "one\ntwo\nthree\n");
    const log = follow();
    await log.untilLines(2);
    assert.deepEqual(log.lines, ["[win-1/kubelet] two", "[win-1/kubelet] three"]);
    await log.until("what is missing", () => log.said.length === 1);
    assert.deepEqual(log.said, ["[win-1/containerd] has no log yet; waiting for it"]);

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
    await machine.programs.reboot(0);
    const isLost = (text: string): boolean => text.includes("does not answer");
    await log.until("that it is lost", () => log.said.some(isLost));
    await machine.up();
    await append(kubelet, "after\n");
    await log.until("what came later", () => log.lines.includes("[win-1/kubelet] after"));
    assert.equal(machine.boots, 2);
    assert.equal(log.lines.filter((line) => line === "[win-1/kubelet] before").length, 1);
    const said = log.said.join("\n");
    assert.match(said, /\[win-1\] does not answer \(.+\); waiting for up to 600 s/);
    assert.ok(log.said.includes("[win-1] answers again"));
  });

  const givenUp: Readonly<Record<string, readonly [Partial<SshSource>, number, RegExp]>> = {
    "stays away": [{ port: 1 }, 0.1, /given up after 0.1 s without an answer; .*ECONNREFUSED/],
    "has another host key": [{ hostKey: adminKey.public }, 3600, /another host key/],
    "does not know the key": [{ user: "nobody" }, 3600, /refuses the lab's key/],
  };
  eachCase("is given up where the machine %s", givenUp, async ([change, waitSeconds, message]) => {
    const log = follow(change, waitSeconds);
    await log.ending;
    assert.match(log.said.join("\n"), message);
  });

  it("leaves no connection behind when it is asked to end", async () => {
    await append(kubelet, "one\n");
    const log = follow();
    await log.untilLines(1);
    await log.stop();
    await append(kubelet, "two\n");
    await sleep(100);
    assert.deepEqual(log.lines, ["[win-1/kubelet] one"]);
  });
});

describe("following programs that follow logs", () => {
  let folder: string;
  const searchPath = process.env["PATH"];

  const program = async (name: string, script: string): Promise<string> => {
    const file = path.join(folder, name);
    const text = `#!/bin/sh\necho "$*" >> "${folder}/calls"\n${script}\n`;
    await writeFile(file, text, { mode: 0o755 });
    return file;
  };
  const calls = async (): Promise<readonly string[]> =>
    (await readFile(path.join(folder, "calls"), "utf8")).trimEnd().split("\n");

  beforeEach(() => {
    folder = newFolder();
    process.env["PATH"] = `${folder}:${searchPath ?? ""}`;
  });
  afterEach(() => (process.env["PATH"] = searchPath));

  it("shows a kind node's journal, and ends what runs in the container", async () => {
    await program(
      "docker",
      `printf 'kubelet: token abcdef.01234'; sleep 0.1; printf '56789abcdef\\n'
       cat >/dev/null; echo closed >> "${folder}/calls"`,
    );
    const log = new Following(journalStream("control-plane", "kindows-a-control-plane"), 5);
    await log.untilLines(1);
    assert.deepEqual(log.lines, ["[control-plane/journal] kubelet: token [redacted]"]);
    await log.stop();
    const [started = ""] = await calls();
    assert.match(started, /^exec --interactive kindows-a-control-plane sh -c .*--lines=5/);
  });

  it("goes on from where it was when the container comes back", async () => {
    await program(
      "docker",
      `if [ -e "${folder}/again" ]; then echo second; exec sleep 3600; fi
       touch "${folder}/again"; echo first; echo 'container is not running' >&2; exit 1`,
    );
    const log = new Following(journalStream("worker-1", "kindows-a-worker-1"), 5);
    await log.untilLines(2);
    await log.stop();
    assert.deepEqual(log.lines, ["[worker-1/journal] first", "[worker-1/journal] second"]);
    assert.deepEqual(log.said, [
      "[worker-1] does not answer (container is not running); waiting for up to 600 s",
      "[worker-1] answers again",
    ]);
    assert.match((await calls())[1] ?? "", /--since=@\d{10} /);
  });

  it("shows the pods of a control plane by their names", async () => {
    const pod = "[pod/etcd-kindows-a-control-plane/etcd]";
    const printed = `printf '%s\\n' '${pod} one [two]' '${pod} ' 'no resources'`;
    const kubectl = await program("kubectl", `${printed}; exec sleep 3600`);
    const log = new Following(staticPodsStream("control-plane", kubectl, "/k", "kindows-a"), 5);
    await log.untilLines(3);
    await log.stop();
    assert.deepEqual(log.lines, [
      "[control-plane/etcd-control-plane] one [two]",
      "[control-plane/etcd-control-plane] ",
      "[control-plane/static pods] no resources",
    ]);
    assert.match((await calls())[0] ?? "", /--kubeconfig \/k .*logs .*--follow .*--tail=5/);
  });

  it("is given up where the program is not there", async () => {
    const stream = staticPodsStream("control-plane", path.join(folder, "gone"), "/k", "kindows-a");
    const log = new Following(stream, 5);
    await log.ending;
    assert.match(log.said.join("\n"), /given up: there is no .*gone on this host/);
  });

  it("ends the journal in the container when the standard input closes", async () => {
    // The shell's part, with a journal that is none.
    const [, , , , , script = ""] = journalArguments("c", { tail: 5 });
    await program("journalctl", `exec sleep 3600`);
    const journal = execa("sh", ["-c", script], { stdin: "pipe", reject: false });
    // On a busy machine the input would be at its end before the journal has begun.
    const options = { what: "the journal to begin", timeoutSeconds: 300, pollMilliseconds: 10 };
    const begun = path.join(folder, "calls");
    await waitUntil(options, () => Promise.resolve(existsSync(begun) ? undefined : "nothing"));
    journal.stdin.end();
    await journal;
    assert.match((await calls()).join("\n"), /--follow .*--lines=5 --unit=kubelet/);
  });

  it("asks kubectl for what came after a time", () => {
    const args = staticPodArguments("/k", new Date("2026-11-22T11:32:38.900Z"));
    assert.ok(args.includes("--since-time=2026-11-22T11:32:38Z") && args.includes("--tail=-1"));
  });
});

const time = new Date("2026-11-22T11:32:38.000Z");

describe("following the steps of `up`", () => {
  let file: string;
  beforeEach(() => (file = path.join(newFolder(), "stack", "up.log")));

  it("says that there was none, shows one that runs, and the next one", async () => {
    const log = new Following(stepsStream(file), 10);
    await log.until("that there is none", () => log.said.length === 1);
    const first = await beginUpLog(file, () => time);
    first.write("+ \u001b[32mcreating\u001b[0m win-1");
    first.write("");
    await log.untilLines(1);
    await first.close();
    const second = await beginUpLog(file, () => new Date(time.getTime() + 60_000));
    second.write("no change");
    await second.close();
    await log.untilLines(2);
    await log.stop();
    assert.deepEqual(log.lines, [
      "[steps] 2026-11-22T11:32:38.000Z + creating win-1",
      "[steps] 2026-11-22T11:33:38.000Z no change",
    ]);
    assert.deepEqual(log.said, [
      "[steps] no `up` of this clone has written anything; waiting for one",
      "[steps] a new `up` has begun",
    ]);
  });

  it("reads what only its owner may read, of the last `up` alone", async () => {
    for (const word of ["one", "two"]) {
      const log = await beginUpLog(file, () => time);
      log.write(word);
      await log.close();
    }
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.equal(await readFile(file, "utf8"), "2026-11-22T11:32:38.000Z two\n");
  });
});

describe("what is to be followed", () => {
  const stream = (name: string): LogStream => ({ name, follow: () => Promise.resolve() });
  const [plane, pods] = [stream("plane"), stream("pods")];
  const [win, steps] = [stream("win-1"), stream("steps")];
  const all = new Map([
    ["control-plane", [plane, pods]],
    ["win-1", [win]],
    ["steps", [steps]],
  ]);
  const cases: Readonly<Record<string, object>> = {
    "": { streams: [plane, pods, win, steps] },
    "steps win-1 steps": { streams: [steps, win] },
    "control-plane": { streams: [plane, pods] },
    "win-1 win-9 x": { unknown: ["win-9", "x"] },
  };
  eachCase('of "%s"', cases, (choice, line) =>
    assert.deepEqual(chooseStreams(all, line === "" ? [] : line.split(" ")), choice),
  );
});
