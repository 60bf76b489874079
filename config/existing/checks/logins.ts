import { pathText } from "../../problem.ts";
import type { Check, SettingsProblem } from "../../problem.ts";
import { privateKey } from "../../values/private-key.ts";
import type { WrittenExisting } from "../settings.ts";
import { credentials, effectiveLogin, ways, waysOf } from "../login.ts";

/** Everywhere at most one way to log in; a key in the settings is one. Values are secrets: none is shown. */
export const oneWayEach: Check<WrittenExisting> = {
  reads: [],
  run: (settings) =>
    credentials(settings).flatMap(({ path, credential }): SettingsProblem[] => {
      const written = waysOf(credential);
      if (written.length > 1) {
        const why = `has several ways to log in: ${written.join(", ")}`;
        return [{ path, value: undefined, why, instead: "Keep one of them." }];
      }
      if (credential.privateKeyPassphrase !== undefined && (written[0] ?? "agent") === "agent") {
        const why = "has no key beside it that it could open";
        const instead = "Write privateKeyFile or privateKey there too, or leave it out.";
        return [{ path: [...path, "privateKeyPassphrase"], value: undefined, why, instead }];
      }
      const wrong =
        credential.privateKey === undefined
          ? undefined
          : privateKey(credential.privateKey, credential.privateKeyPassphrase !== undefined);
      return wrong === undefined
        ? []
        : [{ path: [...path, "privateKey"], value: undefined, ...wrong }];
    }),
};

/** Every machine can be logged in to. */
export const someWay: Check<WrittenExisting> = {
  reads: [],
  run: ({ login, nodes }) =>
    nodes.flatMap((node, index) =>
      waysOf(effectiveLogin(login, node)).length > 0
        ? []
        : [
            {
              path: ["nodes", index],
              value: node.name,
              why: "cannot be logged in to: no key and no agent is named",
              instead: `Write ${ways.join(", ")}: one of them, there or under ${pathText(["login"])}.`,
            },
          ],
    ),
};
