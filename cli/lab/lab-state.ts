import * as z from "zod";

import { stepTriggerOf } from "../../components/node/step-trigger.ts";
import { joinNode } from "../../components/windows/steps.ts";
import { remoteSteps } from "../../components/node/steps-folder.ts";
import type { SshSource } from "../../host/ssh/run-over-ssh.ts";
import { parseJson } from "../../toolchain/parse-json.ts";
import { resourcesOf, type Deployment, type StateResource } from "../engine/deployment.ts";
import { StackFacts } from "../engine/facts.ts";
import type { Pulumi } from "../engine/pulumi.ts";
import { secretsOf, secretValue } from "./known-secrets.ts";
import { unusedTokens } from "../recovery/repair.ts";

export interface NodeMachine extends SshSource {
  readonly node: string;
  readonly scripts: string;
  readonly checkFolder: string;
  /** Command that joins it, and its standard input (secret); undefined before it has joined. */
  readonly join?: { readonly command: string; readonly input: string } | undefined;
}

export interface LabState {
  /** The administrator's kubeconfig, if the state has one. Secret. */
  readonly kubeconfig: string | undefined;
  /** Machines that have the scripts; known even after a failed `up`, when the stack has no outputs. */
  readonly machines: readonly NodeMachine[];
  /** Nodes for which a token was created, but that have not joined with it. */
  readonly unjoined: readonly string[];
  /** Whether nodes are not Ready until the user has installed a pod network. */
  readonly awaitsPodNetwork: boolean;
  /** Every secret value in the state. */
  readonly secrets: readonly string[];
}

const connectionSchema = z.object({
  host: z.string(),
  port: z.number().default(22),
  user: z.string(),
  privateKey: z.string(),
  hostKey: z.string(),
});

const joinSecretSchema = z.object({ token: z.string(), caCertHashes: z.array(z.string()) });

/** @throws Failure if an earlier version has written the state. */
export async function labStateOf(pulumi: Pulumi): Promise<LabState> {
  return labState(await pulumi.exportState("--show-secrets"));
}

/** @param deployment with secrets. @throws Failure when an earlier version has written it. */
export function labState(deployment: Deployment): LabState {
  const resources = resourcesOf(deployment).filter((each) => each.delete !== true);
  const facts = new StackFacts(resources);
  const outputOf = (urn: string | undefined, name: string): unknown =>
    revealed(resources.find((each) => each.urn === urn)?.outputs?.[name]);
  const [[cluster, made] = []] = facts.of("kindows:controlplane:KindCluster");
  const nodes = [...facts.of("kindows:windows:WindowsNode")];
  const machineUrns = facts.machines();
  return {
    kubeconfig: z.string().safeParse(outputOf(cluster, "kubeconfig")).data,
    machines: nodes.flatMap(([urn, { node, checkFolder }]) => {
      const { data } = connectionSchema.safeParse(outputOf(machineUrns.get(node), "connection"));
      const steps = resources.filter(
        ({ type, parent }) => type === "command:remote:Command" && parent === urn,
      );
      // The first command on a machine unpacks the scripts.
      if (data === undefined || steps.length === 0) return [];
      const [join] = steps.flatMap((each) => joinOf(each) ?? []);
      return [{ node, ...data, scripts: `${remoteSteps}\\Export-NodeLog`, checkFolder, join }];
    }),
    unjoined: unusedTokens(resources).flatMap((urn) => facts.nodeOf(urn) ?? []),
    awaitsPodNetwork: made?.awaitsPodNetwork === true,
    secrets: secretsOf(resourcesOf(deployment)),
  };
}

/** The join command, if this resource is the join. */
function joinOf({ inputs = {} }: StateResource): NodeMachine["join"] {
  if (stepTriggerOf(inputs)?.step !== joinNode.name) return undefined;
  const [command, input] = [revealed(inputs["create"]), revealed(inputs["stdin"])];
  return typeof command === "string" && typeof input === "string" ? { command, input } : undefined;
}

/** A join's input with another token. @throws if another version wrote the input. */
export function withToken(input: string, token: string): string {
  const secret = joinSecretSchema.safeParse(parseJson(input));
  if (!secret.success) {
    throw new Error(
      "this version cannot read the node's join input in the state: run `kindows up`",
    );
  }
  return JSON.stringify({ ...secret.data, token });
}

function revealed(value: unknown): unknown {
  const secret = secretValue(value);
  if (secret !== undefined) return revealed(secret.is);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, revealed(each)]));
  }
  return value;
}
