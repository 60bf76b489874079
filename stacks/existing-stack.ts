import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
import { messageOf } from "../host/failure.ts";
import {
  examineCluster,
  readKubeconfig,
} from "../components/controlplane/existing/examine-cluster.ts";
import type { SshAccess } from "../components/machine/existing/existing-machine.ts";
import { isPreviewAnywhere } from "../components/preview-anywhere.ts";
import { defaultRequirements } from "../components/windows/host-requirements.ts";
import type { ExistingNode, ExistingSettings } from "../config/existing.ts";
import { privateKey } from "../config/values/private-key.ts";
import { openForwards } from "./bastion-forwards.ts";
import { existingMachines, type ExistingStack, type Surroundings } from "./existing-machines.ts";
import { existingSoftware } from "./existing-software.ts";
import { type Login, machineAccess } from "./machine-access.ts";

/**
 * Examines the cluster and files on this host, even for a preview, and composes the stack. A preview that must work anywhere
 * (KINDOWS_PREVIEW) contacts nobody and reads nothing.
 *
 * @throws RunError, which Pulumi prints without a stack trace, with all problems, before anything is changed.
 */
export async function existingStack(settings: ExistingSettings): Promise<ExistingStack> {
  const anywhere = isPreviewAnywhere();
  const surroundings = anywhere
    ? { cluster: undefined, access: () => undefined }
    : await look(settings).catch((error: unknown) => {
        throw new pulumi.RunError(messageOf(error));
      });
  const software = existingSoftware(settings, surroundings.cluster?.facts.podNetwork.kind);
  return existingMachines(settings, surroundings, {
    software,
    requirements: defaultRequirements,
  });
}

async function look(settings: ExistingSettings): Promise<Surroundings> {
  const { cluster, cni, nodes } = settings;
  // First all problems on this host at once; then the cluster is asked.
  const keys = readKeys(nodes);
  const problems = [...keys.problems, ...kubeconfigProblems(settings)];
  if (problems.length > 0) {
    const lines = problems.map((problem) => `  - ${problem}`);
    throw new Error(
      `not everything the settings name is there; nothing was changed:\n${lines.join("\n")}`,
    );
  }
  const examined = await examineCluster(cluster.kubeconfig, { ...cluster, cni, nodes });
  for (const warning of examined.warnings) {
    await pulumi.log.warn(warning);
  }
  const access = (node: ExistingNode) => machineAccess(node, (login) => keys.of(login));
  // A preview connects to no machine.
  if (!isDryRun()) {
    await openForwards(nodes.map((node) => [node.name, access(node)]));
  }
  return { cluster: examined, access };
}

function kubeconfigProblems({ cluster }: ExistingSettings): string[] {
  try {
    readKubeconfig(cluster.kubeconfig);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** The private keys of all machines and bastions, each file read once. */
function readKeys(nodes: readonly ExistingNode[]): {
  readonly problems: readonly string[];
  of(login: Login): Pick<SshAccess, "port" | "user" | "privateKey" | "privateKeyPassword">;
} {
  const logins: Login[] = nodes.flatMap(({ login }) => [login, ...login.bastions]);
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
    problems.add("an agent is to log in, but SSH_AUTH_SOCK names none");
  }
  return {
    problems: [...problems],
    of: ({ user, port, privateKeyFile, privateKey: inside, privateKeyPassphrase }) => ({
      ...{ user, port },
      privateKey: inside ?? (privateKeyFile === undefined ? undefined : files.get(privateKeyFile)),
      privateKeyPassword: privateKeyPassphrase,
    }),
  };
}
