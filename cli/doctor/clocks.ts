import { textFact } from "../../components/node/step-result.ts";
import { testWindowsHost } from "../../components/windows/steps.ts";
import { firstLineOf } from "../../host/failure.ts";
import { scriptCommand, windowsOutput } from "../../host/ssh/windows-command.ts";
import type { NodeMachine } from "../lab/lab-state.ts";
import type { Finding } from "./finding.ts";
import { resultOf } from "./machine-result.ts";

const clockSeconds = 60;

/** Requirements of a machine that is already a node: lower than those for joining. */
const nodeRequirements = {
  MinimumBuild: 17763,
  MinimumRevision: 0,
  MinimumFreeDiskGiB: 1,
  MinimumMemoryMiB: 512,
  PodNetwork: "none",
} as const;

/** By how many seconds, at least, a machine's clock is ahead of this host's, or why that is unknown. */
export type ClockReading = { readonly node: string } & (
  { readonly seconds: number } | { readonly trouble: string }
);

/** Reads a machine's clock by running the step that checks machines. */
export async function askClock(machine: NodeMachine): Promise<ClockReading> {
  const { node } = machine;
  try {
    const parameters = { ComputerName: node, ...nodeRequirements };
    const command = scriptCommand(machine.checkFolder, testWindowsHost, parameters);
    const asked = new Date();
    const result = await resultOf(
      testWindowsHost.name,
      machine,
      windowsOutput(machine, command, clockSeconds),
    );
    const answered = new Date();
    const utc = textFact(result, "utc");
    const time = new Date(utc);
    return Number.isNaN(time.getTime())
      ? { node, trouble: `its clock says ${utc}` }
      : { node, seconds: secondsOff(time, asked, answered) };
  } catch (error) {
    return { node, trouble: firstLineOf(error) };
  }
}

/** By how many seconds, at least, a clock is ahead: it was read at some time between request and answer. */
export function secondsOff(time: Date, asked: Date, answered: Date): number {
  const [early, late] = [time.getTime() - answered.getTime(), time.getTime() - asked.getTime()];
  if (early <= 0 && late >= 0) return 0;
  return Math.round((early > 0 ? early : late) / 1000);
}

/** Seconds by which a clock may be off: Kubernetes tolerates less than this, and Join-Node leaves it alone. */
const toleranceSeconds = 30;

/** What is wrong with machines' clocks compared with this host's, which the control plane uses too. */
export function checkClocks(
  readings: readonly ClockReading[],
  canJoin: (node: string) => boolean,
): readonly Finding[] {
  return readings.flatMap((reading): Finding[] => {
    const { node } = reading;
    if ("trouble" in reading) {
      const seen = `its clock cannot be read: ${reading.trouble}`;
      const remedy = `look at its screen: kindows console ${node}`;
      return [{ kind: "machine-silent", subject: node, seen, remedy }];
    }
    const off = Math.abs(reading.seconds);
    const side = reading.seconds > 0 ? "ahead of" : "behind";
    if (off <= toleranceSeconds) return [];
    return [
      {
        kind: "clock-wrong",
        subject: node,
        seen: `it is ${duration(off)} ${side} this host's, which the control plane uses too`,
        remedy: `set it, on the machine: w32tm /resync`,
        ...(canJoin(node) && { repair: { kind: "run-join", node } }),
      },
    ];
  });
}

function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
