/** What every command gets: the program's options, and flags of its own. */
export type Options<Flag extends string = never> = { readonly stack: string } & Readonly<
  Record<Flag, boolean>
>;
