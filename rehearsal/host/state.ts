import * as z from "zod";
import { hyperVSchema } from "../windows/hyper-v.ts";
import { registrySchema } from "../windows/registry.ts";
import type { Drive } from "./drive.ts";

const serviceSchema = z.strictObject({
  /** Windows command line, as the service manager keeps it. */
  commandLine: z.string(),
  displayName: z.string(),
  description: z.string(),
  startType: z.enum(["auto", "manual", "disabled"]),
  dependsOn: z.array(z.string()),
  /** Whether it is started again some seconds after it has ended by itself. */
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
  /** IPv4 address of the neighbour that carries packets on. */
  nextHop: z.string(),
});

const hostNetworkSchema = z.strictObject({
  type: z.string(),
  addressPrefix: z.string(),
  endpoints: z.array(z.string()),
});

const stateSchema = z.strictObject({
  /** Boot during which this was written, ISO 8601: another one now means the machine has rebooted since. */
  bootTime: z.iso.datetime(),
  /** Windows features by name; `InstallPending` becomes `Installed` at the next boot. */
  features: z.strictObject({
    Containers: z.enum(["Available", "InstallPending", "Installed"]),
  }),
  services: z.record(z.string(), serviceSchema),
  firewallRules: z.record(z.string(), firewallRuleSchema),
  registry: registrySchema,
  /** Folders and programs that Microsoft Defender leaves alone. */
  defenderExclusions: z.array(z.string()),
  /** Networks in HNS by name, with the endpoints on each; Windows' own "nat" is not among them. */
  networks: z.record(z.string(), hostNetworkSchema),
  /** Persistent routes, in the order they were made. */
  routes: z.array(routeSchema),
  /** Rules about DNS (NRPT), in the order they were made. */
  dnsRules: z.array(
    z.strictObject({
      name: z.string(),
      namespace: z.string(),
      servers: z.array(z.string()),
      comment: z.string(),
    }),
  ),
  /** Default: it is not installed. */
  hyperV: hyperVSchema.optional(),
  /** Faults already played, by their name, so that a reboot does not play them again. */
  faultsPlayed: z.record(z.string(), z.int()),
});

/** What the model of Windows remembers across reboots. */
export type HostState = z.infer<typeof stateSchema>;

export type Service = z.infer<typeof serviceSchema>;

export type HostNetwork = z.infer<typeof hostNetworkSchema>;

export type Route = z.infer<typeof routeSchema>;

/** Where the state lies on drive C:. */
export const statePath = "C:\\rehearsal\\state.json";

/** The state on the drive, or that of a machine fresh from its image; a damaged file is an error naming it. */
export async function loadState(drive: Drive, bootTime: Date): Promise<HostState> {
  const text = await drive.readText(statePath);
  if (text === undefined) {
    return {
      bootTime: bootTime.toISOString(),
      features: { Containers: "Available" },
      services: {},
      firewallRules: {},
      registry: registrySchema.parse({}),
      defenderExclusions: [],
      networks: {},
      routes: [],
      dnsRules: [],
      faultsPlayed: {},
    };
  }
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(
      `The rehearsal host's ${statePath} can't be read: ${String(error)}. Delete it, or replace the machine.`,
      { cause: error },
    );
  }
}

/** Writes the state to the drive where it has changed since, whenever it is called; one write at a time, in order. */
export function savingInOrder(
  drive: Drive,
  state: HostState,
  beforeWrite: () => void,
): () => Promise<void> {
  let saving: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  let written = "";
  return () => {
    // One that has not begun yet writes this change too.
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
