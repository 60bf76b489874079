import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { stringify } from "yaml";
import * as z from "zod";
import { readYaml } from "../../../config/yaml-text.ts";

/** A self-contained kubeconfig with one cluster and one user, or all reasons why there is none. */
type ChosenKubeconfig = { readonly kubeconfig: string } | { readonly problems: readonly string[] };

/** A value that is not a string counts as missing. */
const text = z.string().min(1).optional().catch(undefined);

/** A value that only counts if it says something: client-go takes an empty one for none. */
const written = z
  .unknown()
  .optional()
  .transform((value) => (value === "" || value === null || value === false ? undefined : value));

const clusterSchema = z.object({
  server: text,
  "certificate-authority": text,
  "certificate-authority-data": text,
  "tls-server-name": text,
  "insecure-skip-tls-verify": written,
  "proxy-url": written,
});

const execSchema = z.looseObject({ command: text, installHint: text });

type Exec = z.output<typeof execSchema>;

const userSchema = z.object({
  "client-certificate": text,
  "client-certificate-data": text,
  "client-key": text,
  "client-key-data": text,
  token: text,
  tokenFile: text,
  exec: execSchema.optional().catch(undefined),
  "auth-provider": written,
  username: written,
  as: written,
});

const list = z
  .array(z.looseObject({ name: z.unknown().optional() }).nullable().catch(null))
  .catch([]);

const kubeconfigSchema = z.object({
  "current-context": text,
  contexts: list,
  clusters: list,
  users: list,
});

function named<T>(
  entries: z.output<typeof list>,
  name: unknown,
  kind: string,
  schema: z.ZodType<T>,
) {
  return schema.safeParse(entries.find((each) => each?.name === name)?.[kind]).data;
}

/**
 * Returns one context of a kubeconfig as a self-contained kubeconfig: the contents of files that it names are embedded.
 *
 * A program that prints credentials (`exec`) is kept, because its credentials are short-lived.
 *
 * @param wanted name of the context. If undefined, the current context, or else the only one.
 * @param folder the folder that paths in the kubeconfig are relative to; undefined if it is not in a file, in which
 * case all paths must be absolute.
 */
export function chooseKubeconfig(
  kubeconfig: string,
  wanted: string | undefined,
  folder: string | undefined,
): ChosenKubeconfig {
  const yaml = readYaml(kubeconfig);
  if ("why" in yaml) return { problems: [`it ${yaml.why}`] };
  const { data: config } = kubeconfigSchema.safeParse(yaml.value);
  if (config === undefined) {
    return { problems: ["it is not a kubeconfig in YAML or JSON"] };
  }
  const names = config.contexts.flatMap((each) => (each === null ? [] : [String(each.name)]));
  const [first, ...others] = names;
  const name = wanted ?? config["current-context"] ?? (others.length === 0 ? first : undefined);
  if (name === undefined) {
    const choice = names.length === 0 ? "" : `: write one of ${names.join(", ")} as context`;
    return { problems: [`it has ${names.length} contexts and no current one${choice}`] };
  }
  const references = z.object({ cluster: z.unknown().optional(), user: z.unknown().optional() });
  const context = named(config.contexts, name, "context", references);
  if (context === undefined) {
    return { problems: [`it has no context ${name}, only: ${names.join(", ") || "none"}`] };
  }
  const cluster = named(config.clusters, context.cluster, "cluster", clusterSchema);
  const user = named(config.users, context.user, "user", userSchema);
  if (cluster === undefined || user === undefined) {
    const kind = cluster === undefined ? "cluster" : "user";
    const what = `the ${kind} ${String(context[kind])}`;
    return { problems: [`its context ${name} names ${what}, which is not in it`] };
  }
  const parts = new SelfContained(folder);
  const result = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name, cluster: parts.cluster(cluster) }],
    users: [{ name, user: parts.user(user) }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  };
  const { problems } = parts;
  return problems.length > 0 ? { problems } : { kubeconfig: stringify(result) };
}

