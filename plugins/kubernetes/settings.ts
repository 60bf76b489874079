import { diffProperties } from "../protocol/property-diff.ts";
import { checkProperties, type Properties } from "../protocol/property-shape.ts";
import { isUnknown, omit, type PropertyMap, scalarText } from "../protocol/property-value.ts";
import { type CheckFailure, type Difference, notCovered } from "../protocol/resource-type.ts";

const any = { shape: { kind: "any" } } as const;
const text = { shape: { kind: "string" }, required: true } as const;
const uncovered = { shape: { kind: "notCovered" } } as const;

/** Flags arrive as JSON text from the SDK and as booleans from stack configuration. */
const settingProperties: Properties = {
  kubeconfig: text,
  clusterIdentifier: text,
  deleteUnreachable: any,
  enableServerSideApply: any,
  upsertExistingObjects: any,
  // About warnings that this plugin has none of.
  suppressDeprecationWarnings: any,
  suppressHelmHookWarnings: any,
  // About Helm charts, which are not covered, and about limits of a Go client.
  helmReleaseSettings: any,
  kubeClientSettings: any,
  context: uncovered,
  cluster: uncovered,
  namespace: uncovered,
  enableConfigMapMutable: uncovered,
  enableSecretMutable: uncovered,
  enablePatchForce: uncovered,
  skipUpdateUnreachable: uncovered,
  renderYamlToDirectory: uncovered,
  alwaysRender: uncovered,
};

/** Settings that belong to the engine: which plugin to load, and its own marks. */
const ENGINE_SETTINGS = ["version", "pluginDownloadURL", "pluginChecksums", "__internal"] as const;

export interface Settings {
  readonly kubeconfig: string;
  /** Whether objects of a cluster that cannot be reached count as gone. */
  readonly deleteUnreachable: boolean;
  /** Whether creating an object that exists updates it. */
  readonly upsert: boolean;
}

export function checkSettings(settings: PropertyMap): readonly CheckFailure[] {
  const own = omit(settings, ...ENGINE_SETTINGS);
  const { failures } = checkProperties("kubernetes", settingProperties, own);
  const kubeconfig = scalarText(own["kubeconfig"]) ?? "{";
  const unfit: Readonly<Record<string, readonly [is: boolean, what: string]>> = {
    enableServerSideApply: [
      scalarText(own["enableServerSideApply"]) === "false",
      "client-side apply",
    ],
    // Content has several lines or is a JSON object.
    kubeconfig: [!isUnknown(kubeconfig) && !/[\n{]/.test(kubeconfig), "the path of a kubeconfig"],
  };
  const refused = Object.entries(unfit).flatMap(([property, [is, what]]) =>
    is ? [{ property, reason: notCovered("kubernetes", what) }] : [],
  );
  return [...failures, ...refused];
}

export function parseSettings(settings: PropertyMap): Settings {
  const asked =
    scalarText(settings["deleteUnreachable"]) ?? process.env["PULUMI_K8S_DELETE_UNREACHABLE"];
  return {
    kubeconfig: scalarText(settings["kubeconfig"]) ?? "",
    deleteUnreachable: asked === "true",
    upsert: scalarText(settings["upsertExistingObjects"]) === "true",
  };
}

/** Another cluster, by its identifier, replaces the provider, and with it all objects. */
export function diffSettings(olds: PropertyMap, news: PropertyMap): Difference {
  const replaces = scalarText(olds["clusterIdentifier"]) !== scalarText(news["clusterIdentifier"]);
  const changes = diffProperties(omit(olds, ...ENGINE_SETTINGS), omit(news, ...ENGINE_SETTINGS));
  return {
    changes: changes.map((change) => ({ ...change, replaces })),
    deleteBeforeReplace: false,
  };
}
