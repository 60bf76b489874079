import { type Check, pathText, type SettingsProblem } from "../../../config/problem.ts";
import {
  credentials,
  effectiveForwardPort,
  effectiveHops,
  effectiveLogin,
  ways,
  waysOf,
} from "./login.ts";
import type { Bastion, WrittenExisting } from "../../../config/existing.ts";
import { privateKey } from "../../../config/values/private-key.ts";

/** A machine is not its own bastion. */
const bastionApart: Check<WrittenExisting> = {
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

/** No way uses a host twice. */
const eachBastionOnce: Check<WrittenExisting> = {
  reads: [],
  run: ({ login, nodes }) =>
    [
      { path: ["login"], bastions: login.bastions },
      ...nodes.map(({ bastions = [] }, index) => ({ path: ["nodes", index], bastions })),
    ].flatMap(({ path, bastions }) =>
      bastions.flatMap((one, hop): SettingsProblem[] => {
        const before = bastions.slice(0, hop).findIndex((other) => isSame(one, other));
        return before < 0
          ? []
          : [
              {
                path: [...path, "bastions", hop],
                value: one.address,
                why: `is bastions[${before}] once more: the same address and port, or the same host key`,
                instead: "Leave it out, or write the right host and its own host key.",
              },
            ];
      }),
    ),
};

function isSame(one: Bastion, other: Bastion): boolean {
  return (
    (one.address === other.address && one.port === other.port) || one.hostKey === other.hostKey
  );
}

/** A port is only set if it is used: for several bastions. */
const forwardPortUsed: Check<WrittenExisting> = {
  reads: [],
  run: ({ login, nodes }) =>
    [
      { path: ["login"], port: login.forwardPort, bastions: login.bastions },
      ...nodes.map((node, index) => ({
        path: ["nodes", index],
        port: node.forwardPort,
        bastions: effectiveLogin(login, node).bastions,
      })),
    ].flatMap(({ path, port, bastions }): SettingsProblem[] =>
      port === undefined || bastions.length > 1
        ? []
        : [
            {
              path: [...path, "forwardPort"],
              value: port,
              why: `is for several bastions one behind the other, of which there ${bastions.length === 1 ? "is 1" : "are none"}`,
              instead: "Leave it out.",
            },
          ],
    ),
};

/** A port leads to one bastion, by one way. */
const forwardPortsApart: Check<WrittenExisting> = {
  reads: [],
  run: ({ login, nodes, machine }, file) => {
    const first = new Map<number, { readonly name: string; readonly way: string }>();
    // Those that are made are all reached by the same bastions.
    const made = (machine?.nodes ?? []).map((node) => ({ node, own: login, index: -1 }));
    const there = nodes.map((node, index) => ({ node, own: effectiveLogin(login, node), index }));
    return [...made, ...there].flatMap(({ node, own, index }): SettingsProblem[] => {
      const port = effectiveForwardPort(own, file);
      if (port === undefined) return [];
      const way = wayOf(own);
      const other = first.get(port);
      if (other === undefined || other.way === way) {
        first.set(port, { name: node.name, way });
        return [];
      }
      return [
        {
          path: ["nodes", index, "forwardPort"],
          value: port,
          why: `leads to the bastions of ${other.name}, which are others than those of ${node.name}, or are logged in to otherwise`,
          instead: "Write another port there, from 1024 to 65535.",
        },
      ];
    });
  },
};

/** What a forwarded port stands for: the hosts before the last with what logs in, and where the last one is. */
function wayOf(login: WrittenExisting["login"]): string {
  const hops = effectiveHops(login);
  const last = hops.at(-1);
  return JSON.stringify([hops.slice(0, -1), last?.address, last?.port]);
}

/** Everywhere at most one way to log in; a key in the settings is one. Values are secrets: none is shown. */
const oneWayEach: Check<WrittenExisting> = {
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
const someWay: Check<WrittenExisting> = {
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

/** Of what is written anywhere. */
export const credentialChecks = [oneWayEach, eachBastionOnce, forwardPortUsed];

/** Of the way that each machine is reached by. */
export const wayChecks = [someWay, bastionApart, forwardPortsApart];
