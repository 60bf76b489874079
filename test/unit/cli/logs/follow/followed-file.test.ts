import assert from "node:assert/strict";

import {
  findLogs,
  FollowedFile,
  type LogFolder,
} from "../../../../../cli/logs/follow/followed-files.ts";
import { windowsLogs } from "../../../../../cli/logs/follow/machine-stream.ts";
import { eachCase } from "../../../each-case.ts";

/** Log files of a machine that is none. */
class FilesInMemory implements LogFolder {
  readonly files = new Map<string, Buffer>();
  /** Files that were opened, in order. */
  readonly opened: string[] = [];

  append(file: string, text: string): void {
    const before = this.files.get(file) ?? Buffer.alloc(0);
    this.files.set(file, Buffer.concat([before, Buffer.from(text)]));
  }

  rename(from: string, to: string): void {
    this.files.set(to, this.files.get(from) ?? Buffer.alloc(0));
    this.files.delete(from);
  }

  list(folder: string): Promise<readonly { name: string; isFolder: boolean }[]> {
    const names = new Map<string, boolean>();
    for (const file of this.files.keys()) {
      if (!file.startsWith(`${folder}/`)) continue;
      const [name = "", ...rest] = file.slice(folder.length + 1).split("/");
      names.set(name, rest.length > 0);
    }
    return Promise.resolve([...names].map(([name, isFolder]) => ({ name, isFolder })));
  }

  size(file: string): Promise<number | undefined> {
    return Promise.resolve(this.files.get(file)?.length);
  }

  read(file: string, offset: number, length: number): Promise<Buffer | undefined> {
    this.opened.push(file);
    return Promise.resolve(this.files.get(file)?.subarray(offset, offset + length));
  }
}

const path = "C:/var/log/kubelet/kubelet.log";
const renamed = "C:/var/log/kubelet/kubelet-20261122-113238.log";

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join("");

/** What happens to the file between two looks. */
type Event = (files: FilesInMemory) => void;
const gets =
  (text: string): Event =>
  (files) =>
    files.append(path, text);
const isRenamed: Event = (files) => files.rename(path, renamed);
const isRemoved: Event = (files) => files.files.delete(path);

/** Events before a look, and what that tells. */
type Turn = readonly [events: readonly Event[], lines: readonly string[], note?: string];
const goesOn = "was renamed; continues with the new one";
const anew = "was emptied or replaced";
const alone = "is about to be renamed, and is left alone; the rest comes after that";
const long = "x".repeat(60_000);

type Options = Partial<ConstructorParameters<typeof FollowedFile>[0]>;
const cases: Readonly<Record<string, readonly [Options, readonly Turn[]]>> = {
  "begins with the last lines, and goes on": [
    { tail: 2 },
    [
      [[gets(numbered(1, 9))], ["line 8", "line 9"]],
      [[], []],
      [[gets("line 10\n")], ["line 10"]],
    ],
  ],
  "begins with no line, and with a whole one then": [
    { tail: 0 },
    [
      [[gets("one\ntoken abcdef.0123")], []],
      [[gets("456789abcdef\n")], ["token [redacted]"]],
    ],
  ],
  "finds the last lines at the end of a large file": [
    { tail: 1 },
    [[[gets(`${"x".repeat(700_000)}\n${numbered(1, 3)}`)], ["line 3"]]],
  ],
  "shows all of one that was not there before": [
    {},
    [
      [[], []],
      [[gets(numbered(1, 2))], ["line 1", "line 2"]],
    ],
  ],
  "goes on after a rename, with what the old half got at last": [
    { tail: 0 },
    [
      [[gets(numbered(1, 20))], []],
      [[gets("last old\n"), isRenamed, gets("first new\n")], ["last old", "first new"], goesOn],
      [[gets("second\n")], ["second"]],
    ],
  ],
  "sees a rename also where the new one is larger already": [
    { tail: 0 },
    [
      [[gets("old 1\n")], []],
      [[isRenamed, gets("new 1\nnew 2\nnew 3\n")], ["new 1", "new 2", "new 3"], goesOn],
    ],
  ],
  "waits while it is renamed and not there": [
    { tail: 0 },
    [
      [[gets("old 1\n")], []],
      [[isRenamed], []],
      [[gets("new\n")], ["new"], goesOn],
    ],
  ],
  "goes on from the beginning of one that was emptied": [
    { tail: 0 },
    [
      [[gets(numbered(1, 20))], []],
      [[isRemoved, gets("anew\n")], ["anew"], anew],
    ],
  ],
  "gives out an unfinished line before the new file's": [
    { tail: 0 },
    [
      [[gets("one\n")], []],
      [[gets("unfini")], []],
      [[isRemoved, gets("new\n")], ["unfini", "new"], anew],
    ],
  ],
  "leaves one alone that its writer is about to rename": [
    { tail: 0, renamedAt: 300_000 },
    [
      [[gets("start\n")], []],
      [[gets(`${long}\n`)], [], alone],
      [[gets("more\n")], []],
      [[isRenamed, gets("new\n")], [long, "more", "new"], goesOn],
    ],
  ],
};

