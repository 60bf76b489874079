import { SettingsError } from "./problem.ts";

/** What a stack is: a lab that is made on this host, or machines and a cluster that are there already. */
export const stackKinds = ["lab", "existing"] as const;

export type StackKind = (typeof stackKinds)[number];

/** The sections of a stack's settings, and which kind they are of. */
export interface KnownSections {
  readonly kind: StackKind;
  /** Without the one that says the kind. */
  readonly sections: Readonly<Record<string, unknown>>;
}

/**
 * Which kind of stack the sections are of: what `kindows:stack` says, a lab where it is not written.
 *
 * @param file to name in the error, e.g. `Pulumi.prod.yaml`.
 * @throws SettingsError when it is no kind that there is.
 */
export function stackKind(written: Readonly<Record<string, unknown>>, file: string): KnownSections {
  const { stack: value, ...sections } = written;
  const kind = value === undefined ? "lab" : stackKinds.find((each) => each === value);
  if (kind === undefined) {
    const why = "is not one of the choices";
    const instead = `Write ${stackKinds.join(" or ")}.`;
    throw new SettingsError([{ path: ["stack"], value, why, instead }], file);
  }
  return { kind, sections };
}
