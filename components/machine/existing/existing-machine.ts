import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import type { Facts } from "../../facts.ts";
import { hostAction } from "../../host-action/host-action.ts";
import type { environment } from "../actions/claim-machine.ts";
import type { PinnedEndpoint } from "../../../ssh/endpoint.ts";
import { fingerprint } from "../../../ssh/host-key.ts";
import { MachineComponent, type SshConnection } from "../machine.ts";
import type { AccessKeys, MachineParameter, Place } from "./machine-parameter.ts";

/** One SSH server: the machine's own, or a bastion's. */
export type SshAccess = Pick<
  PinnedEndpoint,
  "host" | "port" | "user" | "privateKey" | "privateKeyPassword" | "hostKey"
>;

/** How the last of several bastions is reached by what knows only one. */
export interface BastionForwarding {
  /** On 127.0.0.1 of this host; somebody else sees to it that it leads there while the program runs. */
  readonly port: number;
  /** Bastions before the last, in their order. */
  readonly through: readonly [SshAccess, ...SshAccess[]];
}

/** The hosts in between, by which a machine is reached. */
export interface ByBastions {
  /** Host from which it is dialled, if not from here. */
  readonly bastion?: SshAccess | undefined;
  /** How that one is reached, where it is behind others itself. */
  readonly forward?: BastionForwarding | undefined;
}

export interface ExistingMachineArgs extends ByBastions {
  /** Its computer name. */
  readonly computerName: string;
  readonly os: "windows" | "linux";
  /** IPv4 address, as other nodes reach it. */
  readonly address: string;
  /** Undefined in a preview that reads no keys. */
  readonly access: pulumi.Input<SshAccess> | undefined;
  /** Its pinned host key; another one is another machine. */
  readonly hostKey: pulumi.Input<string>;
  /** How it is made what it was before. */
  readonly reset: Omit<MachineParameter, "name" | "place" | "bastion" | "through">;
}

/** Of one TCP connection, in seconds: machines may be far away. */
const dialSeconds = 10;

/**
 * A machine that was there before and stays. It is looked at before anything is done on it, and made what it was before
 * when it is taken out: by its resource, with which all goes that was done on it.
 *
 * Not responsible for what runs on it.
 */
export class ExistingMachine extends MachineComponent {
  constructor(name: string, args: ExistingMachineArgs, opts?: pulumi.ComponentResourceOptions) {
    const { computerName, address, access, bastion, forward, reset } = args;
    const facts: Facts<"kindows:machine:ExistingMachine"> = { node: computerName };
    super("kindows:machine:ExistingMachine", name, { facts }, opts);
    const login = pulumi.output(access ?? (pulumi.unknown as unknown as SshAccess));
    const hostKey = pulumi.output(args.hostKey);
    const instance = hostKey.apply(fingerprint);
    const told = (known?: SshAccess) =>
      ({
        name: computerName,
        ...(known && { place: placeOf(known) }),
        ...(bastion && { bastion: placeOf(bastion) }),
        ...(forward && { through: forward.through.map(placeOf) }),
        ...reset,
      }) as MachineParameter;
    const seconds = `${reset.seconds + 60}s`;
    const resource = new local.Command(
      `${name}-machine`,
      hostAction<typeof environment>({
        create: "machine/claim-machine",
        delete: "machine/reset-machine",
        environment: {
          // Without a place only where nothing is run: in a preview that reads no keys.
          MACHINE: access === undefined ? told() : pulumi.unsecret(login.apply(told)),
          KEYS: pulumi.secret(
            login.apply((known): AccessKeys => ({
              machine: keysOf(known),
              ...(bastion && { bastion: keysOf(bastion) }),
              ...(forward && { through: forward.through.map(keysOf) }),
            })),
          ),
        },
        // A reinstalled machine has another host key, and everything is done again.
        triggers: [instance],
        addPreviousOutputInEnv: true,
      }),
      {
        parent: this,
        deleteBeforeReplace: true,
        customTimeouts: { create: "3m", update: "3m", delete: seconds },
      },
    );
    this.is({
      name: computerName,
      os: args.os,
      address,
      resource,
      hostKey,
      instanceId: instance,
      connection: pulumi.secret(login.apply((known) => connectionOf(known, args))),
    });
  }
}

/** As the command plugin takes it. */
export function connectionOf(access: SshAccess, { bastion, forward }: ByBastions): SshConnection {
  const one = (each: SshAccess) => ({
    ...placeOf(each),
    ...keysOf(each),
    perDialTimeout: dialSeconds,
  });
  return {
    ...one(access),
    // Dial until the step's own time limit: a machine that reboots refuses, or does not answer at all.
    dialErrorLimit: -1,
    ...(bastion !== undefined && {
      proxy: {
        ...one(bastion),
        ...(forward && { host: "127.0.0.1", port: forward.port }),
        dialErrorLimit: 10,
      },
    }),
  };
}

export function placeOf({ host, port, user, hostKey }: SshAccess): Place {
  return { host, port, user, hostKey };
}

export function keysOf({ privateKey, privateKeyPassword }: SshAccess): AccessKeys["machine"] {
  return { privateKey, privateKeyPassword };
}
