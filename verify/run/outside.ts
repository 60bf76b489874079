/** What lies outside of the cluster. */
export interface Outside {
  /** A server on this host, and what its answer to a node begins with. */
  readonly host?: { readonly url: string; readonly greeting: string };
  /** A page on the internet, and what stands in it. */
  readonly internet: { readonly url: string; readonly text: string };
}
