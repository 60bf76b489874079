import { readFile } from "node:fs/promises";
import { messageOf } from "../../../host/failure.ts";
import { onServer, retryPolicy } from "../../../ssh/dial.ts";
import { say } from "../../host-action/run-action.ts";
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
    const endpoint = { host: address, port, user, hostKey, privateKey, ...retryPolicy };
    await onServer(endpoint, reachSeconds, say, () => Promise.resolve());
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).path === privateKeyFile) {
      return `the key ${privateKeyFile} cannot be read (${(error as NodeJS.ErrnoException).code ?? "no file"})`;
    }
    return explainHyperVAccess(messageOf(error), host);
  }
}
