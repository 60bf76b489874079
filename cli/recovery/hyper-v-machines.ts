import * as z from "zod";
import { onHyperVHost } from "../../components/machine/hyper-v/host-session.ts";
import { isGone } from "../../components/machine/hyper-v/gone-host.ts";
import { machinesOf } from "../../components/machine/hyper-v/make-machine.ts";
import {
  hyperVHostSchema,
  type HyperVHostParameter,
} from "../../components/machine/hyper-v/parameters.ts";
import { messageOf } from "../../host/failure.ts";
import { actionParameter, type StateResource } from "../engine/deployment.ts";
import { neededBy } from "./remove-from-state.ts";

/** Longest wait for a host, in seconds. */
const askSeconds = 90;

/** What replaces a machine: the identifier of its instance. */
const triggersSchema = z.tuple([z.string().regex(/^[0-9a-f]{12}$/)]);

/** A machine of the state on a Hyper-V host. */
interface OwnedMachine {
  readonly urn: string;
  /** Identifies the instance that is this resource. */
  readonly making: string;
}

/** Hyper-V hosts of a state, each with its machines. */
export function machinesByHost(
  resources: readonly StateResource[],
): readonly { readonly host: HyperVHostParameter; readonly machines: readonly OwnedMachine[] }[] {
  const types = new Map(resources.map(({ urn, type }) => [urn, type]));
  const madeBy = (component: string): readonly StateResource[] =>
    resources.filter(
      ({ parent, type }) =>
        type === "command:local:Command" && types.get(parent ?? "") === component,
    );
  const machines = madeBy("kindows:machine:HyperVMachine");
  return madeBy("kindows:machine:HyperVHost").map((prepared) => ({
    host: actionParameter(prepared, "HYPER_V_HOST", hyperVHostSchema),
    machines: machines
      .filter((machine) => neededBy(machine).includes(prepared.urn))
      .flatMap(({ urn, inputs }) => {
        const { data } = triggersSchema.safeParse(inputs?.["triggers"]);
        // Anything else would count as a machine that is gone.
        return data === undefined ? [] : [{ urn, making: data[0] }];
      }),
  }));
}

/** Asks a host for the instances of the lab's machines. */
export type AskHost = (host: HyperVHostParameter) => Promise<readonly string[]>;

const ask: AskHost = (host) =>
  onHyperVHost(host, askSeconds, async (session) =>
    (await machinesOf(session)).map(({ making }) => making),
  );

/**
 * URNs of machines that somebody has removed from their Hyper-V host. Nothing counts as gone on a host that does not answer,
 * or that `KINDOWS_GONE` names, which is not contacted.
 *
 * @param say gets a line for each host that could not be asked.
 */
export async function goneFromHyperV(
  resources: readonly StateResource[],
  say: (line: string) => void,
  askHost: AskHost = ask,
): Promise<readonly string[]> {
  const asked = machinesByHost(resources).filter(
    ({ host, machines }) => machines.length > 0 && !isGone(host.name),
  );
  const gone = await Promise.all(
    asked.map(async ({ host, machines }) => {
      try {
        const there = await askHost(host);
        return machines.filter(({ making }) => !there.includes(making)).map(({ urn }) => urn);
      } catch (error) {
        say(`whether its machines are still there was not seen: ${messageOf(error)}`);
        return [];
      }
    }),
  );
  return gone.flat();
}
