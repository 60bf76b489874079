import path from "node:path";

import { builtArtifacts, builtTool } from "../../toolchain/built.ts";
import { chosenBackend, loginsFolder } from "./backend.ts";
import { pulumiHome } from "../../toolchain/project.ts";
import { backendUrl, stateFolder } from "./folders.ts";

/**
 * Variables with which plain `pulumi` works on this project as `kindows` does: its own home, the same backend, and no
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
    // The user's own backend, with the logins that the engine would look for in its home. What opens secrets is his.
    ...(chosenBackend(caller) === undefined
      ? stateHere(caller)
      : { PULUMI_CREDENTIALS_PATH: loginsFolder(caller) }),
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
 * The state of this clone, in a folder that only its owner may read, beside the lab's keys. So the passphrase of the
 * committed stacks is empty; one that the user has set is passed on.
 */
function stateHere(caller: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const { PULUMI_CONFIG_PASSPHRASE: passphrase, PULUMI_CONFIG_PASSPHRASE_FILE: file } = caller;
  const chosen = passphrase !== undefined || file !== undefined;
  return {
    PULUMI_BACKEND_URL: backendUrl(stateFolder),
    ...(!chosen && { PULUMI_CONFIG_PASSPHRASE: "" }),
  };
}

/** The whole environment of an engine. @throws when the tools are not prepared. */
export function engineProcessEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !unwantedVariables.includes(name),
  );
  return { ...Object.fromEntries(inherited), ...engineEnvironment(process.env) };
}

export const unwantedVariables: readonly string[] = [
  // With an agent that does not answer, command.remote fails even if it has a key.
  "SSH_AUTH_SOCK",
];
