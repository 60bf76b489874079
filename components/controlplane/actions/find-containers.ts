/** Host action: says whether the containers that its arguments name are there, and run. */
import { docker } from "../../../host/docker.ts";
import type { Finding } from "../../host-action/host-action.ts";
import { runAction } from "../../host-action/run-action.ts";

await runAction({}, async (): Promise<Finding | undefined> => {
  const listed = await docker(["ps", "--all", "--format", "{{.Names}} {{.State}}"]);
  const states = new Map(listed.split("\n").map((line) => line.split(" ") as [string, string]));
  const named = process.argv.slice(2);
  const missing = named.filter((name) => !states.has(name));
  const idle = named.filter((name) => states.get(name) !== "running");
  if (missing.length > 0) return { gone: `there is no container ${missing.join(", ")}` };
  return idle.length > 0 ? { changed: `not running: ${idle.join(", ")}` } : undefined;
});
