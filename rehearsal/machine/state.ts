import * as z from "zod";
import { hnsSchema, noHnsObjects } from "../windows/hns/objects.ts";
import { hyperVSchema } from "../windows/hyper-v.ts";
import { registrySchema } from "../windows/registry.ts";
import type { Drive } from "./drive.ts";

const serviceSchema = z.strictObject({
  /** The service's command line, with Windows paths. */
  commandLine: z.string(),
  displayName: z.string(),
  description: z.string(),
  startType: z.enum(["auto", "manual", "disabled"]),
  dependsOn: z.array(z.string()),
  /** Whether it is restarted some seconds after it has ended by itself. */
  restarts: z.boolean(),
});

const firewallRuleSchema = z.strictObject({
  displayName: z.string(),
  protocol: z.enum(["TCP", "UDP"]),
  port: z.int(),
});

const routeSchema = z.strictObject({
  /** IPv4 range in CIDR form, e.g. `10.244.0.0/16`. */
  destination: z.string(),
  /** IPv4 address of the next router. */
  nextHop: z.string(),
});

const stateSchema = z.strictObject({
  /** Time of the boot during which this was written, ISO 8601. If the current one differs, the machine has rebooted. */
  bootTime: z.iso.datetime(),
  /** The name that it was given, from the next boot on. Default: the one on its identity disk. */
  computerName: z.string().optional(),
  /** Windows features by name; `InstallPending` becomes `Installed` at the next boot. */
  features: z.strictObject({
    Containers: z.enum(["Available", "InstallPending", "Installed"]),
  }),
  services: z.record(z.string(), serviceSchema),
  firewallRules: z.record(z.string(), firewallRuleSchema),
  registry: registrySchema,
  /** Folders and programs that Microsoft Defender does not scan. */
  defenderExclusions: z.array(z.string()),
  /** What HNS has. Windows' own network "nat" is not modelled. */
  hns: hnsSchema,
  /** Persistent routes, in the order of their creation. */
  routes: z.array(routeSchema),
  /** DNS rules (NRPT), in the order of their creation. */
  dnsRules: z.array(
    z.strictObject({
      name: z.string(),
      namespace: z.string(),
      servers: z.array(z.string()),
      comment: z.string(),
    }),
  ),
  /** Default: Hyper-V is not installed. */
  hyperV: hyperVSchema.optional(),
  /** How often each fault was played, so that a reboot does not play it again. */
  faultsPlayed: z.record(z.string(), z.int()),
});

/** The state of the model of Windows that survives reboots. */
export type MachineState = z.infer<typeof stateSchema>;

export type Service = z.infer<typeof serviceSchema>;

export type FirewallRules = MachineState["firewallRules"];

export type Route = z.infer<typeof routeSchema>;

/** The state in memory, and what keeps its changes. */
export interface SavedState {
  readonly state: MachineState;
  readonly save: () => Promise<void>;
}

export const statePath = "C:\\rehearsal\\state.json";

/** Loads the state from the drive, or creates that of a freshly imaged machine. @throws if the file is damaged. */
export async function loadState(drive: Drive, bootTime: Date): Promise<MachineState> {
  const text = await drive.readText(statePath);
  if (text === undefined) {
    return {
      bootTime: bootTime.toISOString(),
      features: { Containers: "Available" },
      services: {},
      // That of Windows' own OpenSSH server.
      firewallRules: {
        "OpenSSH-Server-In-TCP": {
          ...{ displayName: "OpenSSH SSH Server (sshd)", protocol: "TCP", port: 22 },
        },
      },
      registry: registrySchema.parse({}),
      defenderExclusions: [],
      hns: noHnsObjects(),
      routes: [],
      dnsRules: [],
      faultsPlayed: {},
    };
  }
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(
      `The rehearsed machine's ${statePath} can't be read: ${String(error)}. Delete it, or replace the machine.`,
      { cause: error },
    );
  }
}

/** Returns a function that writes the state to the drive if it has changed. Writes happen one at a time, in order. */
export function savingInOrder(
  drive: Drive,
  state: MachineState,
  beforeWrite: () => void,
): () => Promise<void> {
  let saving: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  let written = "";
  return () => {
    // A pending write that has not begun will include this change.
    next ??= saving = saving
      .catch(() => undefined)
      .then(async () => {
        next = undefined;
        const text = `${JSON.stringify(state, undefined, 2)}\n`;
        if (text === written) return;
        beforeWrite();
        await drive.writeRegardless(statePath, text);
        written = text;
      });
    return next;
  };
}
