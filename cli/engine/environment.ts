import path from "node:path";

import { builtArtifacts, builtTool } from "../../toolchain/built.ts";
import { backendUrl, pulumiHome, stateFolder } from "./folders.ts";

/**
 * Variables with which plain `pulumi` works on this project as `kindows` does: its own home, state and passphrase, and no
 * silent downloads.
 *
 * @throws if the tools are not prepared.
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
 * The passphrase of the committed stacks is empty: their state is in a folder that only its owner may read, beside the
 * lab's keys. A passphrase that the user has set, for a state kept elsewhere, is passed on.
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

/** Variables to hide from the engine. */
export const unwantedVariables: readonly string[] = [
  // With an agent that does not answer, command.remote fails even if it has a key.
  "SSH_AUTH_SOCK",
];
