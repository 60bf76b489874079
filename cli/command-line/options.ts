export type Options<Flag extends string = never> = { readonly stack: string } & Readonly<
  Record<Flag, boolean>
>;

/**
 * How a command ended. A text is why the exit code is 1: it is printed last, after what the command has printed. A number
 * is an exit code whose reason is plain, such as that of an interrupted command, or of a program that it ran.
 */
export type CommandResult = number | string | undefined;

/** Shells that complete command lines. */
export const shells = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof shells)[number];
