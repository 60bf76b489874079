import * as z from "zod";

import { parseJson } from "../../toolchain/parse-json.ts";
import { StackFacts } from "../engine/facts.ts";
import { logSources, revealed, stepsOf } from "../logs/machines.ts";
import type { LogSource } from "../logs/machines.ts";
import type { Deployment, StateResource } from "../engine/deployment.ts";
import { resourcesOf } from "../engine/deployment.ts";
import { unusedTokens } from "../recovery/unused-tokens.ts";

/** A Windows machine of a stack, how it was checked and how it has joined. */
export interface NodeMachine extends LogSource {
  /** Folder of the script that checks it, on the machine. */
  readonly checkFolder: string;
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
/**
 * @param deployment an export of the state that shows secrets.
 * @throws Failure when an earlier version has written it.
 */
export function labState(deployment: Deployment): LabState {
  const resources = resourcesOf(deployment).filter((each) => each.delete !== true);
  const facts = new StackFacts(resources);
  const [cluster] = facts.of("kindows:controlplane:KindCluster").keys();
  const kubeconfig = revealed(
    resources.find(({ urn }) => urn === cluster)?.outputs?.["kubeconfig"],
  );
  const sources = new Map(logSources(deployment).map((source) => [source.node, source]));
  return {
    kubeconfig: typeof kubeconfig === "string" ? kubeconfig : undefined,
    machines: [...facts.of("kindows:windows:WindowsNode")].flatMap(
      ([urn, { node, checkFolder }]) => {
        const source = sources.get(node);
        const join = stepsOf(resources, urn).flatMap((each) => joinOf(each) ?? [])[0];
        return source === undefined
          ? []
          : [{ ...source, checkFolder, ...(join !== undefined && { join }) }];
      },
    ),
    unjoined: unusedTokens(resources).flatMap((urn) => facts.nodeOf(urn) ?? []),
  };
}

/** The one that gets a token is the join. */
function joinOf({ inputs = {} }: StateResource): NodeMachine["join"] {
  const [command, input] = [revealed(inputs["create"]), revealed(inputs["stdin"])];
  return typeof command === "string" &&
    typeof input === "string" &&
    joinSecretSchema.safeParse(parseJson(input)).success
    ? { command, input }
    : undefined;
}

/**
 * A join's standard input with another token.
 *
 * @throws where it is none: then the state is another version's.
 */
export function withToken(input: string, token: string): string {
  const secret = joinSecretSchema.safeParse(parseJson(input));
  if (!secret.success) {
    throw new Error("the state does not say with what the node has joined: run `kindows up`");
  }
  return JSON.stringify({ ...secret.data, token });
}
