import type { MachineTime } from "../../../rehearsal/host/machine-time.ts";

/** A wait of a machine that ends when a test says so. */
export interface HeldWait {
  readonly begun: Promise<void>;
  readonly end: () => void;
}

/** Holds the machine's next wait of so many seconds; others are as they were. */
export function holdWait(time: MachineTime, seconds: number): HeldWait {
  const sleep = time.sleep.bind(time);
  const held = new AbortController();
  const begun = new Promise<void>((resolve) => {
    time.sleep = async (milliseconds, cancelled) => {
      if (milliseconds !== seconds * 1000) return sleep(milliseconds, cancelled);
      resolve();
      await sleep(Infinity, AbortSignal.any([held.signal, ...(cancelled ? [cancelled] : [])]));
    };
  });
  const end = (): void => {
    held.abort();
  };
  return { begun, end };
}
