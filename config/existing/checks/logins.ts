import { pathText } from "../../problem.ts";
import type { SettingsProblem } from "../../problem.ts";
import { privateKey } from "../../values/private-key.ts";
import type { ExistingCheck } from "../check.ts";
import { credentials, effectiveLogin, ways, waysOf } from "../effective-login.ts";

/** Everywhere at most one way to log in; a key in the settings is one. Values are secrets: none is shown. */
export const oneWayEach: ExistingCheck = {
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
export const someWay: ExistingCheck = {
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

/** Pulumi's command plugin reaches a machine through one host at most (`connection.proxy`). */
export const oneBastion: ExistingCheck = {
  reads: [],
  run: ({ login, nodes }) =>
    [
      { path: ["login", "bastions"], bastions: login.bastions },
      ...nodes.map((node, index) => ({
        path: ["nodes", index, "bastions"],
        bastions: node.bastions ?? [],
      })),
    ].flatMap(({ path, bastions }) =>
      bastions.length < 2
        ? []
        : [
            {
              path,
              value: bastions.map(({ address }) => address).join(", "),
              why: "are several hosts one behind the other; Pulumi's command plugin goes through one",
              instead:
                "Forward a port of this host to the last of them (ssh -N -L 2222:LAST:22 FIRST), and write that one alone, with address localhost, port 2222 and the last one's own host key.",
            },
          ],
    ),
};

/** A machine is not its own bastion. */
export const bastionApart: ExistingCheck = {
  reads: [],
  run: ({ login, nodes }) =>
    nodes.flatMap((node, index) => {
      const { bastions } = effectiveLogin(login, node);
      return bastions.some((one) => one.address === node.address || one.hostKey === node.hostKey)
        ? [
            {
              path: ["nodes", index],
              value: node.name,
              why: "is its own bastion: the same address or host key",
              instead: "Write bastions: [] there, if it is reached directly, or the right host.",
            },
          ]
        : [];
    }),
};
