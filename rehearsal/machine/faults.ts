import * as z from "zod";
import type { Drive } from "./drive.ts";
import type { SavedState } from "./state.ts";

/** The program that unpacks the archive of the steps. Faults can name it like a script. */
export const unpacker = "tar.exe";

/** The name of a script without `.ps1`, or `unpacker`. */
const step = z.string().regex(/^[A-Z][a-z]+-[A-Z]\w+$|^tar\.exe$/, {
  error: `expected the name of a script, e.g. Join-Node, or ${unpacker}`,
});
/**
 * When in a step the fault strikes. "start": before the step does anything. "middle": halfway through. "end": after the
 * step's work, before its result is written. A number: before the first, second, ... change to the machine.
 */
const at = z
  .union([z.enum(["start", "middle", "end"]), z.int().min(1)], {
    error: 'expected "start"|"middle"|"end" or the number of a change',
  })
  .default("middle");
/** How often the fault strikes on this machine, across reboots. */
const times = z.int().min(1).default(1);

const faultSchema = z.discriminatedUnion("kind", [
  /** The connection breaks; the step goes on, as it does on Windows. */
  z.strictObject({ kind: z.literal("dropConnection"), step, at, times }),
  /** The connection breaks after `characters` of the line with the step's result, by default half of it, are written. */
  z.strictObject({
    kind: z.literal("cutResult"),
    step,
    characters: z.int().min(0).optional(),
    times,
  }),
  /** The machine is reset: connections and processes are gone, files stay as they are. */
  z.strictObject({ kind: z.literal("reboot"), step, at, times }),
  /** The step fails with this error code, one of the scripts' own. */
  z.strictObject({
    kind: z.literal("fail"),
    step,
    at,
    times,
    code: z.string().default("Unexpected"),
    message: z.string().default("a fault was asked for"),
  }),
  /** The drive is full from this point to the end of the step. */
  z.strictObject({ kind: z.literal("diskFull"), step, at, times }),
  /** The clock is set forward by `hours`, or back if the number is negative. */
  z.strictObject({ kind: z.literal("clockOff"), step, at, times, hours: z.number() }),
  /** The machine loses its address to HNS for `seconds`: connections break and none can be made. The step continues. */
  z.strictObject({
    kind: z.literal("loseAddress"),
    step,
    at,
    times,
    seconds: z.number().positive().default(20),
  }),
  /**
   * After `afterBytes` of files were copied to the machine, the connection breaks, the drive is full, the power fails, or
   * the address is lost for 20 s.
   */
  z.strictObject({
    kind: z.literal("cutTransfer"),
    afterBytes: z.int().min(0),
    by: z.enum(["connection", "disk", "power", "address"]).default("connection"),
    times,
  }),
  /** A step, or every step if none is named, takes `factor` times as long. */
  z.strictObject({ kind: z.literal("slow"), step: step.optional(), factor: z.number().min(1) }),
  /** After each boot, port 22 stays closed for `seconds`. */
  z.strictObject({ kind: z.literal("refuseDials"), seconds: z.number().positive() }),
  /** When HNS puts a switch on the adapter, the machine's address does not come back until a reboot. */
  z.strictObject({ kind: z.literal("addressLost"), times }),
  /** A reboot leaves the feature Containers pending. */
  z.strictObject({ kind: z.literal("staleFeature"), times }),
]);

const faultsSchema = z.array(faultSchema);

export type Fault = z.infer<typeof faultSchema>;
/** A fault as written by a test or a person, without defaults. */
export type FaultSetting = z.input<typeof faultSchema>;
export type FaultPoint = z.infer<typeof at>;

/** A file with a JSON array of faults, e.g. uploaded by SFTP. It is read before each step and at each boot. */
export const faultsPath = "C:\\rehearsal\\faults.json";

export function checkedFaults(value: unknown, source: string): Fault[] {
  const result = faultsSchema.safeParse(value);
  if (!result.success) throw new Error(`${source}: ${z.prettifyError(result.error)}`);
  return result.data;
}

/** The faults given to the constructor and those in `faultsPath`, and how often each has struck. */
export class Faults {
  readonly #given: readonly Fault[];

  constructor(
    private readonly machine: SavedState & { readonly drive: Drive },
    given: readonly FaultSetting[],
  ) {
    this.#given = checkedFaults(given, "faults");
  }

  async all(): Promise<Fault[]> {
    const text = await this.machine.drive.readText(faultsPath);
    // The file is empty while it is being uploaded.
    if (text === undefined || text === "") return [...this.#given];
    return [...this.#given, ...checkedFaults(JSON.parse(text), faultsPath)];
  }

  /** Takes a fault of this kind. Returns whether there was one left. */
  async strikes(kind: "addressLost" | "staleFeature"): Promise<boolean> {
    for (const fault of await this.all()) {
      if (fault.kind === kind && (await this.take(fault))) return true;
    }
    return false;
  }

  /** Counts a fault as played. Returns false if it was already played as often as its `times` says. */
  async take(fault: Fault & { readonly times: number }): Promise<boolean> {
    const step = "step" in fault ? ` in ${fault.step}` : "";
    const key = `${fault.kind}${step}${"at" in fault ? ` at ${fault.at}` : ""}`;
    const { faultsPlayed } = this.machine.state;
    const played = faultsPlayed[key] ?? 0;
    if (played >= fault.times) return false;
    faultsPlayed[key] = played + 1;
    await this.machine.save();
    return true;
  }
}
