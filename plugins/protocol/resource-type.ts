import type { Operation } from "./operation.ts";
import type { PropertyMap } from "./property-value.ts";
import type { PropertyChange } from "./property-diff.ts";

export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

export interface Checked {
  /** The inputs to go on with: defaults filled in. */
  readonly inputs: PropertyMap;
  readonly failures: readonly CheckFailure[];
}

export interface Difference {
  readonly changes: readonly (PropertyChange & {
    readonly replaces: boolean;
    /** It is among the outputs only. */
    readonly isOutput?: boolean;
  })[];
  /** Whether the old resource must go before its replacement can be made. */
  readonly deleteBeforeReplace: boolean;
}

interface Change {
  /** Outputs of the last update. */
  readonly olds: PropertyMap;
  readonly news: PropertyMap;
}

/** `preview`: nothing may be changed; unknown values may be among inputs and outputs. */
interface Planned {
  readonly preview: boolean;
}

interface Known {
  /** Inputs of the last update; empty when an existing resource is being imported. */
  readonly inputs: PropertyMap;
  /** Outputs of the last update. */
  readonly state: PropertyMap;
}

/** What a provider can do with the resources of one type. Properties keep their secret marks. */
export interface ResourceType {
  check(news: PropertyMap): Checked;
  diff(request: Change & { readonly oldInputs: PropertyMap }): Difference;
  create(
    request: Planned & { readonly inputs: PropertyMap },
    operation: Operation,
  ): Promise<{ readonly id: string; readonly properties: PropertyMap }>;
  /** The live resource, or undefined when it is gone. */
  read(request: Known & { readonly id: string }, operation: Operation): Promise<Known | undefined>;
  update(request: Change & Planned, operation: Operation): Promise<PropertyMap>;
  delete(olds: PropertyMap, operation: Operation): Promise<void>;
}

export interface ProviderDefinition {
  /** Package name, e.g. `command`. */
  readonly name: string;
  readonly version: string;
  /** Looks at the provider's own settings; may refuse them. */
  checkConfig(settings: PropertyMap): Checked;
  /** What changed between two configurations, and whether that replaces the provider and all of its resources. */
  diffConfig(olds: PropertyMap, news: PropertyMap): Difference;
  /** Takes the settings; called once before any resource, and not at all when a setting is unknown. */
  configure(settings: PropertyMap): void;
  resourceType(type: string): ResourceType;
}

/** What is said of everything that the official plugin has and this one does not. */
export function notCovered(plugin: string, what: string): string {
  return `${what} is not covered by the bundled ${plugin} plugin; install the official pulumi-resource-${plugin} to use it`;
}

/** The resource was made but is not what it should be: the engine keeps it and tries again next time. */
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
