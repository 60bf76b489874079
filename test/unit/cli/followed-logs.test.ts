import assert from "node:assert/strict";
import { mock } from "node:test";

import { findLogs, FollowedFile, type LogFolder } from "../../../cli/logs/follow/followed-files.ts";
import { type LogForm, LogLines } from "../../../cli/logs/follow/log-lines.ts";
import { SourceRefused, withRetries } from "../../../cli/logs/follow/log-stream.ts";
import { windowsLogs } from "../../../cli/logs/follow/machine-stream.ts";
import { eachCase } from "../each-case.ts";

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

  stat(file: string): Promise<{ size: number } | undefined> {
    const content = this.files.get(file);
    return Promise.resolve(content && { size: content.length });
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
const goesOn = "was rotated; continuing with the new one";
const replaced = "was emptied or replaced";
const alone = "is about to be rotated, and is not opened; the rest follows after that";
const long = "x".repeat(60_000);

type Options = Readonly<Record<"tail", number>> & { readonly renamedAt?: number };
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
  "goes on from the beginning of one that was emptied": [
    { tail: 0 },
    [
      [[gets(numbered(1, 20))], []],
      [[isRemoved, gets("later\n")], ["later"], replaced],
    ],
  ],
  "gives out an unfinished line before the new file's": [
    { tail: 0 },
    [
      [[gets("one\n")], []],
      [[gets("unfini")], []],
      [[isRemoved, gets("new\n")], ["unfini", "new"], replaced],
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
  eachCase("%s", cases, async ([{ tail, ...options }, turns]) => {
    const files = new FilesInMemory();
    const pattern = { path, form: "plain", label: String, ...options } as const;
    const followed = new FollowedFile(path, pattern, tail);
    for (const [at, [events, lines, note]] of turns.entries()) {
      events.forEach((happens) => happens(files));
      const news = await followed.poll(files);
      assert.deepEqual([news.lines, news.note], [lines, note], `look ${at + 1}`);
    }
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
});

const token = "abcdef.0123456789abcdef";
const body = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ";
const pem = `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n${body}==\n-----END OPENSSH PRIVATE KEY-----`;
const time = "2026-11-22T11:32:38.1234567Z";

function linesOf(parts: readonly Buffer[], form: LogForm = "plain"): readonly string[] {
  const log = new LogLines(form);
  return [...parts.flatMap((part) => log.push(part)), ...log.end()];
}

describe("lines of a log that comes in parts", () => {
  const cases: Readonly<Record<string, readonly [text: string, lines: string[], LogForm?]>> = {
    "plain lines": ["one\r\ntwo\n\nthree\n", ["one", "two", "", "three"]],
    "a line without an end": ["one\ntw", ["one", "tw"]],
    "letters of several bytes": ["größer 日本\n", ["größer 日本"]],
    "a token": [`join with ${token} now\n`, ["join with [redacted] now"]],
    "a token at the very end": [`join ${token}`, ["join [redacted]"]],
    "a token cut by a terminal's colours": [`abcdef.\u001b[31m0123456789abcdef\n`, ["[redacted]"]],
    "a private key": [`key ${pem} done\nnext\n`, ["key [redacted]", " done", "next"]],
    "a private key that is cut off": [
      `${pem.slice(0, 80)}\nI1122 goes on\n`,
      ["[redacted]", "I1122 goes on"],
    ],
    "a key in one line": [`${JSON.stringify({ pem })}\n`, ['{"pem":"[redacted]"}']],
    "a container's lines": [
      `${time} stdout F one\n${time} stderr F two\n`,
      ["one", "two"],
      "container",
    ],
    "a container's line in parts, a token on the border": [
      `${time} stdout P a abcdef.0123\n${time} stdout F 456789abcdef b\n`,
      ["a [redacted] b"],
      "container",
    ],
    "a container's private key": [
      pem.replaceAll(/^/gm, `${time} stdout F `) + `\n${time} stdout F next\n`,
      ["[redacted]", "next"],
      "container",
    ],
  };

  eachCase(
    "%s, in one part, in two, wherever they meet, and byte by byte",
    cases,
    ([text, lines, form]) => {
      const bytes = Buffer.from(text);
      for (let cut = 0; cut < bytes.length; cut++) {
        const parts = [bytes.subarray(0, cut), bytes.subarray(cut)];
        assert.deepEqual(linesOf(parts, form), lines, `cut at ${cut}`);
      }
      const single = [...bytes].map((byte) => Buffer.of(byte));
      assert.deepEqual(linesOf(single, form), lines);
    },
  );

  it("are cut where they are too long, and never within a word", () => {
    const longestLine = 64 * 1024;
    const start = "word ".repeat(longestLine / 5 - 2);
    const [line = "", next] = linesOf([Buffer.from(`${start}${token} ${token}\nnext\n`)]);
    assert.ok(line.length < longestLine + 100);
    assert.doesNotMatch(line, /abcdef|0123/);
    assert.match(line, /\[\d+ characters left out\]$/);
    assert.equal(next, "next");
  });
});

type Try = Error | "alive, then lost" | "done";

describe("waiting for a source of logs", () => {
  afterEach(() => mock.restoreAll());

  /** What each try comes to; the clock goes on by 100 s with each. */
  const cases: Readonly<Record<string, readonly [readonly Try[], reported: string[]]>> = {
    "one that ends by itself": [["done"], []],
    "one that comes back": [
      [new Error("no route\nmore"), "alive, then lost", "done"],
      [
        "does not answer (no route); waiting for up to 250 s",
        "answers again",
        "does not answer (lost); waiting for up to 250 s",
      ],
    ],
    "one that stays away": [
      ["a", "b", "c", "d", "never"].map((reason) => new Error(reason)),
      [
        "does not answer (a); waiting for up to 250 s",
        "given up after 250 s without an answer; last error: d",
      ],
    ],
    "one that refuses": [
      [new SourceRefused("it is another one"), new Error("never")],
      ["given up: it is another one"],
    ],
  };

  eachCase("%s", cases, async ([tries, reported]) => {
    const heard: string[] = [];
    let at = 0;
    let clock = 0;
    mock.method(performance, "now", () => clock);
    const { signal } = new AbortController();
    const policy = { waitSeconds: 250, pauseSeconds: 0, signal };
    const tell = (text: string): unknown => heard.push(text);
    await withRetries(policy, tell, (alive) => {
      const next = tries[at++];
      clock += 100_000;
      if (next === "done") return Promise.resolve();
      if (next !== "alive, then lost") return Promise.reject(next ?? new Error("too often"));
      alive();
      return Promise.reject(new Error("lost"));
    });
    assert.deepEqual(heard, reported);
  });

  it("ends at once when it is asked to, and says nothing of what broke then", async () => {
    const end = new AbortController();
    const heard: string[] = [];
    const policy = { waitSeconds: 3600, pauseSeconds: 3600, signal: end.signal };
    const tell = (text: string): void => {
      heard.push(text);
      setImmediate(() => end.abort());
    };
    await withRetries(policy, tell, () => Promise.reject(new Error("off")));
    assert.equal(heard.length, 1);
  });
});
