import * as pulumi from "@pulumi/pulumi";
import { allConfig } from "@pulumi/pulumi/runtime/config.js";
import { resolveSettings } from "./resolve.ts";
import { sections } from "./sections.ts";
import type { Settings } from "./settings.ts";

/**
 * The settings of the stack that runs: the only place that reads Pulumi's configuration.
 *
 * @throws SettingsError with every mistake there is.
 */
export function loadSettings(): Settings {
  const stack = pulumi.getStack();
  return resolveSettings(sections(allConfig()), { stack, file: `Pulumi.${stack}.yaml` });
}
