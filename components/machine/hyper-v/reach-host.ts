import { readFile } from "node:fs/promises";
import { onMachine } from "../existing/dial-machine.ts";
import { explainHyperVAccess } from "./explain-access.ts";
import type { HyperVHostParameter } from "./parameters.ts";

/** Longest that logging in may take, failed attempts included. */
const reachSeconds = 30;

/** Why a Hyper-V host cannot be logged in to, and what to do about it; undefined where it can. Nothing is done there. */
export async function reachHyperVHost(
  host: Omit<HyperVHostParameter, "owner">,
): Promise<string | undefined> {
  const { address, port, user, hostKey, privateKeyFile } = host;
  try {
    const privateKey = await readFile(privateKeyFile, "utf8");
    const place = { host: address, port, user, hostKey };
    await onMachine({ place }, { machine: { privateKey } }, reachSeconds, () => Promise.resolve());
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).path === privateKeyFile) {
      return `the key ${privateKeyFile} cannot be read (${(error as NodeJS.ErrnoException).code ?? "no file"})`;
    }
    const message = error instanceof Error ? error.message : String(error);
    return explainHyperVAccess(message, host);
  }
}
