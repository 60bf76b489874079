import { messageOf, throwAll } from "../../host/failure.ts";
import { findOnPath } from "../../host/search-path.ts";
import {
  type DaemonState,
  dockerState,
  ensureDocker,
  ensureLibvirt,
  libvirtState,
} from "../../toolchain/daemons.ts";
import type { Host } from "../../host/host.ts";
import { lookFor, resourceKinds, type Survey } from "./host-resources.ts";
import { ports } from "./networks.ts";
import type { Stop, Stopped } from "../../components/host-resource.ts";

/** In the order of starting: the reverse of removal, and interfaces last. */
const stops: readonly Stop[] = [
  ...resourceKinds.toReversed().flatMap((each) => each.stops ?? []),
  ports,
];

export interface StoppedResource extends Stopped {
  readonly kind: string;
  readonly verb: string;
}

export function stoppedOf(
  lab: string,
  host: Host,
  among: readonly Stop[] = stops,
): Promise<Survey<StoppedResource>> {
  return lookFor(among, async (stop) =>
    (await stop.find(host, lab)).map((each) => ({
      kind: stop.kind,
      verb: stop.verb?.[0] ?? "start",
      ...each,
    })),
  );
}

/**
 * Starts what is stopped in a lab on this host, e.g. after a reboot. The engine checks only that resources exist.
 *
 * @param which everything, only what removing the lab needs, or only what has one of these names.
 * @throws with everything that could not be started, or needs a person first, after starting everything else.
 */
export async function startStopped(
  lab: string,
  host: Host,
  which: "all" | "needed to remove" | ReadonlySet<string>,
  say: (line: string) => void,
): Promise<void> {
  const wanted = stops.filter(
    ({ neededToRemove }) => which !== "needed to remove" || neededToRemove === true,
  );
  const { found, unlisted } = await stoppedOf(lab, host, wanted);
  if (found.length === 0 && unlisted.length === 0) return;
  const troubles: string[] = [];
  for (const stop of wanted) {
    const { kind, verb = ["start", "started"] } = stop;
    try {
      for (const { name, seen, first } of await stop.find(host, lab)) {
        if (typeof which === "object" && !which.has(name)) continue;
        if (first === undefined) {
          await stop.start(host, name, lab);
          say(`${verb[1]} ${kind} ${name}`);
        } else {
          troubles.push(`${kind} ${name}: ${seen ?? "it has stopped"}; ${first}`);
        }
      }
    } catch (error) {
      troubles.push(`${kind}: ${messageOf(error)}`);
    }
  }
  throwAll(`not all of the lab ${lab} could be started`, troubles);
}

/** Starts Docker and libvirt if they are installed and stopped: orphans of a lab can only be removed through them. */
export async function startDaemons(libvirtUri: string, say: (line: string) => void): Promise<void> {
  const [docker, libvirt] = await Promise.all([dockerState(), libvirtState(libvirtUri)]);
  const isStopped = async ({ kind }: DaemonState, program: string): Promise<boolean> =>
    kind !== "running" && (await findOnPath(program, process.env["PATH"] ?? "")) !== undefined;
  if (await isStopped(docker, "dockerd")) await ensureDocker(docker, { progress: say });
  if (await isStopped(libvirt, "libvirtd")) await ensureLibvirt(libvirtUri, libvirt, say);
}
