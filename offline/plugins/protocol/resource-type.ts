import type { Operation } from "./operation.ts";
import type { PropertyMap } from "./property-value.ts";
import type { PropertyChange } from "./property-diff.ts";

export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

export interface Checked {
  /** The inputs, with defaults filled in. */
  readonly inputs: PropertyMap;
  readonly failures: readonly CheckFailure[];
}

export interface Difference {
  readonly changes: readonly (PropertyChange & {
    readonly replaces: boolean;
    /** Whether the property is only an output. */
    readonly isOutput?: boolean;
  })[];
  /** Whether the old resource must be deleted before its replacement is created. */
  readonly deleteBeforeReplace: boolean;
}

interface Change {
  /** Outputs of the last update. */
  readonly olds: PropertyMap;
  readonly news: PropertyMap;
}

interface Planned {
  /** Nothing may be changed; inputs and outputs may contain unknown values. */
  readonly preview: boolean;
}

interface Known {
  /** Inputs of the last update; empty if an existing resource is being imported. */
  readonly inputs: PropertyMap;
  /** Outputs of the last update. */
  readonly state: PropertyMap;
}

/** The operations of one resource type. Properties keep their secret marks. */
export interface ResourceType {
  check(news: PropertyMap): Checked;
  diff(request: Change & { readonly oldInputs: PropertyMap }): Difference;
  create(
    request: Planned & { readonly inputs: PropertyMap },
    operation: Operation,
  ): Promise<{ readonly id: string; readonly properties: PropertyMap }>;
  /** The live resource; undefined if it is gone. */
  read(request: Known & { readonly id: string }, operation: Operation): Promise<Known | undefined>;
  update(request: Change & Planned, operation: Operation): Promise<PropertyMap>;
  delete(olds: PropertyMap, operation: Operation): Promise<void>;
}

export interface ProviderDefinition {
  /** Package name, e.g. `command`. */
  readonly name: string;
  readonly version: string;
  /** Checks the provider's own settings. */
  checkConfig(settings: PropertyMap): Checked;
  /** What changed between two configurations, and whether that replaces the provider and all of its resources. */
  diffConfig(olds: PropertyMap, news: PropertyMap): Difference;
  /** Applies the settings. Called once before any resource; not called if a setting is unknown. */
  configure(settings: PropertyMap): void;
  resourceType(type: string): ResourceType;
}

/** Settings of every provider that belong to the engine: which plugin to load, and its own annotations. */
export const engineSettings = [
  "version",
  "pluginDownloadURL",
  "pluginChecksums",
  "__internal",
] as const;

/** Message about something that the official plugin has and this one does not. */
export function notCovered(plugin: string, what: string): string {
  return `${what} is not covered by the bundled ${plugin} plugin; install the official pulumi-resource-${plugin} to use it`;
}

/** The resource was created but did not become ready. The engine keeps it and updates it next time. */
export class InitializationFailed extends Error {
  constructor(
    readonly id: string,
    readonly properties: PropertyMap,
    readonly inputs: PropertyMap,
    reason: string,
  ) {
    super(reason);
  }
}
