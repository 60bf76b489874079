import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";

import { kindNodes } from "../../../../../cli/host-resources/containers.ts";
import {
  journalArguments,
  journalStream,
  podLine,
  staticPodArguments,
  staticPodsStream,
} from "../../../../../cli/logs/follow/process-streams.ts";
import { waitUntil } from "../../../../../host/wait-until.ts";
import { newFolder } from "../../../new-folder.ts";
import { recordedHost } from "../../host-resources/recorded-host.ts";
import { Following } from "./following.ts";

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
    assert.deepEqual(await log.stop(), ["ended"]);
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
      "[worker-1] does not answer (container is not running); waits for it, for up to 600 s",
      "[worker-1] answers again",
    ]);
    assert.match((await calls())[1] ?? "", /--since=@\d{10} /);
  });

  it("shows the pods of a control plane by their names", async () => {
    const script = `echo '[pod/etcd-kindows-a-control-plane/etcd] ready'; exec sleep 3600`;
    const kubectl = await program("kubectl", script);
    const log = new Following(staticPodsStream("control-plane", kubectl, "/k", "kindows-a"), 5);
    await log.untilLines(1);
    await log.stop();
    assert.deepEqual(log.lines, ["[control-plane/etcd-control-plane] ready"]);
    assert.match((await calls())[0] ?? "", /--kubeconfig \/k .*logs .*--follow .*--tail=5/);
  });

  it("is given up where the program is not there", async () => {
    const stream = staticPodsStream("control-plane", path.join(folder, "gone"), "/k", "kindows-a");
    const log = new Following(stream, 5);
    assert.deepEqual(await log.ending, ["given up"]);
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

  for (const [line, pod, text] of [
    ["[pod/etcd-a/etcd] one [two]", "etcd-a", "one [two]"],
    ["[pod/etcd-a/etcd] ", "etcd-a", ""],
    ["no resources", "static pods", "no resources"],
  ] as const) {
    it(`reads ${line}`, () => assert.deepEqual(podLine(line), { pod, text }));
  }

  it("knows the Linux nodes of a lab", async () => {
    const listed =
      "kindows-a-worker-1 exited kindows-a worker\n" +
      "kindows-a-external-load-balancer running kindows-a external-load-balancer\n" +
      "kindows-a-control-plane running kindows-a control-plane\n";
    const nodes = await kindNodes(recordedHost({}, listed), "kindows-a");
    assert.deepEqual(
      nodes.map(({ name, role }) => [name, role]),
      [
        ["kindows-a-control-plane", "control-plane"],
        ["kindows-a-worker-1", "worker"],
      ],
    );
  });
});
