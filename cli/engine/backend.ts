import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parse } from "yaml";
import * as z from "zod";

import { parseJson } from "../../toolchain/parse-json.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { backendUrl, stateFolder } from "./folders.ts";

/** Folder of `pulumi login`'s logins. Like the engine, this takes the home from the user database, not from $HOME. */
export function loginsFolder(environment: NodeJS.ProcessEnv): string {
  const { PULUMI_CREDENTIALS_PATH: chosen = "", PULUMI_HOME: home = "" } = environment;
  return chosen || home || path.join(os.userInfo().homedir, ".pulumi");
}

/**
 * The backend that the user has chosen. The engine looks in the same places, in the same order: PULUMI_BACKEND_URL,
 * `backend` in Pulumi.yaml, `pulumi login`, and a token of Pulumi Cloud.
 *
 * @param project folder with Pulumi.yaml.
 * @returns undefined if there is none, so that the state is in this clone.
 */
export function chosenBackend(
  environment: NodeJS.ProcessEnv = process.env,
  project: string = projectRoot,
): string | undefined {
  const { PULUMI_BACKEND_URL: url, PULUMI_ACCESS_TOKEN: token, PULUMI_API: cloud } = environment;
  const logins = path.join(loginsFolder(environment), "credentials.json");
  const chosen =
    url ||
    projectSchema.safeParse(parse(textOf(path.join(project, "Pulumi.yaml")))).data?.backend.url ||
    loginsSchema.safeParse(parseJson(textOf(logins))).data?.current ||
    (token && (cloud || "https://api.pulumi.com"));
  return chosen === backendUrl(stateFolder) ? undefined : chosen || undefined;
}

const projectSchema = z.object({ backend: z.object({ url: z.string() }) });
const loginsSchema = z.object({ current: z.string() });

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
