import { diffProperties } from "../protocol/property-diff.ts";
import { checkProperties, type Properties } from "../protocol/property-shape.ts";
import { isUnknown, omit, type PropertyMap, scalarText } from "../protocol/property-value.ts";
import {
  type CheckFailure,
  type Difference,
  engineSettings,
  notCovered,
} from "../protocol/resource-type.ts";

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
  // Settings of warnings that this plugin never prints.
  suppressDeprecationWarnings: any,
  suppressHelmHookWarnings: any,
  // Settings of Helm charts, which are not covered, and of the Go client.
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

export interface Settings {
  readonly kubeconfig: string;
  /** Whether objects of a cluster that cannot be reached count as gone. */
  readonly deleteUnreachable: boolean;
  /** Whether creating an object that exists updates it. */
  readonly upsert: boolean;
}

export function checkSettings(settings: PropertyMap): readonly CheckFailure[] {
  const own = omit(settings, ...engineSettings);
  const { failures } = checkProperties("kubernetes", settingProperties, own);
  const kubeconfig = scalarText(own["kubeconfig"]) ?? "{";
  const refusals: Readonly<Record<string, readonly [refused: boolean, what: string]>> = {
    enableServerSideApply: [
      scalarText(own["enableServerSideApply"]) === "false",
      "client-side apply",
    ],
    // A kubeconfig's content has several lines or is a JSON object; a path is neither.
    kubeconfig: [!isUnknown(kubeconfig) && !/[\n{]/.test(kubeconfig), "the path of a kubeconfig"],
  };
  const notCoveredSettings = Object.entries(refusals).flatMap(([property, [refused, what]]) =>
    refused ? [{ property, reason: notCovered("kubernetes", what) }] : [],
  );
  return [...failures, ...notCoveredSettings];
}

export function parseSettings(settings: PropertyMap): Settings {
  const deleteUnreachable =
    scalarText(settings["deleteUnreachable"]) ?? process.env["PULUMI_K8S_DELETE_UNREACHABLE"];
  return {
    kubeconfig: scalarText(settings["kubeconfig"]) ?? "",
    deleteUnreachable: deleteUnreachable === "true",
    upsert: scalarText(settings["upsertExistingObjects"]) === "true",
  };
}

/** Another cluster identifier replaces the provider, and with it all objects. */
export function diffSettings(olds: PropertyMap, news: PropertyMap): Difference {
  const replaces = scalarText(olds["clusterIdentifier"]) !== scalarText(news["clusterIdentifier"]);
  const changes = diffProperties(omit(olds, ...engineSettings), omit(news, ...engineSettings));
  return {
    changes: changes.map((change) => ({ ...change, replaces })),
    deleteBeforeReplace: false,
  };
}
