import * as z from "zod";
import type { WindowsHost } from "./windows-host.ts";

/** What unpacks the steps' archive: no script, but cut short like one. */
export const unpacker = "tar.exe";

/** A script by its file's name without `.ps1`, or what unpacks the scripts. */
const step = z.string().regex(/^[A-Z][a-z]+-[A-Z]\w+$|^tar\.exe$/, {
  error: `expected the name of a script, e.g. Join-Node, or ${unpacker}`,
});
/**
 * Before the step does anything, half way through, or when all is done but its result not yet written; as a number, before
 * the first, second, ... change that it makes to the machine.
 */
const at = z
  .union([z.enum(["start", "middle", "end"]), z.int().min(1)], {
    error: 'expected "start"|"middle"|"end" or the number of a change',
  })
  .default("middle");
/** How often the fault is played on this machine, reboots included; then things go well. */
const times = z.int().min(1).default(1);

const faultSchema = z.discriminatedUnion("kind", [
  /** The connection breaks; the step goes on, as it does on Windows. */
  z.strictObject({ kind: z.literal("dropConnection"), step, at, times }),
  /** The connection breaks when all is done and so many characters of the line with the result, else half, are written. */
  z.strictObject({
    kind: z.literal("cutResult"),
    step,
    characters: z.int().min(0).optional(),
    times,
  }),
  /** The machine is reset: connections and processes are gone, files stay as they are. */
  z.strictObject({ kind: z.literal("reboot"), step, at, times }),
  /** The step ends with an error of this kind, one that the scripts know. */
  z.strictObject({
    kind: z.literal("fail"),
    step,
    at,
    times,
    code: z.string().default("Unexpected"),
    message: z.string().default("a fault was asked for"),
  }),
  /** From here to the end of the step nothing more can be written to the drive. */
  z.strictObject({ kind: z.literal("diskFull"), step, at, times }),
  /** The clock is off by so many hours from here on; a negative number is behind. */
  z.strictObject({ kind: z.literal("clockOff"), step, at, times, hours: z.number() }),
  /** HNS takes the machine's address away: connections die, and for so long nobody can connect; the step goes on. */
  z.strictObject({
    kind: z.literal("loseAddress"),
    step,
    at,
    times,
    seconds: z.number().positive().default(20),
  }),
  /**
   * A file that is copied to the machine gets so far: then the connection breaks, the drive is full, the power goes, or
   * the address does for 20 s.
   */
  z.strictObject({
    kind: z.literal("cutTransfer"),
    afterBytes: z.int().min(0),
    by: z.enum(["connection", "disk", "power", "address"]).default("connection"),
    times,
  }),
  /** A step (or each) takes `factor` times as long. */
  z.strictObject({ kind: z.literal("slow"), step: step.optional(), factor: z.number().min(1) }),
  /** After each boot port 22 stays closed for so long. */
  z.strictObject({ kind: z.literal("refuseDials"), seconds: z.number().positive() }),
  /** The machine's address does not come back when HNS puts a switch on its adapter; a reboot fetches it. */
  z.strictObject({ kind: z.literal("addressLost"), times }),
  /** A reboot leaves the feature Containers pending. */
  z.strictObject({ kind: z.literal("staleFeature"), times }),
]);

const faultsSchema = z.array(faultSchema);

/** One way to misbehave. */
export type Fault = z.infer<typeof faultSchema>;
/** One way to misbehave, as a test or a person writes it. */
export type FaultSetting = z.input<typeof faultSchema>;
/** Where in a step a fault strikes. */
export type FaultPoint = z.infer<typeof at>;

/** A JSON array of faults, e.g. put there by SFTP; read before each step and at each boot. */
export const faultsPath = "C:\\rehearsal\\faults.json";

export function checkedFaults(value: unknown, source: string): Fault[] {
  const result = faultsSchema.safeParse(value);
  if (!result.success) throw new Error(`${source}: ${z.prettifyError(result.error)}`);
  return result.data;
}

/** The faults asked for by the host's maker and by the file on its drive, and how often each was played. */
export class Faults {
  readonly #given: readonly Fault[];

  constructor(
    private readonly machine: Pick<WindowsHost, "drive" | "state" | "save">,
    given: readonly FaultSetting[],
  ) {
    this.#given = checkedFaults(given, "faults");
  }

  async all(): Promise<Fault[]> {
    const text = await this.machine.drive.readText(faultsPath);
    // Empty while it is put there.
    if (text === undefined || text === "") return [...this.#given];
    return [...this.#given, ...checkedFaults(JSON.parse(text), faultsPath)];
  }

  /** Plays a fault of this kind if there is one that is not used up. */
  async strikes(kind: "addressLost" | "staleFeature"): Promise<boolean> {
    for (const fault of await this.all()) {
      if (fault.kind === kind && (await this.take(fault))) return true;
    }
    return false;
  }

  /** Counts a fault as played; false when it was played as often as it was asked for. */
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
