import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
import { messageOf } from "../host/failure.ts";
import {
  examineCluster,
  readKubeconfig,
} from "../components/controlplane/existing/examine-cluster.ts";
import type { ByBastions, SshAccess } from "../components/machine/ssh-access.ts";
import { isPreviewAnywhere } from "../components/preview-anywhere.ts";
import { defaultRequirements } from "../components/windows/host-requirements.ts";
import type { ExistingNode, ExistingSettings } from "../config/existing.ts";
import { privateKey } from "../config/values/private-key.ts";
import {
  existingMachines,
  type ExistingStack,
  type Surroundings,
  byBastions,
  type Login,
  machineAccess,
} from "./existing-machines.ts";
import { existingSoftware } from "./existing-software.ts";
import {
  BastionForward,
  type ForwardArgs,
} from "../components/machine/existing/bastion-forward.ts";

/**
 * Examines the cluster and files on this host, even for a preview, and composes the stack. A preview that must work
 * anywhere (KINDOWS_PREVIEW) contacts nobody and reads nothing.
 *
 * @throws RunError, which Pulumi prints without a stack trace, with all problems, before anything is changed.
 */
export async function existingStack(settings: ExistingSettings): Promise<ExistingStack> {
  const anywhere = isPreviewAnywhere();
  const surroundings = anywhere
    ? { cluster: undefined, access: () => undefined }
    : await examine(settings).catch((error: unknown) => {
        throw new pulumi.RunError(messageOf(error));
      });
  const software = existingSoftware(settings, surroundings.cluster?.facts.podNetwork.kind);
  const programs = { software, requirements: defaultRequirements };
  return existingMachines(settings, surroundings, programs);
}

async function examine(settings: ExistingSettings): Promise<Surroundings> {
  const { cluster, cni, nodes, machine, login } = settings;
  const created = machine?.nodes ?? [];
  // Problems on this host are reported together, before the cluster is contacted.
  const keys = readKeys([
    ...nodes.flatMap(({ login }) => [login, ...login.bastions]),
    ...(created.length === 0 ? [] : login.bastions),
  ]);
  throwIfAny("some things that the settings name cannot be used", [
    ...keys.problems,
    ...kubeconfigProblems(settings),
  ]);
  const examined = await examineCluster(cluster.kubeconfig, { ...cluster, cni, nodes });
  for (const warning of examined.warnings) await pulumi.log.warn(warning);
  const access = (node: ExistingNode) => machineAccess(node, keys.of);
  const bastions = byBastions(login, keys.of);
  // A preview connects to no machine.
  if (!isDryRun()) {
    await openForwards([
      ...created.map(({ name }) => [name, bastions] as const),
      ...nodes.map((node) => [node.name, access(node)] as const),
    ]);
  }
  return { cluster: examined, access, bastions };
}

function throwIfAny(what: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const lines = problems.map((problem) => `  - ${problem}`);
  throw new Error(`${what}; nothing was changed:\n${lines.join("\n")}`);
}

function kubeconfigProblems({ cluster }: ExistingSettings): string[] {
  try {
    readKubeconfig(cluster.kubeconfig);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function readKeys(logins: readonly Login[]): {
  readonly problems: readonly string[];
  readonly of: (login: Login) => Omit<SshAccess, "host" | "hostKey">;
} {
  const files = new Map<string, string>();
  const problems = new Set<string>();
  for (const { privateKeyFile: file, privateKeyPassphrase } of logins) {
    if (file === undefined || files.has(file)) continue;
    try {
      const text = readFileSync(file, "utf8");
      const wrong = privateKey(text, privateKeyPassphrase !== undefined);
      if (wrong !== undefined) problems.add(`the key ${file} ${wrong.why}. ${wrong.instead}`);
      files.set(file, text);
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code ?? "no file";
      problems.add(`the key ${file} cannot be read (${why})`);
    }
  }
  if (logins.some(({ agent }) => agent === true) && !process.env["SSH_AUTH_SOCK"]) {
    problems.add("the settings use an SSH agent, but SSH_AUTH_SOCK is not set");
  }
  return {
    problems: [...problems],
    of: ({ user, port, privateKeyFile, privateKey: inline, privateKeyPassphrase }) => ({
      user,
      port,
      privateKey: inline ?? (privateKeyFile === undefined ? undefined : files.get(privateKeyFile)),
      privateKeyPassword: privateKeyPassphrase,
    }),
  };
}

/**
 * Opens local ports that are forwarded to the last of several bastions. They stay open as long as this program runs,
 * which Pulumi's runtime ends only after the engine has done everything, including deletes.
 *
 * @param logins names of the machines, and how to log in to each.
 * @throws with every port that is already in use.
 */
export async function openForwards(
  logins: readonly (readonly [string, ByBastions])[],
): Promise<readonly BastionForward[]> {
  const opened = await Promise.allSettled(
    forwardsOf(logins).map((args) =>
      // Logging fails if the engine is gone, which is ignored.
      BastionForward.open(args, (line) => void pulumi.log.warn(line).catch(() => undefined)),
    ),
  );
  const problems = opened.flatMap((each) =>
    each.status === "rejected" ? [(each.reason as Error).message] : [],
  );
  throwIfAny("not all bastions can be reached", problems);
  return opened.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
}

/**
 * Each port once, with all machines behind it. The settings' checks ensure that a port always leads to the same
 * bastion.
 */
function forwardsOf(logins: readonly (readonly [string, ByBastions])[]): readonly ForwardArgs[] {
  const ports = new Map<number, ForwardArgs>();
  for (const [name, { hops, forwardPort: port }] of logins) {
    const last = hops.at(-1);
    if (last === undefined || port === undefined) continue;
    const machines = [...(ports.get(port)?.machines ?? []), name];
    ports.set(port, { port, machines, through: hops.slice(0, -1), last });
  }
  return [...ports.values()];
}
