import { goneVariable } from "../../components/machine/existing/machine-parameter.ts";
import { machineNodes } from "../../config/settings.ts";
import { namesIn } from "../../config/names-list.ts";
import type { Settings } from "../../config/settings.ts";
import { awayVariable } from "../../stacks/away.ts";
import { Failure } from "../../host/failure.ts";
import { resourcesOf } from "../engine/deployment.ts";
import { urnsOn } from "../recovery/on-hypervisors.ts";
import { readStateFile } from "../engine/state-file.ts";
import type { RemoteHost } from "./host.ts";
import { awayAmong, awayText, hypervisorsIn, hypervisorsOf, together } from "./hypervisors.ts";
import type { AwayHost } from "./hypervisors.ts";

/** The further hypervisors of a lab, as they are before a run; both empty for most labs. */
export interface Fleet {
  /** Those that answer. */
  readonly present: readonly RemoteHost[];
  /** Those that do not, and are not said to be gone for good. */
  readonly away: readonly AwayHost[];
}

/**
 * Asks the hypervisors of the settings, and those the stack has things on. One that `KINDOWS_GONE` names is gone for
 * good: nobody is asked about it, and what the state has there counts as gone.
 *
 * @param settings undefined when they are wrong, and a lab has to go nevertheless.
 */
export async function fleetOf(stack: string, settings: Settings | undefined): Promise<Fleet> {
  const state = await readStateFile(stack);
  const gone = namesIn(process.env[goneVariable]);
  const said = namesIn(process.env[awayVariable]);
  const known = settings === undefined ? [] : hypervisorsIn(settings);
  const all = together([
    ...known,
    ...(state === undefined ? [] : hypervisorsOf(resourcesOf(state), known)),
  ]).filter(({ name }) => !gone.includes(name));
  const away = [
    ...all
      .filter(({ name }) => said.includes(name))
      .map((host) => ({ ...host, reason: `${awayVariable} says so` })),
    ...(await awayAmong(all.filter(({ name }) => !said.includes(name)))),
  ];
  return {
    present: all.filter(({ name }) => !away.some((one) => one.name === name)),
    away,
  };
}

/** Everything of the state that is on hypervisors which are away. */
export async function urnsAway(
  stack: string,
  { away }: Fleet,
  settings: Settings,
): Promise<readonly string[]> {
  const state = away.length === 0 ? undefined : await readStateFile(stack);
  const names = away.map(({ name }) => name);
  return urnsOn(
    state === undefined ? [] : resourcesOf(state),
    names,
    machineNodes(settings)
      .filter(({ hypervisor }) => names.includes(hypervisor))
      .map(({ name }) => name),
  );
}

/** What the engine and the program are told so that what is away stays as it is. */
export function leavingAway(
  { away }: Fleet,
  { hypervisors }: Pick<Settings, "hypervisors">,
  urns: readonly string[],
): { readonly args: readonly string[]; readonly environment: Readonly<Record<string, string>> } {
  const known = away.filter(({ name }) => hypervisors.some((one) => one.name === name));
  return {
    args: [
      // A host that goes away in the middle takes only its own nodes along.
      ...(hypervisors.length > 0 ? ["--continue-on-error"] : []),
      ...urns.flatMap((urn) => ["--exclude", urn]),
    ],
    environment:
      known.length === 0 ? {} : { [awayVariable]: known.map(({ name }) => name).join(",") },
  };
}

/** Which nodes were left as they are, and because of whom. */
export function leftText(
  away: readonly AwayHost[],
  settings: Pick<Settings, "nodes" | "linuxNodes">,
): string {
  const lines = away.map((one) => {
    const there = machineNodes(settings).filter(({ hypervisor }) => hypervisor === one.name);
    const left =
      there.length === 0
        ? "what the lab has there is left as it is"
        : `left as they are: ${there.map(({ name }) => name).join(", ")}`;
    return `${awayText(one)}; ${left}`;
  });
  return lines.join("\n");
}

/** @throws Failure when something of the lab cannot be removed, as its hypervisor does not answer. */
export function assertAllPresent({ away }: Fleet, stack: string): void {
  if (away.length > 0) {
    const names = away.map(({ name }) => name).join(",");
    throw new Failure(
      `${away.map(awayText).join("\n")}\nWhat the lab has there cannot be removed; nothing was. Run again when it is ` +
        `back or, when it is gone for good, \`${goneVariable}=${names} kindows down --stack ${stack}\``,
    );
  }
}
