import path from "node:path";

import { builtArtifacts, builtTool } from "../../toolchain/built.ts";
import { backendUrl, pulumiHome, stateFolder } from "./folders.ts";

/**
 * What a shell needs so that plain `pulumi` works on this project as `kindows` does: its own home, state and
 * passphrase, and nothing fetched behind the user's back.
 *
 * @throws when the tools are not prepared.
 */
export function engineEnvironment(caller: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const searchPath = caller["PATH"] ?? "";
  const { kind } = builtArtifacts().tools; // Only labs have it.
  const tools = [builtTool("pulumi"), builtTool("kubectl"), ...(kind === undefined ? [] : [kind])];
  return {
    PULUMI_HOME: pulumiHome,
    PULUMI_BACKEND_URL: backendUrl(stateFolder),
    ...passphrase(caller),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
    // A plugin of another version somewhere on the PATH would be taken instead of the prepared one.
    PULUMI_IGNORE_AMBIENT_PLUGINS: "true",
    PATH: [
      ...new Set([...tools.map((file) => path.dirname(file)), ...searchPath.split(path.delimiter)]),
    ].join(path.delimiter),
  };
}

/**
 * The passphrase of the committed stacks is empty: their state lies in a folder that only its owner may read, beside
 * the lab's keys. Whoever keeps it elsewhere has set one of his own, which goes through as it is.
 */
function passphrase(caller: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const chosen = ["PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE"].some(
    (name) => caller[name] !== undefined,
  );
  return chosen ? {} : { PULUMI_CONFIG_PASSPHRASE: "" };
}

/** The whole environment of an engine. @throws when the tools are not prepared. */
export function engineProcessEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !unwantedVariables.includes(name),
  );
  return { ...Object.fromEntries(inherited), ...engineEnvironment(process.env) };
}

/** Variables that must not reach the engine. */
export const unwantedVariables: readonly string[] = [
  // With an agent that does not answer, command.remote fails although it has a key.
  "SSH_AUTH_SOCK",
];