/** The address of an API server as client-go completes it: https unless it says otherwise, in any case of letters. */
function httpsServer(server: string): string | undefined {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(server) ? server : `https://${server}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isWhole =
    url?.protocol === "https:" && url.pathname === "/" && url.search === "" && url.username === "";
  return isWhole ? address.replace(/^https:/i, "https:").replace(/\/$/, "") : undefined;
}

class SelfContained {
  readonly problems: string[] = [];

  constructor(private readonly folder: string | undefined) {}

  cluster(cluster: z.output<typeof clusterSchema>): object {
    const { server = "", "insecure-skip-tls-verify": trustsAnybody } = cluster;
    const address = httpsServer(server);
    if (address === undefined || server === "") {
      const wrong =
        server === "" ? "is missing" : `${server} is not https://HOST:PORT, without a path`;
      this.problems.push(
        `its server ${wrong}: kubeadm join needs the API server itself, not a proxy in front of it`,
      );
    }
    if (trustsAnybody === true) {
      this.problems.push(
        "it has insecure-skip-tls-verify: write certificate-authority-data instead",
      );
    }
    if (cluster["proxy-url"] !== undefined) {
      this.problems.push(
        "it has proxy-url, which is not supported: use a kubeconfig that reaches the API server directly",
      );
    }
    const authority = this.#data("certificate-authority", cluster);
    const isNamed = cluster["certificate-authority"] !== undefined;
    if (authority === undefined && !isNamed && trustsAnybody !== true) {
      this.problems.push(
        "it has no certificate-authority-data: nodes need it to verify the API server",
      );
    }
    const serverName = cluster["tls-server-name"];
    return {
      server: address ?? server,
      ...(authority !== undefined && { "certificate-authority-data": authority }),
      ...(serverName !== undefined && { "tls-server-name": serverName }),
    };
  }

  user(user: z.output<typeof userSchema>): object {
    for (const key of ["auth-provider", "username", "as"] as const) {
      if (user[key] === undefined) continue;
      const instead = "use a certificate, a token or exec";
      this.problems.push(`its user has ${key}, which is not supported: ${instead}`);
      return {};
    }
    const { exec, token, tokenFile } = user;
    // Of both, the file counts if there is one, because its content may be newer.
    const isRead = tokenFile !== undefined && (token === undefined || this.#isThere(tokenFile));
    const content = isRead ? this.#read(tokenFile, "tokenFile") : undefined;
    const bearer = content?.toString().trim() || token;
    const certificate = this.#data("client-certificate", user);
    const key = this.#data("client-key", user);
    const ownCertificate =
      certificate !== undefined && key !== undefined
        ? { "client-certificate-data": certificate, "client-key-data": key }
        : {};
    if (bearer !== undefined) return { token: bearer, ...ownCertificate };
    if (exec !== undefined) return { exec: this.#program(exec), ...ownCertificate };
    if (this.problems.length === 0 && (certificate === undefined || key === undefined)) {
      this.problems.push("its user has no certificate with a key, no token and no exec");
    }
    return ownCertificate;
  }

  /** The program by its full path, because each of its users starts it in another folder. */
  #program({ command = "", ...exec }: Exec): Exec {
    // Only a name without a slash is looked up on the PATH; other names are relative to the kubeconfig.
    const folders = command.includes("/")
      ? [this.folder ?? "/"]
      : (process.env["PATH"] ?? "").split(path.delimiter).filter((each) => path.isAbsolute(each));
    const files = command === "" ? [] : folders.map((folder) => path.resolve(folder, command));
    const file = files.find(isExecutable);
    if (file === undefined) {
      const hint = exec.installHint === undefined ? "" : ` (${exec.installHint.trim()})`;
      const what = `the program ${command || "(none named)"}`;
      this.problems.push(`its user logs in with ${what}, which is not on this host${hint}`);
    }
    return { ...exec, command: command.includes("/") ? file : command };
  }

  /** The value of `<name>-data`, or the content of the file that `<name>` names; in base64. */
  #data<Name extends string>(
    name: Name,
    entry: Readonly<Partial<Record<Name | `${Name}-data`, string | undefined>>>,
  ): string | undefined {
    const file = entry[name];
    return (
      entry[`${name}-data`] ??
      (file === undefined ? undefined : this.#read(file, name)?.toString("base64"))
    );
  }

  #isThere(file: string): boolean {
    return existsSync(path.resolve(this.folder ?? "/", file));
  }

  #read(file: string, key: string): Buffer | undefined {
    let why = "a relative path, but the kubeconfig is not in a file";
    try {
      if (this.folder !== undefined || path.isAbsolute(file)) {
        return readFileSync(path.resolve(this.folder ?? "/", file));
      }
    } catch (error) {
      why = (error as NodeJS.ErrnoException).code ?? "no file";
    }
    this.problems.push(`its ${key} ${file} cannot be read (${why})`);
    return undefined;
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
