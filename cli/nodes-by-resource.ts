/** Tells which node a resource of the program's belongs to, by its name. */
export class NodesByResource {
  readonly #names: readonly string[];

  /** @param names names of all nodes. */
  constructor(names: readonly string[]) {
    // The longest first: win-1 is how win-1-a begins.
    this.#names = [...names].sort((one, other) => other.length - one.length);
  }

  /** Name of the node for which a resource is made: what is behind the name says which one it is. */
  nodeOf(resource: string): string | undefined {
    return this.#names.find((name) => resource.startsWith(`${name}-`));
  }

  /** The same, with the resource that is called as the node itself: its machine. */
  nodeOrMachineOf(resource: string): string | undefined {
    return this.#names.includes(resource) ? resource : this.nodeOf(resource);
  }
}
