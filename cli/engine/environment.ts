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
    // With the user's own backend, the logins are not in PULUMI_HOME, and the secrets' passphrase is the user's.
    ...(chosenBackend(caller) === undefined
      ? stateHere(caller)
      : { PULUMI_CREDENTIALS_PATH: loginsFolder(caller) }),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
    // Otherwise, a plugin of another version on the PATH would replace the prepared one.
    PULUMI_IGNORE_AMBIENT_PLUGINS: "true",
    PATH: [
      ...new Set([...tools.map((file) => path.dirname(file)), ...searchPath.split(path.delimiter)]),
    ].join(path.delimiter),
  };
}

/**
 * The backend in this clone. Only the owner may read its folder, which also has the lab's keys, so the passphrase of
 * the committed stacks is empty. One that the user has set is passed on.
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
