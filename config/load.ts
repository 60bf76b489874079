import * as pulumi from "@pulumi/pulumi";
import { allConfig } from "@pulumi/pulumi/runtime/config.js";
import { resolveSettings } from "./resolve.ts";
import type { Settings } from "./settings.ts";

const namespace = "kindows:";

/**
 * The settings of the stack that runs: the only place that reads Pulumi's configuration.
 *
 * @throws SettingsError with every mistake there is.
 */
export function loadSettings(): Settings {
  const stack = pulumi.getStack();
  const sections = Object.entries(allConfig())
    .filter(([key]) => key.startsWith(namespace))
    .map(([key, value]) => [key.slice(namespace.length), parsed(value)] as const);
  return resolveSettings(Object.fromEntries(sections), { stack, file: `Pulumi.${stack}.yaml` });
}

/** Pulumi hands objects over as JSON, and text as it is. */
function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
