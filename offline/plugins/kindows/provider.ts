import * as z from "zod";
import { commandProvider } from "../command/provider.ts";
import { commandRun, commandType, diffInputs } from "../command/command-type.ts";
import { localCommandProperties } from "../command/properties.ts";
import { runLocally } from "../command/run-locally.ts";
import type { Properties } from "../protocol/property-shape.ts";
import { isAbsent } from "../protocol/property-value.ts";
import {
  notCovered,
  type ProviderDefinition,
  type ResourceType,
} from "../protocol/resource-type.ts";

const properties: Properties = { ...localCommandProperties, read: { shape: { kind: "string" } } };

const command = commandType(properties, runLocally);

/** What `read` prints if the real thing differs from what was made. */
const findingSchema = z.strictObject({
  /** Why it is missing, or too damaged to repair: it is replaced. */
  gone: z.string().optional(),
  /** Why it can be repaired: `create` runs again. */
  changed: z.string().optional(),
});

/**
 * `kindows.host.Action`: `command.local.Command` with a further command, `read`, that a refresh runs. `read` gets the
 * output of `create` as PULUMI_COMMAND_STDOUT, and prints nothing if nothing has changed. Its findings become the
 * outputs `gone` and `changed`, on which the next `up` acts.
 */
const actionType: ResourceType = {
  ...command,
  diff(request) {
    const inputs = diffInputs(properties, request.olds, request.news);
    const found = (["gone", "changed"] as const).flatMap((name) =>
      isAbsent(request.olds[name])
        ? []
        : {
            keys: [name],
            before: request.olds[name],
            after: undefined,
            isOutput: true,
            replaces: name === "gone",
          },
    );
    return { ...inputs, changes: [...inputs.changes, ...found] };
  },
  async read({ inputs, state }, operation) {
    const { read } = state;
    if (typeof read !== "string") return { inputs, state };
    const given = { ...state, addPreviousOutputInEnv: true };
    const { stdout } = await runLocally(commandRun(read, given, state), operation);
    const { gone, changed } = findingSchema.parse(stdout === "" ? {} : JSON.parse(stdout));
    return { inputs, state: { ...state, gone, changed } };
  },
  update(request, operation) {
    const { olds, news } = request;
    const isSame =
      isAbsent(olds["changed"]) &&
      diffInputs(properties, olds, news).changes.every(({ keys }) => keys[0] === "read");
    // A changed `read` command does not change what was made.
    if (!isSame) return command.update(request, operation);
    return Promise.resolve({ ...news, stdout: olds["stdout"], stderr: olds["stderr"] });
  },
};

export const kindowsProvider: ProviderDefinition = {
  ...commandProvider,
  name: "kindows",
  version: "0.1.0",
  resourceType(type) {
    if (type !== "kindows:host:Action")
      throw new Error(notCovered("kindows", `resource type ${type}`));
    return actionType;
  },
};
