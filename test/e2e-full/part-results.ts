import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { table } from "../../cli/table.ts";
import { formatSeconds } from "../../toolchain/duration.ts";
import { parseJson } from "../../toolchain/parse-json.ts";
import type { Part } from "./parts.ts";

const resultSchema = z.object({
  result: z.enum(["passed", "failed", "interrupted"]),
  passed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  seconds: z.number(),
  /** When it ended. */
  ended: z.string(),
  /** For people: the commit, and whether files differed from it. */
  commit: z.string(),
  /** What decides whether it still holds: a hash of the sources. */
  sources: z.string(),
});

/** What became of a part. */
export type PartResult = z.infer<typeof resultSchema>;

/** What became of the parts, kept in a file for each as soon as it ends. */
export class PartResults {
  /** @param sources hash of the sources as they are now: what was found with others does not count. */
  constructor(
    readonly folder: string,
    private readonly sources: string,
  ) {}

  async of({ name }: Part): Promise<PartResult | undefined> {
    const text = await readFile(this.#file(name, "json"), "utf8").catch(() => "");
    const noted = resultSchema.safeParse(parseJson(text)).data;
    return noted?.sources === this.sources ? noted : undefined;
  }

  /** Whole or not at all, whenever this process is killed. */
  async note({ name }: Part, result: Omit<PartResult, "sources">): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const file = this.#file(name, "json");
    await writeFile(`${file}.new`, JSON.stringify({ ...result, sources: this.sources }));
    await rename(`${file}.new`, file);
  }

  async removeFiles(parts: readonly Part[]): Promise<void> {
    await Promise.all(parts.map(({ name }) => rm(this.#file(name, "json"), { force: true })));
  }

  logFile({ name }: Part): string {
    return this.#file(name, "log");
  }

  /** All parts in a table, and whether each has passed. */
  async summary(
    parts: readonly Part[],
  ): Promise<{ readonly text: string; readonly passed: boolean }> {
    const results = await Promise.all(parts.map((part) => this.of(part)));
    const rows = results.map((each, index) => {
      const name = parts[index]?.name ?? "";
      if (each === undefined) return [name, "not run"];
      const { result, passed, failed, skipped, seconds, commit } = each;
      const time = formatSeconds(seconds);
      return [name, result, `${passed}`, `${failed}`, `${skipped}`, time, commit];
    });
    return {
      text: table(["part", "result", "passed", "failed", "skipped", "time", "commit"], rows),
      passed: results.every((each) => each?.result === "passed"),
    };
  }

  #file(name: string, ending: string): string {
    return path.join(this.folder, `${name}.${ending}`);
  }
}
