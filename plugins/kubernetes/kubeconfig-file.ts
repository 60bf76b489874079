import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parse } from "yaml";
import type { Settings } from "./settings.ts";

/** A kubeconfig as far as its contexts and clusters go. */
interface KubeconfigDocument {
  readonly "current-context"?: string;
  readonly contexts?: readonly {
    readonly name: string;
    readonly context?: { readonly cluster?: string; readonly namespace?: string };
  }[];
  readonly clusters?: readonly { readonly name: string; readonly cluster?: unknown }[];
}

/** Text of the kubeconfig the settings mean, or undefined where there is none. */
export function readKubeconfig(settings: Pick<Settings, "kubeconfig">): string | undefined {
  const given = settings.kubeconfig;
  // Content has several lines or is a JSON object; anything else is a path.
  if (given !== undefined && /[\n{]/.test(given)) return given;
  const file = given ?? process.env["KUBECONFIG"] ?? path.join(os.homedir(), ".kube", "config");
  try {
    return readFileSync(file.replace(/^~(?=$|\/)/, os.homedir()), "utf8");
  } catch {
    return undefined;
  }
}

/** Namespace of the context, `default` where it names none. Reading it needs no contact with the cluster. */
export function contextNamespace(settings: Settings): string {
  return activeContext(parsed(readKubeconfig(settings)), settings)?.namespace ?? "default";
}

/** What the settings say of the cluster they mean, for comparing; undefined where they say nothing. */
export function activeCluster(
  settings: Pick<Settings, "kubeconfig" | "context" | "cluster">,
): unknown {
  const document = parsed(readKubeconfig(settings));
  const name = settings.cluster ?? activeContext(document, settings)?.cluster;
  return document.clusters?.find((cluster) => cluster.name === name)?.cluster;
}

function activeContext(
  document: KubeconfigDocument,
  settings: Pick<Settings, "context">,
): { readonly cluster?: string; readonly namespace?: string } | undefined {
  const name = settings.context ?? document["current-context"];
  return document.contexts?.find((context) => context.name === name)?.context;
}

function parsed(text: string | undefined): KubeconfigDocument {
  if (text === undefined) return {};
  try {
    return (parse(text) as KubeconfigDocument | null) ?? {};
  } catch {
    throw new Error(
      "kubeconfig is neither the content of a kubeconfig (YAML or JSON) nor the path of one",
    );
  }
}
