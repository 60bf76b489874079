import { checkProperties, type Properties } from "../protocol/property-shape.ts";
import { type PropertyMap, reveal, scalarText } from "../protocol/property-value.ts";
import { ownSettings } from "../protocol/provider-settings.ts";
import type { CheckFailure } from "../protocol/resource-type.ts";

const any = { shape: { kind: "any" } } as const;
const text = { shape: { kind: "string" } } as const;
const notCovered = { shape: { kind: "notCovered" } } as const;

/** Flags arrive as JSON text from the SDK and as booleans from stack configuration. */
const settingProperties: Properties = {
  kubeconfig: any,
  context: text,
  cluster: text,
  namespace: text,
  clusterIdentifier: text,
  deleteUnreachable: any,
  enableConfigMapMutable: any,
  enableSecretMutable: any,
  enablePatchForce: any,
  enableServerSideApply: any,
  upsertExistingObjects: any,
  // About warnings that this plugin has none of.
  suppressDeprecationWarnings: any,
  suppressHelmHookWarnings: any,
  // About Helm charts, which are not covered, and about limits of a Go client.
  helmReleaseSettings: any,
  kubeClientSettings: any,
  skipUpdateUnreachable: notCovered,
  renderYamlToDirectory: notCovered,
  alwaysRender: notCovered,
};

/** The provider's settings. */
export interface Settings {
  /** Content of a kubeconfig or path of one; undefined: where kubectl looks. */
  readonly kubeconfig: string | undefined;
  /** Context of the kubeconfig; undefined: its current one. */
  readonly context: string | undefined;
  /** Cluster of the kubeconfig to use instead of the context's. */
  readonly cluster: string | undefined;
  /** Namespace of objects that have none; undefined: that of the context. */
  readonly namespace: string | undefined;
  /** Whether objects of a cluster that cannot be reached count as gone. */
  readonly deleteUnreachable: boolean;
  /** Whether data of a ConfigMap changes in place. */
  readonly configMapMutable: boolean;
  /** Whether data of a Secret changes in place. */
  readonly secretMutable: boolean;
  /** Whether an update takes fields over that others manage. */
  readonly patchForce: boolean;
  /** Whether creating an object that exists updates it. */
  readonly upsert: boolean;
}

/** What is wrong with the settings. */
export function checkSettings(settings: PropertyMap): readonly CheckFailure[] {
  const { failures } = checkProperties("kubernetes", settingProperties, ownSettings(settings));
  if (scalarText(settings["enableServerSideApply"]) === "false") {
    const reason =
      "client-side apply is not covered by the bundled kubernetes plugin; install the official pulumi-resource-kubernetes to use it";
    return [...failures, { property: "enableServerSideApply", reason }];
  }
  return failures;
}

/** Reads checked settings; a flag that is not set comes from its environment variable. */
export function parseSettings(settings: PropertyMap, environment: NodeJS.ProcessEnv): Settings {
  const textOf = (name: string): string | undefined => {
    const value = scalarText(settings[name]);
    return value === "" ? undefined : value;
  };
  const flag = (name: string, variable: string): boolean =>
    (textOf(name) ?? environment[variable]) === "true";
  return {
    kubeconfig: kubeconfigText(settings),
    context: textOf("context"),
    cluster: textOf("cluster"),
    namespace: textOf("namespace"),
    deleteUnreachable: flag("deleteUnreachable", "PULUMI_K8S_DELETE_UNREACHABLE"),
    configMapMutable: flag("enableConfigMapMutable", "PULUMI_K8S_ENABLE_CONFIGMAP_MUTABLE"),
    secretMutable: flag("enableSecretMutable", "PULUMI_K8S_ENABLE_SECRET_MUTABLE"),
    patchForce: flag("enablePatchForce", "PULUMI_K8S_ENABLE_PATCH_FORCE"),
    upsert: flag("upsertExistingObjects", "PULUMI_K8S_UPSERT_EXISTING_OBJECTS"),
  };
}

/** A kubeconfig may be given as text, as a path, or as an object. */
function kubeconfigText(settings: PropertyMap): string | undefined {
  const value = reveal(settings["kubeconfig"] ?? null);
  if (value === null || value === "") return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}
