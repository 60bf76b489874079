import {
  notCovered,
  type ProviderDefinition,
  type ResourceType,
} from "../protocol/resource-type.ts";
import { commandType } from "./command-type.ts";
import { copyToRemoteType } from "./copy-to-remote.ts";
import { localCommandProperties, remoteCommandProperties } from "./properties.ts";
import { runLocally } from "./run-locally.ts";

const types: Readonly<Record<string, ResourceType>> = {
  "command:local:Command": commandType(localCommandProperties, runLocally),
  "command:remote:Command": commandType(remoteCommandProperties, async (run, operation) => {
    // Loaded only when needed, because a preview is faster without the SSH library.
    const { runRemotely } = await import("./run-remotely.ts");
    return runRemotely(run, operation);
  }),
  "command:remote:CopyToRemote": copyToRemoteType,
};

/** Serves the resource types of pulumi-command 1.2.1 that this project uses. It has no settings of its own. */
export const commandProvider: ProviderDefinition = {
  name: "command",
  version: "1.2.1",
  checkConfig: (settings) => ({ inputs: settings, failures: [] }),
  diffConfig: () => ({ changes: [], deleteBeforeReplace: false }),
  configure: () => undefined,
  resourceType(type) {
    const found = types[type];
    if (found === undefined) throw new Error(notCovered("command", `resource type ${type}`));
    return found;
  },
};
