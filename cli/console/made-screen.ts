import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure, messageOf } from "../../host/failure.ts";
import { watchInterruption } from "../../host/interruption.ts";
import type { Options } from "../command-line/options.ts";
import { openViewer } from "./screen.ts";
import { say } from "../progress.ts";
import { machinesMade } from "../lab/made-machines.ts";

/** Longest time that a screen is shown: the longest delay of a timer. */
const longestMilliseconds = 2 ** 31 - 1;

export interface ConsoleOptions extends Options<"open"> {
  readonly node: string;
  readonly screenshot?: string;
}

/** `kindows console`: forwards a local port to the screen of a node's machine until ^C, or takes a picture of it. */
export async function showConsole({
  stack,
  node,
  open,
  screenshot,
}: ConsoleOptions): Promise<void> {
  const { machines } = await machinesMade(stack);
  try {
    if (screenshot !== undefined) {
      await writeFile(screenshot, await machines.screenshot(node));
      return;
    }
    const { signal } = watchInterruption();
    const { port } = await machines.screen(node, say);
    const url = `vnc://127.0.0.1:${port}`;
    process.stdout.write(`${url}\n`);
    if (open) {
      const tunnel = `ssh -N -L ${port}:127.0.0.1:${port} to this host`;
      const access = { url, tunnel, target: `127.0.0.1::${port}`, remoteHost: undefined };
      say(`${await openViewer(access, process.env)} shows the screen of ${node}`);
    }
    say("this address works until ^C");
    await sleep(longestMilliseconds, undefined, { signal }).catch(() => undefined);
  } catch (error) {
    throw new Failure(`the screen of ${node} cannot be shown: ${messageOf(error)}`);
  }
}
