import type * as z from "zod";
import {
  componentFacts,
  isMachine,
  machineFacts,
  type Facts,
  type FactsType,
} from "../../components/facts.ts";
import { Failure } from "../../host/failure.ts";

/** A resource in a state, a preview or an event, as far as facts are looked up by it. */
export interface FactSource {
  readonly urn: string;
  readonly type: string;
  readonly parent?: string | null | undefined;
  readonly inputs?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The facts of a stack's components, and which component a resource is part of. */
export class StackFacts {
  readonly #sources = new Map<string, FactSource>();

  constructor(sources: Iterable<FactSource> = []) {
    for (const source of sources) this.add(source);
  }

  add(source: FactSource): void {
    this.#sources.set(source.urn, source);
  }

  /**
   * What the components of some type say, by their URNs.
   *
   * @throws Failure when one says nothing: then an earlier version made it.
   */
  of<T extends FactsType>(type: T): ReadonlyMap<string, Facts<T>> {
    const schema: z.ZodType = componentFacts[type];
    return this.#records((one) => one === type, schema as z.ZodType<Facts<T>>);
  }

  /** Machines, by their nodes' names. */
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
        if (data === undefined) {
          throw new Failure(
            "this lab was brought up by an earlier version: run `kindows up` once with this stack",
          );
        }
        return [urn, data];
      }),
    );
  }

  /** The resource and all components it is in, the innermost first. */
  chain(urn: string): readonly FactSource[] {
    const chain: FactSource[] = [];
    for (
      let at = this.#sources.get(urn);
      at !== undefined;
      at = this.#sources.get(at.parent ?? "")
    ) {
      chain.push(at);
    }
    return chain;
  }

  /** Name of the node that a resource is made for; nothing for what is not of one node. */
  nodeOf(urn: string): string | undefined {
    return this.chain(urn)
      .map(({ inputs }) => machineFacts.safeParse(inputs?.["facts"]).data?.node)
      .find((node) => node !== undefined);
  }
}
