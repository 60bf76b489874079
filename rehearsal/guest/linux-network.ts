import { spawn } from "node:child_process";
import { once } from "node:events";
import type { LinuxPiece } from "../machine/programs.ts";

/** How a command's program takes many of them at once. */
const batches: Readonly<Record<string, readonly string[]>> = {
  ip: ["-batch", "-"],
  bridge: ["-batch", "-"],
  nft: ["-f", "-"],
};

interface Batch {
  readonly program: string;
  readonly args: readonly string[];
  readonly lines: string[];
}

/** Commands in their order, those of one program and namespace at once: each start costs much on an emulated CPU. */
export function batchesOf(commands: readonly string[]): readonly Batch[] {
  const found: Batch[] = [];
  for (const command of commands) {
    const [, program = "", namespace = "", line = ""] =
      /^(\w+) (-n \S+ )?(.*)$/s.exec(command) ?? [];
    const args = [
      ...namespace.split(" ").filter((word) => word !== ""),
      ...(batches[program] ?? []),
    ];
    const last = found.at(-1);
    if (last?.program === program && last.args.join() === args.join()) last.lines.push(line);
    else found.push({ program, args, lines: [line] });
  }
  return found;
}

async function runBatch({ program, args, lines }: Batch): Promise<void> {
  const child = spawn(program, args, { stdio: ["pipe", "ignore", "pipe"] });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  child.stdin.on("error", () => undefined);
  child.stdin.end(`${lines.join("\n")}\n`);
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${program}: ${complaint.trim()}, of:\n${lines.join("\n")}`);
}

/** The network of the machine's pods. */
export class LinuxNetwork {
  #made: readonly LinuxPiece[] = [];
  #isPrepared = false;
  #last: Promise<void> = Promise.resolve();

  /** @param prepare is called before the first piece is made. */
  constructor(private readonly prepare: () => Promise<void>) {}

  /** Makes what is not there and removes what is not wanted, one call after the other. */
  become(wanted: readonly LinuxPiece[]): Promise<void> {
    const done = this.#last.then(() => this.#change(wanted));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #change(wanted: readonly LinuxPiece[]): Promise<void> {
    const is = (piece: LinuxPiece) => (other: LinuxPiece) =>
      other.name === piece.name && other.make.join() === piece.make.join();
    const gone = this.#made.filter((piece) => !wanted.some(is(piece)));
    const missing = wanted.filter((piece) => !this.#made.some(is(piece)));
    if (gone.length + missing.length === 0) return;
    if (!this.#isPrepared) await this.prepare();
    this.#isPrepared = true;
    const commands = [
      ...[...gone].reverse().flatMap(({ remove }) => remove),
      ...missing.flatMap(({ make }) => make),
    ];
    this.#made = wanted;
    for (const batch of batchesOf(commands)) await runBatch(batch);
  }
}
