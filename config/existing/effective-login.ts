import type { SettingsProblem } from "../problem.ts";
import type { WrittenExisting } from "./settings.ts";

type Login = WrittenExisting["login"];
type Credential = Pick<Login, "privateKeyFile" | "privateKey" | "privateKeyPassphrase" | "agent">;

/** Ways to log in, of which one is used; in the order they are told. */
export const ways = ["privateKeyFile", "privateKey", "agent"] as const;

/** The ways that are written. */
export function waysOf(credential: Credential): (typeof ways)[number][] {
  return ways.filter((way) => credential[way] !== undefined && credential[way] !== false);
}

/** The login of one machine: its own settings, else those of all. A way of its own takes the place of all others. */
export function effectiveLogin(all: Login, node: WrittenExisting["nodes"][number]): Login {
  const { user, port, bastions } = node;
  // A port leads to certain bastions: not to others.
  const forwardPort = node.forwardPort ?? (bastions === undefined ? all.forwardPort : undefined);
  return {
    user: user ?? all.user,
    port: port ?? all.port,
    bastions: bastions ?? all.bastions,
    ...(forwardPort !== undefined && { forwardPort }),
    ...ownOr(node, all),
  };
}

/** The bastions of a machine's login. One that names no way of its own is logged in to as the machine is. */
export function effectiveHops(login: Login): Login["bastions"] {
  return login.bastions.map(({ address, port, user, hostKey, ...credential }) => ({
    ...{ address, port, user, hostKey },
    ...ownOr(credential, login),
  }));
}

/** What logs in: of the one where something is written there, else of the other. */
function ownOr(own: Credential, other: Credential): Credential {
  const { privateKeyFile, privateKey, privateKeyPassphrase, agent } =
    waysOf(own).length > 0 ? own : other;
  return {
    ...(privateKeyFile !== undefined && { privateKeyFile }),
    ...(privateKey !== undefined && { privateKey }),
    ...(privateKeyPassphrase !== undefined && { privateKeyPassphrase }),
    ...(agent !== undefined && { agent }),
  };
}

/** Every place where a credential can be written, with what is written there. */
export function credentials({ login, nodes }: Pick<WrittenExisting, "login" | "nodes">): readonly {
  readonly path: SettingsProblem["path"];
  readonly credential: Credential;
}[] {
  const bastions = (path: SettingsProblem["path"], list: Login["bastions"] = []) =>
    list.map((credential, hop) => ({ path: [...path, "bastions", hop], credential }));
  return [
    { path: ["login"], credential: login },
    ...bastions(["login"], login.bastions),
    ...nodes.flatMap((node, index) => [
      { path: ["nodes", index], credential: node },
      ...bastions(["nodes", index], node.bastions),
    ]),
  ];
}
