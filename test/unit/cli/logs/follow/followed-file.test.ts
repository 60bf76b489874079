import assert from "node:assert/strict";

import { FollowedFile } from "../../../../../cli/logs/follow/followed-file.ts";
import { FilesInMemory } from "./files-in-memory.ts";

const path = "C:/var/log/kubelet/kubelet.log";
const renamed = "C:/var/log/kubelet/kubelet-20261122-113238.log";

/** What happens to the file between two looks, and what the look after it tells. */
interface Turn {
  readonly does?: (files: FilesInMemory) => void;
  readonly lines: readonly string[];
  readonly note?: string;
}

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join("");

const cases: readonly {
  readonly name: string;
  readonly tail?: number;
  readonly renamedAt?: number;
  readonly turns: readonly Turn[];
}[] = [
  {
    name: "begins with the last lines, and goes on",
    tail: 2,
    turns: [
      { does: (files) => files.append(path, numbered(1, 9)), lines: ["line 8", "line 9"] },
      { lines: [] },
      { does: (files) => files.append(path, "line 10\n"), lines: ["line 10"] },
    ],
  },
  {
    name: "begins with no line, and with a whole one then",
    tail: 0,
    turns: [
      { does: (files) => files.append(path, "one\ntoken abcdef.0123"), lines: [] },
      { does: (files) => files.append(path, "456789abcdef\n"), lines: ["token [redacted]"] },
    ],
  },
  {
    name: "finds the last lines at the end of a large file",
    tail: 1,
    turns: [
      {
        does: (files) => files.append(path, `${"x".repeat(700_000)}\n${numbered(1, 3)}`),
        lines: ["line 3"],
      },
    ],
  },
  {
    name: "shows all of one that was not there before",
    turns: [
      { lines: [] },
      { does: (files) => files.append(path, numbered(1, 2)), lines: ["line 1", "line 2"] },
    ],
  },
  {
    name: "goes on after a rename, with what the old half got at last",
    tail: 0,
    turns: [
      { does: (files) => files.append(path, numbered(1, 20)), lines: [] },
      {
        does: (files) => {
          files.append(path, "last of the old\n");
          files.rename(path, renamed);
          files.append(path, "first of the new\n");
        },
        lines: ["last of the old", "first of the new"],
        note: "was renamed; goes on with the new one",
      },
      { does: (files) => files.append(path, "second\n"), lines: ["second"] },
    ],
  },
  {
    name: "sees a rename also where the new one is larger already",
    tail: 0,
    turns: [
      { does: (files) => files.append(path, "old 1\n"), lines: [] },
      {
        does: (files) => {
          files.rename(path, renamed);
          files.append(path, "new 1\nnew 2\nnew 3\n");
        },
        lines: ["new 1", "new 2", "new 3"],
        note: "was renamed; goes on with the new one",
      },
    ],
  },
  {
    name: "waits while it is renamed and not there",
    tail: 0,
    turns: [
      { does: (files) => files.append(path, "old 1\n"), lines: [] },
      { does: (files) => files.rename(path, renamed), lines: [] },
      {
        does: (files) => files.append(path, "new\n"),
        lines: ["new"],
        note: "was renamed; goes on with the new one",
      },
    ],
  },
  {
    name: "goes on from the beginning of one that was emptied",
    tail: 0,
    turns: [
      { does: (files) => files.append(path, numbered(1, 20)), lines: [] },
      {
        does: (files) => {
          files.files.delete(path);
          files.append(path, "anew\n");
        },
        lines: ["anew"],
        note: "was begun anew",
      },
    ],
  },
  {
    name: "gives out an unfinished line before the new file's",
    tail: 0,
    turns: [
      { does: (files) => files.append(path, "one\n"), lines: [] },
      { does: (files) => files.append(path, "unfini"), lines: [] },
      {
        does: (files) => {
          files.files.delete(path);
          files.append(path, "new\n");
        },
        lines: ["unfini", "new"],
        note: "was begun anew",
      },
    ],
  },
  {
    name: "leaves one alone that its writer is about to rename",
    tail: 0,
    renamedAt: 300_000,
    turns: [
      { does: (files) => files.append(path, "start\n"), lines: [] },
      {
        does: (files) => files.append(path, `${"x".repeat(60_000)}\n`),
        lines: [],
        note: "is about to be renamed, and is left alone; the rest comes after that",
      },
      { does: (files) => files.append(path, "more\n"), lines: [] },
      {
        does: (files) => {
          files.rename(path, renamed);
          files.append(path, "new\n");
        },
        lines: ["x".repeat(60_000), "more", "new"],
        note: "was renamed; goes on with the new one",
      },
    ],
  },
];

describe("a log file that is followed", () => {
  for (const { name, tail, renamedAt, turns } of cases) {
    it(name, async () => {
      const files = new FilesInMemory();
      const followed = new FollowedFile({
        path,
        form: "plain",
        ...(tail !== undefined && { tail }),
        ...(renamedAt !== undefined && { renamedAt }),
      });
      for (const [at, { does, lines, note }] of turns.entries()) {
        does?.(files);
        const news = await followed.look(files);
        assert.deepEqual(news.lines, lines, `look ${at + 1}`);
        assert.deepEqual(news.notes, note === undefined ? [] : [note], `look ${at + 1}`);
      }
    });
  }

  it("is not opened while nothing has come, nor while it is about to be renamed", async () => {
    const files = new FilesInMemory();
    const followed = new FollowedFile({ path, form: "plain", tail: 0, renamedAt: 300_000 });
    files.append(path, "start\n");
    await followed.look(files);
    files.opened.length = 0;
    await followed.look(files);
    files.append(path, "x".repeat(60_000));
    await followed.look(files);
    assert.deepEqual(files.opened, []);
  });
});
