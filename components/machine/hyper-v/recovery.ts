import * as z from "zod";
import { messageOf } from "../../../host/failure.ts";
import { actionParameter } from "../../host-action/action-parameter.ts";
import { isGone } from "../existing/machine-parameter.ts";
import type { KnownResource } from "../../host-resource.ts";
import { onHyperVHost } from "./host-session.ts";
import { machinesOf } from "./make-machine.ts";
import { type HyperVHostParameter, hyperVHostSchema } from "./parameters.ts";

const timeoutSeconds = 90;

/** The triggers of a machine's command: the id of its instance. */
const triggersSchema = z.tuple([z.string().regex(/^[0-9a-f]{12}$/)]);

interface MadeMachine {
  readonly urn: string;
  readonly host: HyperVHostParameter;
  /** Id of the instance that belongs to this resource. */
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
      // Without this check, a machine without an instance id would be reported as gone.
      if (data === undefined) return [];
      const host = actionParameter(resource, "HYPER_V_HOST", hyperVHostSchema);
      return [{ urn: resource.urn, host, making: data[0] }];
    });
}

/** Returns the ids of the instances of the lab's machines that exist on a host. */
export type ListInstances = (host: HyperVHostParameter) => Promise<readonly string[]>;

const listOverSsh: ListInstances = (host) =>
  onHyperVHost(host, timeoutSeconds, async (session) =>
    (await machinesOf(session)).map(({ making }) => making),
  );

/**
 * URNs of machines that no longer exist on their Hyper-V hosts. Machines of a host that does not answer are not
 * included. Hosts that `KINDOWS_GONE` names are not contacted.
 */
export async function goneMachines(
  resources: readonly KnownResource[],
  say: (line: string) => void,
  listInstances: ListInstances = listOverSsh,
): Promise<readonly string[]> {
  const machines = machinesAmong(resources).filter(({ host }) => !isGone(host.name));
  const hosts = new Map(machines.map(({ host }) => [JSON.stringify(host), host]));
  const gone = await Promise.all(
    [...hosts].map(async ([key, host]) => {
      try {
        const existing = await listInstances(host);
        return machines
          .filter((each) => JSON.stringify(each.host) === key && !existing.includes(each.making))
          .map(({ urn }) => urn);
      } catch (error) {
        say(`cannot see whether machines still exist: ${messageOf(error)}`);
        return [];
      }
    }),
  );
  return gone.flat();
}
