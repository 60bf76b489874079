import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { followAll } from "../../../../../cli/logs/follow/follow-all.ts";
import { journalArguments, journalStream } from "../../../../../cli/logs/follow/journal-stream.ts";
import { kindNodes } from "../../../../../cli/logs/follow/kind-nodes.ts";
import type { Ending } from "../../../../../cli/logs/follow/patience.ts";
import type { LogStream } from "../../../../../cli/logs/follow/source.ts";
import {
  podLine,
  staticPodArguments,
  staticPodsStream,
} from "../../../../../cli/logs/follow/static-pods-stream.ts";
import { waitUntil } from "../../../../../toolchain/wait-until.ts";

describe("following programs that follow logs", () => {
  let folder: string;
  let end: AbortController;
  let lines: string[];
  let said: string[];
  const searchPath = process.env["PATH"];

  const program = async (name: string, script: string): Promise<string> => {
    const file = path.join(folder, name);
    await writeFile(file, `#!/bin/sh\necho "$*" >> "${folder}/calls"\n${script}\n`);
    await chmod(file, 0o755);
    return file;
  };
  const calls = async (): Promise<readonly string[]> =>
    (await readFile(path.join(folder, "calls"), "utf8")).trimEnd().split("\n");
  const follow = (stream: LogStream, waitSeconds = 600): Promise<readonly Ending[]> =>
    followAll({
      streams: [stream],
      tail: 5,
      pauseSeconds: 0.02,
      waitSeconds,
      signal: end.signal,
      out: (line) => lines.push(line),
      say: (line) => said.push(line),
    });
  const until = (holds: () => boolean): Promise<void> =>
    waitUntil({ what: "it", timeoutSeconds: 300, pollMilliseconds: 10 }, () =>
      Promise.resolve(holds() ? undefined : JSON.stringify({ lines, said })),
    );

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "kindows-follow-"));
    process.env["PATH"] = `${folder}:${searchPath ?? ""}`;
    end = new AbortController();
    lines = [];
    said = [];
  });
  afterEach(async () => {
    process.env["PATH"] = searchPath;
    await rm(folder, { recursive: true });
  });

  it("shows a kind node's journal, and ends what runs in the container", async () => {
    await program(
      "docker",
      `printf 'kubelet: token abcdef.01234'; sleep 0.1; printf '56789abcdef\\n'
       cat >/dev/null; echo closed >> "${folder}/calls"`,
    );
    const ending = follow(journalStream("control-plane", "kindows-a-control-plane"));
    await until(() => lines.length === 1);
    assert.deepEqual(lines, ["[control-plane/journal] kubelet: token [redacted]"]);
    end.abort();
    assert.deepEqual(await ending, ["ended"]);
    const [started = ""] = await calls();
    assert.match(started, /^exec --interactive kindows-a-control-plane sh -c .*--lines=5/);
  });

  it("goes on from where it was when the container comes back", async () => {
    await program(
      "docker",
      `if [ -e "${folder}/again" ]; then echo second; exec sleep 3600; fi
       touch "${folder}/again"; echo first; echo 'container is not running' >&2; exit 1`,
    );
    const ending = follow(journalStream("worker-1", "kindows-a-worker-1"));
    await until(() => lines.length === 2);
    end.abort();
    await ending;
    assert.deepEqual(lines, ["[worker-1/journal] first", "[worker-1/journal] second"]);
    assert.deepEqual(said, [
      "[worker-1] does not answer (container is not running); waits for it, for up to 600 s",
      "[worker-1] answers again",
    ]);
    assert.match((await calls())[1] ?? "", /--since=@\d{10} /);
  });

  it("shows the pods of a control plane by their names", async () => {
    const kubectl = await program(
      "kubectl",
      `echo '[pod/etcd-kindows-a-control-plane/etcd] ready'; exec sleep 3600`,
    );
    const ending = follow(staticPodsStream("control-plane", kubectl, "/k", "kindows-a"));
    await until(() => lines.length === 1);
    end.abort();
    await ending;
    assert.deepEqual(lines, ["[control-plane/etcd-control-plane] ready"]);
    assert.match((await calls())[0] ?? "", /--kubeconfig \/k .*logs .*--follow .*--tail=5/);
  });

  it("is given up where the program is not there", async () => {
    const stream = staticPodsStream("control-plane", path.join(folder, "gone"), "/k", "kindows-a");
    assert.deepEqual(await follow(stream), ["given up"]);
    assert.match(said.join("\n"), /given up: there is no .*gone on this host/);
  });

  it("is given up where there is nothing for too long", async () => {
    await program("docker", "echo 'Error: No such container' >&2; exit 1");
    assert.deepEqual(await follow(journalStream("w", "kindows-a-w"), 0.05), ["given up"]);
    assert.match(said.at(-1) ?? "", /the last try: Error: No such container/);
  });

  it("ends the journal in the container when the standard input closes", async () => {
    // The shell's part, with a journal that is none.
    const [, , , , , script = ""] = journalArguments("c", { tail: 5 });
    await program("journalctl", `exec sleep 3600`);
    const { execa } = await import("execa");
    const journal = execa("sh", ["-c", script], { stdin: "pipe", reject: false });
    // On a busy machine the input would be at its end before the journal has begun.
    await until(() => existsSync(path.join(folder, "calls")));
    journal.stdin.end();
    await journal;
    assert.match((await calls()).join("\n"), /--follow .*--lines=5 --unit=kubelet/);
  });

  it("asks kubectl for what came after a time", () => {
    const args = staticPodArguments("/k", new Date("2026-11-22T11:32:38.900Z"));
    assert.ok(args.includes("--since-time=2026-11-22T11:32:38Z") && args.includes("--tail=-1"));
  });

  const podLines: readonly (readonly [string, { pod: string; text: string }])[] = [
    ["[pod/etcd-a/etcd] one [two]", { pod: "etcd-a", text: "one [two]" }],
    ["[pod/etcd-a/etcd] ", { pod: "etcd-a", text: "" }],
    ["no resources", { pod: "static pods", text: "no resources" }],
  ];
  for (const [line, expected] of podLines) {
    it(`reads ${line}`, () => assert.deepEqual(podLine(line), expected));
  }

  it("knows the Linux nodes of a lab", async () => {
    const run = (): Promise<string> =>
      Promise.resolve(
        "kindows-a-worker-1 worker\nkindows-a-external-load-balancer external-load-balancer\n" +
          "kindows-a-control-plane control-plane\n",
      );
    assert.deepEqual(await kindNodes({ libvirtUri: "", run }, "kindows-a"), [
      { name: "control-plane", container: "kindows-a-control-plane", role: "control-plane" },
      { name: "worker-1", container: "kindows-a-worker-1", role: "worker" },
    ]);
  });
});
