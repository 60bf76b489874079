import { readFile } from "node:fs/promises";

/** Waits until a probe has a result. @throws after 5 minutes */
export async function eventually<Result>(
  what: string,
  probe: () => Result | undefined | Promise<Result | undefined>,
): Promise<Result> {
  const end = Date.now() + 300_000;
  for (;;) {
    const result = await probe();
    if (result !== undefined) return result;
    if (Date.now() > end) throw new Error(`waited 5 min until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The pid that a command writes to a file. */
export function processIn(file: string): Promise<number> {
  return eventually(`a process is named in ${file}`, async () => {
    const text = await readFile(file, "utf8").catch(() => "");
    return text.endsWith("\n") ? Number(text) : undefined;
  });
}

/** Waits until no process has this pid. */
export async function processGone(pid: number): Promise<void> {
  await eventually(`process ${String(pid)} is gone`, () => {
    try {
      process.kill(pid, 0);
      return undefined;
    } catch {
      return true;
    }
  });
}
