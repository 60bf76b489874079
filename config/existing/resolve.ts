import { checkedSettings } from "../checked-settings.ts";
import type { SettingsProblem } from "../problem.ts";
import type { SettingsSource } from "../resolve.ts";
import { defaultContainerdVersion } from "../supported.ts";
import { existingChecks } from "./checks.ts";
import { effectiveHops, effectiveLogin, effectiveForwardPort } from "./login.ts";
import { existingSchema, type ExistingSettings, type WrittenExisting } from "./settings.ts";

/** Settings whose values are secrets, misspelt ones too: none is ever shown. */
const secretKey = /key|pass|text|token|secret/i;

/** Names of other settings. */
const noSecrets: readonly string[] = ["hostKey", "privateKeyFile", "context"];

const rules = {
  schema: existingSchema,
  named: (settings: WrittenExisting): WrittenExisting => settings,
  checks: existingChecks,
};

/**
 * All settings of existing machines and their cluster, from the sections as written. Reads no file.
 *
 * @param others Mistakes outside of the sections, to be reported too.
 * @throws SettingsError with every mistake there is, in the order of the settings; without secrets.
 */
export function resolveExisting(
  written: Readonly<Record<string, unknown>>,
  { file }: Pick<SettingsSource, "file">,
  others: readonly SettingsProblem[] = [],
): ExistingSettings {
  return filled(checkedSettings(rules, written, { file, others, veiled: withoutSecret }), file);
}

function withoutSecret(problem: SettingsProblem): SettingsProblem {
  const key = String(problem.path.at(-1));
  const secret = secretKey.test(key) && !noSecrets.includes(key);
  return secret ? { ...problem, value: undefined } : problem;
}

/** Fills in what a machine has in common with the others. */
function filled({ windows, nodes, ...settings }: WrittenExisting, file: string): ExistingSettings {
  return {
    ...settings,
    windows: {
      ...windows,
      containerdVersion: windows.containerdVersion ?? defaultContainerdVersion,
    },
    nodes: nodes.map((node) => {
      const { name, os, address, hostKey, labels, taints, kubeletArgs, nodeIp } = node;
      const login = effectiveLogin(settings.login, node);
      const port = effectiveForwardPort(login, file);
      return {
        ...{ name, os, address, hostKey, labels, taints, kubeletArgs },
        nodeIp: nodeIp ?? address,
        login: {
          ...login,
          bastions: effectiveHops(login),
          ...(port !== undefined && { forwardPort: port }),
        },
      };
    }),
  };
}
