import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import {
  BastionForward,
  type ForwardArgs,
} from "../components/machine/existing/bastion-forward.ts";
import type { ByBastions, SshAccess } from "../components/machine/ssh-access.ts";
import { privateKey } from "../config/values/private-key.ts";
import type { Login } from "./existing-cluster.ts";

export function throwIfAny(what: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const lines = problems.map((problem) => `  - ${problem}`);
  throw new Error(`${what}; nothing was changed:\n${lines.join("\n")}`);
}

/** Reads the keys that logins name. */
export function readKeys(logins: readonly Login[]): {
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
