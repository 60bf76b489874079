import * as pulumi from "@pulumi/pulumi";
import { allConfig } from "@pulumi/pulumi/runtime/config.js";
import { SettingsError } from "./problem.ts";
import { resolveSettings } from "./resolve.ts";
import { sections } from "./sections.ts";
import type { Settings } from "./settings.ts";

/**
 * The settings of the stack that runs: the only place that reads Pulumi's configuration.
 *
 * @throws RunError, which Pulumi prints without a stack trace, with every mistake there is.
 */
export function loadSettings(): Settings {
  const stack = pulumi.getStack();
  try {
    return resolveSettings(sections(allConfig()), { stack, file: `Pulumi.${stack}.yaml` });
  } catch (error) {
    throw error instanceof SettingsError ? new pulumi.RunError(error.message) : error;
  }
}
