import type { Client } from "ssh2";
import { onServer, retryPolicy, type RoutedEndpoint } from "../../../ssh/dial.ts";
import { say } from "../../host-action/run-action.ts";
import { type AccessKeys, hopsOf, type MachineParameter } from "./machine-parameter.ts";

type Way = Pick<MachineParameter, "place" | "bastion" | "through">;

/**
 * Runs something on a machine, by the same way as the command plugin goes; by several bastions without the forwarded
 * port that the plugin needs, so that it works without the program too.
 *
 * @param seconds that all of it may take.
 * @throws when it cannot be reached or takes too long, saying what was last seen.
 */
export function onMachine<T>(
  way: Way,
  keys: AccessKeys,
  seconds: number,
  run: (client: Client, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return onServer(routeTo(way, keys), seconds, say, run);
}

function routeTo(way: Way, keys: AccessKeys): RoutedEndpoint {
  const keysOfHops = [...(keys.through ?? []), keys.bastion];
  const bastions = hopsOf(way);
  return {
    ...{ ...way.place, ...keys.machine, ...retryPolicy },
    via: bastions.map((bastion, index) => ({
      ...{ ...bastion, ...keysOfHops[index - bastions.length + keysOfHops.length], ...retryPolicy },
    })),
  };
}
