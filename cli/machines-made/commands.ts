import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { exitCodes, Failure, messageOf } from "../../host/failure.ts";
import { watchInterruption } from "../../host/interruption.ts";
import type { ConsoleOptions } from "../commands/console.ts";
import type { DoctorOptions } from "../commands/doctor.ts";
import type { StatusOptions } from "../commands/status.ts";
import { openViewer } from "../console/screen.ts";
import { doctorText, isFine } from "../doctor/report.ts";
import { resourcesOf } from "../engine/deployment.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { asOnlyRun } from "../engine/run-lock.ts";
import { readState } from "../engine/states.ts";
import { say } from "../progress.ts";
import { examineMade, fixMade } from "./doctor.ts";
import type { MachinesMade } from "./machines-made.ts";
import { isWell, lookAtMade, madeText } from "./status.ts";

/** `kindows status`: the machines, where they run, and whether their nodes are Ready. */
export async function status(
  made: MachinesMade,
  { stack, json, watch }: StatusOptions,
): Promise<number> {
  if (watch) {
    throw new Failure(
      `--watch is for labs on this host: \`watch ./kindows status --stack ${stack}\``,
    );
  }
  const seen = await lookAtMade(made);
  const text = json ? JSON.stringify({ stack, ...seen }, undefined, 2) : madeText(seen);
  process.stdout.write(`${text}\n`);
  return isWell(seen) ? exitCodes.ok : exitCodes.failed;
}

/** `kindows doctor`: what is in the way in the cluster of the machines, gone, and left over. */
export async function doctor(
  made: MachinesMade,
  { stack, json, fix }: DoctorOptions,
): Promise<number> {
  if (fix) {
    await asOnlyRun(stack, () => fixMade(made, enginePulumi(stack), say));
  }
  const diagnosis = await examineMade(made, resourcesOf(await readState(stack)));
  const fine = isFine(diagnosis);
  const text = json ? JSON.stringify({ fine, ...diagnosis }, undefined, 2) : doctorText(diagnosis);
  process.stdout.write(`${text}\n`);
  return fine ? exitCodes.ok : exitCodes.failed;
}

/** Longest that a screen is shown, in milliseconds: as long as a timer can be set. */
const daysMilliseconds = 2 ** 31 - 1;

/** `kindows console`: a port of this host that leads to the screen of a node's machine, until ^C; or a picture of it. */
export async function showConsole(
  { machines }: MachinesMade,
  { node, open, screenshot }: ConsoleOptions,
): Promise<number> {
  try {
    if (screenshot !== undefined) {
      await writeFile(screenshot, await machines.screenshot(node));
      return exitCodes.ok;
    }
    const { signal } = watchInterruption();
    const { port } = await machines.screen(node, say);
    const url = `vnc://127.0.0.1:${port}`;
    process.stdout.write(`${url}\n`);
    if (open) {
      const tunnel = `ssh -N -L ${port}:127.0.0.1:${port} to this host`;
      const way = { url, tunnel, target: `127.0.0.1::${port}`, remoteHost: undefined };
      say(`${await openViewer(way, process.env)} shows the screen of ${node}`);
    }
    say("it leads there until ^C");
    await sleep(daysMilliseconds, undefined, { signal }).catch(() => undefined);
    return exitCodes.ok;
  } catch (error) {
    throw new Failure(`the screen of ${node} cannot be shown: ${messageOf(error)}`);
  }
}
