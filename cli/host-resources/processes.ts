import { readdir, readFile } from "node:fs/promises";
import { labIdVariable, labVariable } from "../../config/names.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { isAlive, ownerOf } from "../../toolchain/owner.ts";
import { isLabPrefix, type ResourceKind } from "../../components/host-resource.ts";

const graceSeconds = 5;

/**
 * Processes of a killed engine: plugins, and host actions that are still working. They have a marker in their
 * environment, which only children of a `kindows` command have. Processes that daemons run for a lab (machines,
 * containers, dnsmasq) have the daemons' environment, and are of other kinds.
 */
export const processes: ResourceKind = {
  kind: "process",

  find: async () => {
    const own = await ancestors(process.pid);
    const all = (await readdir("/proc")).filter((name) => /^[0-9]+$/.test(name)).map(Number);
    const found = await Promise.all(
      all
        .filter((pid) => !own.has(pid))
        .map(async (pid) => {
          const environment = await readProcFile(pid, "environ");
          const lab = labOfEnvironment(environment);
          if (lab === undefined) return [];
          const mark = valueIn(environment, labIdVariable);
          const command = (await readProcFile(pid, "cmdline")).split("\0").join(" ").trim();
          const name = `${pid} (${command.slice(0, 80)})`;
          const found = { kind: processes.kind, name, lab, identity: undefined, locator: `${pid}` };
          return [mark === undefined ? found : { ...found, mark }];
        }),
    );
    return found.flat();
  },

  byHand: ({ locator }) => `kill ${locator}`,

  remove: async ({ locator, lab }) => {
    const pid = Number(locator);
    const owner = await ownerOf(pid);
    if (owner === undefined || labOfEnvironment(await readProcFile(pid, "environ")) !== lab) {
      return; // Ended meanwhile; its number may have been reused.
    }
    const wait = {
      what: `process ${pid} to end`,
      timeoutSeconds: graceSeconds,
      pollMilliseconds: 50,
    };
    try {
      process.kill(pid, "SIGTERM");
      await waitUntil(wait, async () => ((await isAlive(owner)) ? "it runs" : undefined)).catch(
        () => process.kill(pid, "SIGKILL"),
      );
    } catch {
      // Ended meanwhile.
    }
  },
};

/** Lab in the marker of an environment as /proc shows it: entries end with a zero byte. */
export function labOfEnvironment(environ: string): string | undefined {
  const lab = valueIn(environ, labVariable);
  return lab !== undefined && isLabPrefix(lab) ? lab : undefined;
}

function valueIn(environ: string, variable: string): string | undefined {
  const entry = environ.split("\0").find((each) => each.startsWith(`${variable}=`));
  return entry?.slice(variable.length + 1);
}

async function ancestors(pid: number): Promise<ReadonlySet<number>> {
  const chain = new Set<number>();
  for (let current = pid; current > 0 && !chain.has(current);) {
    chain.add(current);
    const status = await readProcFile(current, "status");
    current = Number(/^PPid:\s*([0-9]+)/m.exec(status)?.[1] ?? 0);
  }
  return chain;
}

async function readProcFile(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
}
