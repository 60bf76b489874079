import { createHash } from "node:crypto";
import { effectiveHops } from "./effective-login.ts";
import type { WrittenExisting } from "./settings.ts";

/** Default ports: below those that Linux gives out by itself, above those of known services. */
const [firstPort, ports] = [20_000, 10_000];

/**
 * Port of this host by which the last of several bastions is reached; undefined where there are fewer. It is part of
 * what resources are told, so it follows from the settings alone; of two stacks each has its own.
 *
 * @param login of one machine, with what it has in common with others.
 * @param file name of the stack's settings.
 */
export function forwardPort(login: WrittenExisting["login"], file: string): number | undefined {
  if (login.bastions.length < 2) {
    return undefined;
  }
  // Not the keys themselves: they are secrets, and a new one is no other way.
  const way = effectiveHops(login).map(({ address, port, user, privateKeyFile, agent }) => [
    ...[address, port, user, privateKeyFile ?? "", agent === true],
  ]);
  const hash = createHash("sha256")
    .update(JSON.stringify([file, way]))
    .digest();
  return login.forwardPort ?? firstPort + (hash.readUInt32BE(0) % ports);
}
