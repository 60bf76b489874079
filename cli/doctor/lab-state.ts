import * as z from "zod";

import { revealed, logSources } from "../logs/machines.ts";
import type { LogSource } from "../logs/machines.ts";
import type { Deployment, StateResource } from "../recovery/deployment.ts";
import { resourcesOf } from "../recovery/deployment.ts";
import { unusedTokens } from "../recovery/unused-tokens.ts";

/** A Windows machine of a stack, how it was checked and how it has joined. */
export interface NodeMachine extends LogSource {
  /** Folder of the script that checked it, on the machine; nothing before that was done. */
  readonly check?: string | undefined;
  /** Command that joins it, and what that gets on its standard input (secret); nothing before it has joined. */
  readonly join?: { readonly command: string; readonly input: string } | undefined;
}

/** What a stack's state says of its lab, secrets included. */
export interface LabState {
  /** Admin's kubeconfig; nothing where the state has none. Secret. */
  readonly kubeconfig: string | undefined;
  readonly machines: readonly NodeMachine[];
  /** Nodes for which a token was minted, and that have not joined with it. */
  readonly unjoined: readonly string[];
}

const joinSecretSchema = z.object({ token: z.string(), caCertHashes: z.array(z.string()) });
const tokenSchema = z.object({ description: z.string() });

/** Description that a token for a node's join has in the cluster. */
const joinDescription = /^kindows: join of (.+)$/;

/** @param deployment an export of the state that shows secrets. */
export function labState(deployment: Deployment): LabState {
  const resources = resourcesOf(deployment).filter((each) => each.delete !== true);
  const unused = new Set(unusedTokens(resources));
  return {
    kubeconfig: resources.flatMap((each) => kubeconfigOf(each) ?? [])[0],
    machines: logSources(deployment).map((source) => {
      const join = resources.flatMap((each) => joinOf(each, source.node) ?? [])[0];
      const check = resources.flatMap((each) => checkOf(each, source.node) ?? [])[0];
      return {
        ...source,
        ...(check !== undefined && { check }),
        ...(join !== undefined && { join }),
      };
    }),
    unjoined: resources
      .filter(({ urn }) => unused.has(urn))
      .flatMap((each) => nodeOfToken(each) ?? []),
  };
}

/** Of the cluster that was made, or else what the stack hands out. */
function kubeconfigOf({ type, inputs = {}, outputs = {} }: StateResource): string | undefined {
  const create = revealed(inputs["create"]);
  const made =
    type === "command:local:Command" &&
    typeof create === "string" &&
    create.includes("create-kind-cluster");
  const value = revealed(made ? outputs["stdout"] : outputs["kubeconfig"]);
  return (made || type === "pulumi:pulumi:Stack") && typeof value === "string" ? value : undefined;
}

function checkOf({ urn, type, inputs = {} }: StateResource, node: string): NodeMachine["check"] {
  if (type !== "command:remote:Command" || !urn.endsWith(`::${node}-test-windowshost`)) {
    return undefined;
  }
  return /-File "?([^\s"]+)\\Test-WindowsHost\.ps1/.exec(String(revealed(inputs["create"])))?.[1];
}

function joinOf({ urn, type, inputs = {} }: StateResource, node: string): NodeMachine["join"] {
  if (type !== "command:remote:Command" || !urn.endsWith(`::${node}-join-node`)) {
    return undefined;
  }
  const [command, input] = [revealed(inputs["create"]), revealed(inputs["stdin"])];
  return typeof command === "string" && typeof input === "string" ? { command, input } : undefined;
}

function nodeOfToken({ inputs = {} }: StateResource): string | undefined {
  const environment = z
    .object({ TOKEN: z.string() })
    .safeParse(revealed(inputs["environment"])).data;
  const token = tokenSchema.safeParse(parsed(environment?.TOKEN));
  return token.success ? joinDescription.exec(token.data.description)?.[1] : undefined;
}

/**
 * A join's standard input with another token.
 *
 * @throws where it is none: then the state is another version's.
 */
export function withToken(input: string, token: string): string {
  const secret = joinSecretSchema.safeParse(parsed(input));
  if (!secret.success) {
    throw new Error("the state does not say with what the node has joined: run `kindows up`");
  }
  return JSON.stringify({ ...secret.data, token });
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
