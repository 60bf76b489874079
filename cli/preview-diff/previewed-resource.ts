import type { Value } from "./value.ts";

/** A resource as a preview shows it. */
export interface PreviewedResource {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  /** URN of the component it is in; the stack's own where it is in none. */
  readonly parent: string;
  readonly inputs: Readonly<Record<string, Value>>;
  /** Resources whose outputs an input is made of, by the input's name. */
  readonly inputSources: Readonly<Record<string, readonly string[]>>;
  /** Resources that are made before it. */
  readonly dependencies: readonly string[];
  /** Inputs whose changes are not looked at. */
  readonly ignored: readonly string[];
  /** Inputs whose changes replace it, as the program says. */
  readonly replacing: readonly string[];
  /** Resources with which it is replaced. */
  readonly replacedWith: readonly string[];
  /** The resource with which it goes. */
  readonly deletedWith?: string;
}
