export type Options<Flag extends string = never> = { readonly stack: string } & Readonly<
  Record<Flag, boolean>
>;