describe("a log file that is followed", () => {
  eachCase("%s", cases, async ([options, turns]) => {
    const files = new FilesInMemory();
    const followed = new FollowedFile({ path, form: "plain", ...options });
    for (const [at, [events, lines, note]] of turns.entries()) {
      events.forEach((happens) => happens(files));
      const news = await followed.look(files);
      assert.deepEqual(news.lines, lines, `look ${at + 1}`);
      assert.deepEqual(news.notes, note === undefined ? [] : [note], `look ${at + 1}`);
    }
  });

  it("is not opened while nothing has come, nor while it is about to be renamed", async () => {
    const files = new FilesInMemory();
    const followed = new FollowedFile({ path, form: "plain", tail: 0, renamedAt: 300_000 });
    files.append(path, "start\n");
    await followed.look(files);
    files.opened.length = 0;
    await followed.look(files);
    files.append(path, long);
    await followed.look(files);
    assert.deepEqual(files.opened, []);
  });
});

const pods = "C:/var/log/pods";
const there: readonly string[] = [
  "C:/var/log/kubelet/kubelet.log",
  "C:/var/log/kubelet/kubelet-20261122-113238.log",
  "C:/var/log/containerd/containerd.log",
  "C:/var/log/calico/cni/cni.log",
  "C:/var/log/calico/cni/cni-2026-11-22T11-32-38.123.log",
  `${pods}/kube-system_kube-proxy-windows-x7k2p_1234/kube-proxy/0.log`,
  `${pods}/kube-system_kube-proxy-windows-x7k2p_1234/kube-proxy/0.log.20261122-113238`,
  `${pods}/calico-system_calico-node-windows-abcde_1234/felix/3.log`,
  `${pods}/default_app_1234/app/0.log`,
];
const labels: readonly string[] = ["kubelet", "containerd", "calico/cni", "kube-proxy", "felix"];

describe("log files of a Windows node", () => {
  it("are found by their patterns, without their old halves and other pods", async () => {
    const files = new FilesInMemory();
    for (const file of there) files.append(file, "x\n");
    const found: string[] = [];
    for (const { path: pattern, label } of windowsLogs) {
      for (const file of await findLogs(files, pattern)) found.push(label(file));
    }
    assert.deepEqual(found, labels);
  });

  it("are none on an empty machine", async () => {
    for (const { path: pattern } of windowsLogs) {
      assert.deepEqual(await findLogs(new FilesInMemory(), pattern), []);
    }
  });

  it("are found whatever the case of a letter, and dots mean dots", async () => {
    const files = new FilesInMemory();
    files.append("C:/logs/One.LOG", "");
    files.append("C:/logs/oneXlog", "");
    assert.deepEqual(await findLogs(files, "C:/logs/*.log"), ["C:/logs/One.LOG"]);
  });
});
