import * as z from "zod";
import { messageOf } from "../../../host/failure.ts";
import { actionParameter } from "../../host-action/action-parameter.ts";
import { isGone } from "../existing/machine-parameter.ts";
import type { KnownResource } from "../../host-resource.ts";
import { onHyperVHost } from "./host-session.ts";
import { machinesOf } from "./make-machine.ts";
import { type HyperVHostParameter, hyperVHostSchema } from "./parameters.ts";

const askSeconds = 90;

/** What replaces a machine: its making's mark. */
const triggersSchema = z.tuple([z.string().regex(/^[0-9a-f]{12}$/)]);

interface MadeMachine {
  readonly urn: string;
  readonly host: HyperVHostParameter;
  /** The only one that is this resource. */
  readonly making: string;
}

function machinesAmong(resources: readonly KnownResource[]): MadeMachine[] {
  const types = new Map(resources.map(({ urn, type }) => [urn, type]));
  return resources
    .filter(
      ({ type, parent = "" }) =>
        type === "command:local:Command" && types.get(parent) === "kindows:machine:HyperVMachine",
    )
    .flatMap((resource) => {
      const { data } = triggersSchema.safeParse(resource.inputs?.["triggers"]);
      // Without its mark it would be reported as a machine that is gone.
      if (data === undefined) return [];
      const host = actionParameter(resource, "HYPER_V_HOST", hyperVHostSchema);
      return [{ urn: resource.urn, host, making: data[0] }];
    });
}

/** Asks a host which makings of the lab's machines are there. */
export type AskHost = (host: HyperVHostParameter) => Promise<readonly string[]>;

const ask: AskHost = (host) =>
  onHyperVHost(host, askSeconds, async (session) =>
    (await machinesOf(session)).map(({ making }) => making),
  );

/**
 * URNs of machines that somebody has removed from their Hyper-V host. Where a host does not answer nothing of it counts
 * as gone; neither does what is on one that `KINDOWS_GONE` names, which nobody is asked about.
 */
export async function goneMachines(
  resources: readonly KnownResource[],
  say: (line: string) => void,
  askHost: AskHost = ask,
): Promise<readonly string[]> {
  const machines = machinesAmong(resources).filter(({ host }) => !isGone(host.name));
  const hosts = new Map(machines.map(({ host }) => [JSON.stringify(host), host]));
  const gone = await Promise.all(
    [...hosts].map(async ([key, host]) => {
      try {
        const there = await askHost(host);
        return machines
          .filter((each) => JSON.stringify(each.host) === key && !there.includes(each.making))
          .map(({ urn }) => urn);
      } catch (error) {
        say(`whether its machines are still there was not seen: ${messageOf(error)}`);
        return [];
      }
    }),
  );
  return gone.flat();
}
