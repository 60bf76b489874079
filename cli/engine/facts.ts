import type * as z from "zod";
import {
  componentFacts,
  isMachine,
  machineFacts,
  type Facts,
  type FactsType,
} from "../../components/facts.ts";
import { Failure } from "../../host/failure.ts";
import { resourceName } from "../../components/urn.ts";

/** Error for something that an older or newer version of kindows has written. */
export function byOtherVersion(what: string): Failure {
  return new Failure(
    `this version of kindows does not understand ${what}: another one brought the lab up. If that is newer, update this ` +
      "clone to it; if it is older, `kindows down` removes the lab, and `kindows up` makes a new one",
  );
}

export interface FactSource {
  readonly urn: string;
  readonly type: string;
  readonly parent?: string | null | undefined;
  readonly inputs?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Facts of a stack's components, and the components that a resource is part of. */
export class StackFacts {
  readonly #sources = new Map<string, FactSource>();

  constructor(sources: Iterable<FactSource> = []) {
    for (const source of sources) this.add(source);
  }

  add(source: FactSource): void {
    this.#sources.set(source.urn, source);
  }

  /**
   * Facts of all components of a type, by their URNs.
   *
   * @throws Failure if a component's facts are missing or invalid, because another version created it.
   */
  of<T extends FactsType>(type: T): ReadonlyMap<string, Facts<T>> {
    const schema: z.ZodType = componentFacts[type];
    return this.#records((one) => one === type, schema as z.ZodType<Facts<T>>);
  }

  /** URNs of machines by the names of their nodes. */
  machines(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#records(isMachine, machineFacts)].map(([urn, { node }]) => [node, urn]),
    );
  }

  #records<T>(isWanted: (type: string) => boolean, schema: z.ZodType<T>): ReadonlyMap<string, T> {
    const found = [...this.#sources.values()].filter(({ type }) => isWanted(type));
    return new Map(
      found.map(({ urn, inputs }) => {
        const { data } = schema.safeParse(inputs?.["facts"]);
        if (data === undefined) throw byOtherVersion(`the facts of ${resourceName(urn)}`);
        return [urn, data];
      }),
    );
  }

  /** The resource and its parents, the innermost first. */
  chain(urn: string): readonly FactSource[] {
    // A set, because in a damaged state a resource may be its own parent.
    const found = new Set<FactSource>();
    let source = this.#sources.get(urn);
    while (source !== undefined && !found.has(source)) {
      found.add(source);
      source = this.#sources.get(source.parent ?? "");
    }
    return [...found];
  }

  /** Whether the resource is part of a machine, and not of what runs on it. */
  isOfMachine(urn: string): boolean {
    return this.chain(urn).some(({ type }) => isMachine(type));
  }

  nodeOf(urn: string): string | undefined {
    return this.chain(urn)
      .map(({ inputs }) => machineFacts.safeParse(inputs?.["facts"]).data?.node)
      .find((node) => node !== undefined);
  }
}
