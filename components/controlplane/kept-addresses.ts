/**
 * The addresses of a cluster's containers. Docker gives a container any free one each time it starts, and kind has no option
 * for that (kind#1689); but the members of etcd, kubeconfigs and the Windows nodes know the first one. So each container has
 * it in a file, and is started with it.
 */
import * as z from "zod";
import { containerAddress, docker } from "../../host/docker.ts";
import { readInspected } from "./inspected.ts";

/** Runs Docker. @returns undefined if there is none. @throws if it fails */
type Docker = (
  args: readonly string[],
  limit?: { readonly timeoutSeconds: number },
) => Promise<string | undefined>;

const file = "/kindows-address";

/** Longest time for the processes in a container that is stopped, and for several containers to start, in seconds. */
const [stopSeconds, startSeconds] = [10, 120];

const inspected = z.array(
  z.object({
    State: z.object({ Running: z.boolean() }),
    NetworkSettings: z.object({
      Networks: z.record(
        z.string(),
        z.object({
          IPAddress: z.string(),
          IPAMConfig: z.object({ IPv4Address: z.string().optional() }).nullish(),
        }),
      ),
    }),
  }),
);

interface ContainerAddress {
  readonly name: string;
  readonly isRunning: boolean;
  readonly network: string | undefined;
  /** Empty if it does not run. */
  readonly current: string;
  /** What Docker gives it when it starts; undefined: any. */
  readonly asked: string | undefined;
  /** What it had first; undefined if it was never complete. */
  readonly kept: string | undefined;
}

/** The addresses of containers that exist. */
export function addressesOf(
  run: Docker,
  names: readonly string[],
): Promise<readonly ContainerAddress[]> {
  return Promise.all(
    names.map(async (name) => {
      const [found, kept] = await Promise.all([
        run(["inspect", "--type", "container", name]),
        keptAddress(run, name),
      ]);
      const [container] = readInspected(found ?? "[]", inspected, "container", name);
      const [[network, endpoint] = []] = Object.entries(container?.NetworkSettings.Networks ?? {});
      return {
        name,
        isRunning: container?.State.Running ?? false,
        network,
        current: endpoint?.IPAddress ?? "",
        asked: endpoint?.IPAMConfig?.IPv4Address,
        kept,
      };
    }),
  );
}

/** Where a container runs at another address than it had. */
export const isMisplaced = ({ isRunning, current, kept }: ContainerAddress): boolean =>
  isRunning && kept !== undefined && current !== kept;

async function keptAddress(run: Docker, name: string): Promise<string | undefined> {
  try {
    // An archive with one file, also of a container that does not run.
    const archive = (await run(["cp", `${name}:${file}`, "-"])) ?? "";
    return /^[\d.]+/.exec(archive.slice(512))?.[0];
  } catch {
    return undefined; // it has none, or is gone
  }
}

/** Has containers that run keep the addresses that they have now in a network. */
export async function keepAddresses(names: readonly string[], network: string): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const input = await containerAddress(name, network);
      await docker(["exec", "--interactive", name, "cp", "/dev/stdin", file], { input });
    }),
  );
}

/**
 * Starts containers of a cluster, each with the address that it had. One of the cluster that runs at another's address is
 * started again.
 *
 * @param all the names of all containers of the cluster
 * @throws if Docker does not start one, e.g. because something else has its address.
 */
export async function startWithAddresses(
  run: Docker,
  all: readonly string[],
  wanted: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  const seen = await addressesOf(run, all);
  const misplaced = seen.filter(isMisplaced);
  for (const { name, current, kept } of misplaced) {
    say(`${name} has the address ${current} instead of ${kept}: it is started again`);
  }
  const running = misplaced.map(({ name }) => name);
  if (running.length > 0) await run(["stop", "--time", String(stopSeconds), ...running]);
  const started = seen.filter(
    (each) => misplaced.includes(each) || (!each.isRunning && wanted.includes(each.name)),
  );
  for (const { name, network, asked, kept } of started) {
    if (kept === undefined || asked === kept || network === undefined) continue;
    await run(["network", "disconnect", network, name]);
    await run(["network", "connect", "--ip", kept, network, name]);
  }
  // In this order: Docker gives the lowest free address to the first that has none of its own.
  const names = started.map(({ name }) => name).sort();
  if (names.length > 0) await run(["start", ...names], { timeoutSeconds: startSeconds });
}
