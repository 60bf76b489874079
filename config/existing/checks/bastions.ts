import type { Check, SettingsProblem } from "../../problem.ts";
import { effectiveHops, effectiveLogin, effectiveForwardPort } from "../login.ts";
import type { Bastion, WrittenExisting } from "../settings.ts";

/** A machine is not its own bastion. */
export const bastionApart: Check<WrittenExisting> = {
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
export const eachBastionOnce: Check<WrittenExisting> = {
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
export const forwardPortUsed: Check<WrittenExisting> = {
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
export const forwardPortsApart: Check<WrittenExisting> = {
  reads: [],
  run: ({ login, nodes }, file) => {
    const first = new Map<number, { readonly name: string; readonly way: string }>();
    return nodes.flatMap((node, index): SettingsProblem[] => {
      const own = effectiveLogin(login, node);
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
