/**
 * Host action for a refresh: reports which of the containers named by its arguments are missing, are not running, or have
 * another address than they had.
 */
import { docker } from "../../../host/docker.ts";
import type { Finding } from "../../host-action/host-action.ts";
import { runAction } from "../../host-action/run-action.ts";
import { addressesOf, isMisplaced } from "../kept-addresses.ts";

await runAction({}, async (): Promise<Finding | undefined> => {
  const listed = await docker(["ps", "--all", "--format", "{{.Names}} {{.State}}"]);
  const states = new Map(listed.split("\n").map((line) => line.split(" ") as [string, string]));
  const named = process.argv.slice(2);
  const missing = named.filter((name) => !states.has(name));
  const stopped = named.filter((name) => states.get(name) !== "running");
  if (missing.length > 0) return { gone: `there is no container ${missing.join(", ")}` };
  if (stopped.length > 0) return { changed: `not running: ${stopped.join(", ")}` };
  const misplaced = (await addressesOf(docker, named)).filter(isMisplaced);
  const names = misplaced.map(({ name }) => name).join(", ");
  return misplaced.length > 0 ? { changed: `not at the address it had: ${names}` } : undefined;
});
