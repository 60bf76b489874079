import { parse, stringify } from "yaml";

/** What of this host a kubeconfig may mean. */
export interface KubeconfigHost {
  /** Content of a file, by its path as written; throws when it cannot be read. */
  read(path: string): Buffer;
  /** Whether a program can be started by this name or path. */
  hasProgram(name: string): boolean;
}

/** A kubeconfig with one cluster and one user, all in it; or everything that is in the way of one. */
export type ChosenKubeconfig =
  | { readonly kubeconfig: string; readonly context: string }
  | { readonly problems: readonly string[] };

interface Named {
  readonly name?: unknown;
  readonly [what: string]: unknown;
}

type Entry = Readonly<Record<string, unknown>>;

/**
 * One context of a kubeconfig, without anything that is elsewhere on this host: files that it names are in it as data.
 *
 * Only a program that gives credentials (`exec`) stays what it is: what it gives is short-lived.
 *
 * @param text of the kubeconfig.
 * @param wanted name of the context; undefined: the current one, or the only one.
 */
export function chooseKubeconfig(
  text: string,
  wanted: string | undefined,
  host: KubeconfigHost,
): ChosenKubeconfig {
  let config: unknown;
  try {
    config = parse(text);
  } catch {
    config = undefined;
  }
  if (!isEntry(config)) return { problems: ["it is neither YAML nor JSON with settings in it"] };
  const contexts = named(config["contexts"]);
  const names = contexts.map(({ name }) => String(name));
  const current = config["current-context"];
  const name =
    wanted ??
    (typeof current === "string" && current !== "" ? current : undefined) ??
    (names.length === 1 ? names[0] : undefined);
  if (name === undefined) {
    const choice = names.length === 0 ? "" : `: write one of ${names.join(", ")} as context`;
    return { problems: [`it has ${names.length} contexts and no current one${choice}`] };
  }
  const context = entryOf(contexts, name, "context");
  if (context === undefined) {
    return { problems: [`it has no context ${name}; there is ${names.join(", ") || "none"}`] };
  }
  const cluster = entryOf(named(config["clusters"]), context["cluster"], "cluster");
  const user = entryOf(named(config["users"]), context["user"], "user");
  if (cluster === undefined || user === undefined) {
    const [kind, what] =
      cluster === undefined ? ["cluster", context["cluster"]] : ["user", context["user"]];
    return {
      problems: [`its context ${name} names the ${kind} ${String(what)}, which is not in it`],
    };
  }
  const problems: string[] = [];
  const itsCluster = wholeCluster(cluster, host, problems);
  const itsUser = wholeUser(user, host, problems);
  return problems.length > 0
    ? { problems }
    : {
        context: name,
        kubeconfig: stringify({
          apiVersion: "v1",
          kind: "Config",
          clusters: [{ name, cluster: itsCluster }],
          users: [{ name, user: itsUser }],
          contexts: [{ name, context: { cluster: name, user: name } }],
          "current-context": name,
        }),
      };
}

function wholeCluster(cluster: Entry, host: KubeconfigHost, problems: string[]): Entry {
  const server = textOf(cluster["server"]);
  if (!/^https:\/\/[^/]+\/?$/.test(server)) {
    problems.push(
      `its server ${server || "is missing"}${server ? " is not https://HOST:PORT, without a path" : ""}: a proxy in front of the cluster won't do, kubeadm's join needs the API server itself`,
    );
  }
  if (cluster["insecure-skip-tls-verify"] === true) {
    problems.push("it has insecure-skip-tls-verify: write certificate-authority-data instead");
  }
  if (cluster["proxy-url"] !== undefined) {
    problems.push(
      "it has proxy-url, which is not supported: use a kubeconfig that reaches the API server directly",
    );
  }
  const authority = data("certificate-authority", cluster, host, problems);
  if (authority === undefined && cluster["insecure-skip-tls-verify"] !== true) {
    problems.push("it has no certificate-authority-data: nodes must know whom to trust");
  }
  const serverName = cluster["tls-server-name"];
  return {
    server,
    ...(authority !== undefined && { "certificate-authority-data": authority }),
    ...(typeof serverName === "string" && { "tls-server-name": serverName }),
  };
}

function wholeUser(user: Entry, host: KubeconfigHost, problems: string[]): Entry {
  for (const key of ["auth-provider", "username", "as"]) {
    if (user[key] !== undefined) {
      problems.push(
        `its user has ${key}, which is not supported: use a certificate, a token or exec`,
      );
      return {};
    }
  }
  const exec = user["exec"];
  if (isEntry(exec)) {
    const command = textOf(exec["command"]);
    if (!host.hasProgram(command)) {
      const hint =
        typeof exec["installHint"] === "string" ? ` (${exec["installHint"].trim()})` : "";
      problems.push(
        `its user logs in by the program ${command || "(none named)"}, which is not on this host${hint}`,
      );
    }
    return { exec };
  }
  if (typeof user["token"] === "string") return { token: user["token"] };
  if (typeof user["tokenFile"] === "string") {
    return { token: fileText(user["tokenFile"], "tokenFile", host, problems)?.toString().trim() };
  }
  const certificate = data("client-certificate", user, host, problems);
  const key = data("client-key", user, host, problems);
  if (problems.length === 0 && (certificate === undefined || key === undefined)) {
    problems.push("its user has no certificate with a key, no token and no exec");
  }
  return { "client-certificate-data": certificate, "client-key-data": key };
}

/** Base64 of what stands under `<name>-data`, or in the file under `<name>`. */
function data(
  name: string,
  entry: Entry,
  host: KubeconfigHost,
  problems: string[],
): string | undefined {
  const [inside, path] = [entry[`${name}-data`], entry[name]];
  if (typeof inside === "string" && inside !== "") return inside;
  return typeof path === "string" && path !== ""
    ? fileText(path, name, host, problems)?.toString("base64")
    : undefined;
}

function fileText(
  path: string,
  key: string,
  host: KubeconfigHost,
  problems: string[],
): Buffer | undefined {
  try {
    return host.read(path);
  } catch (error) {
    problems.push(
      `its ${key} ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? "no file"})`,
    );
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function named(list: unknown): Named[] {
  return Array.isArray(list) ? list.filter(isEntry) : [];
}

function entryOf(list: readonly Named[], name: unknown, kind: string): Entry | undefined {
  const found = list.find((one) => one.name === name)?.[kind];
  return isEntry(found) ? found : undefined;
}

function isEntry(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
