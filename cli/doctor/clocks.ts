import type { Finding } from "./finding.ts";

/** Seconds by which a clock may be off: below this nothing in Kubernetes minds, and Join-Node leaves it as it is. */
const toleranceSeconds = 30;

/** What a machine said when it was asked for its time. */
export type ClockReading =
  | {
      readonly node: string;
      /** Its time; to the second. */
      readonly time: Date;
      /** This host's, when it was asked and when it had answered. */
      readonly asked: Date;
      readonly answered: Date;
    }
  | { readonly node: string; readonly trouble: string };

/** What is wrong with the clocks of machines, against this host's, which is the control plane's as well. */
export function judgeClocks(
  readings: readonly ClockReading[],
  canJoin: (node: string) => boolean,
): readonly Finding[] {
  return readings.flatMap((reading): Finding[] => {
    const { node } = reading;
    if ("trouble" in reading) {
      return [
        {
          name: `machine ${node}`,
          seen: `it does not say how it is: ${reading.trouble}`,
          remedy: `look at its screen: kindows console ${node}`,
        },
      ];
    }
    const seconds = secondsOff(reading);
    if (Math.abs(seconds) <= toleranceSeconds) {
      return [];
    }
    return [
      {
        name: `clock of ${node}`,
        seen: `it is ${duration(Math.abs(seconds))} ${seconds > 0 ? "ahead of" : "behind"} this host's, which the control plane has too`,
        remedy: `set it, on the machine: w32tm /resync`,
        ...(canJoin(node) && { repair: { kind: "run-join", node } as const }),
      },
    ];
  });
}

/** How far a clock is ahead, at least: the time may have been taken anywhere between question and answer. */
export function secondsOff({
  time,
  asked,
  answered,
}: Extract<ClockReading, { time: Date }>): number {
  const [early, late] = [time.getTime() - answered.getTime(), time.getTime() - asked.getTime()];
  if (early <= 0 && late >= 0) {
    return 0;
  }
  return Math.round((early > 0 ? early : late) / 1000);
}

function duration(seconds: number): string {
  return seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : `${(seconds / 3600).toFixed(1)} h`;
}
