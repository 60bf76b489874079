import type * as z from "zod";
import { type CaCertificate, examineCertificates } from "../components/node/ca-certificates.ts";
import { examineScripts, type OwnScript } from "../components/windows/own-scripts.ts";
import type { SettingsProblem } from "./problem.ts";
import { valueAt } from "./schema-paths.ts";
import { certificateFile } from "./sections/ca-certificates.ts";
import { script } from "./sections/own-scripts.ts";

/** What small files that the settings name have in them. */
export interface GivenFiles {
  readonly certificates: readonly CaCertificate[];
  readonly scripts: readonly OwnScript[];
  readonly problems: readonly SettingsProblem[];
}

export const noGivenFiles: GivenFiles = { certificates: [], scripts: [], problems: [] };

/** Reads the certificates and scripts that the settings name, even if other settings are wrong. */
export async function givenFilesIn(
  written: Readonly<Record<string, unknown>>,
): Promise<GivenFiles> {
  const certificates = examineCertificates(wellFormed(written["caCertificates"], certificateFile));
  const own = await examineScripts(wellFormed(valueAt(written, ["windows", "scripts"]), script));
  return {
    certificates: certificates.certificates,
    scripts: own.scripts,
    problems: [...certificates.problems, ...own.problems],
  };
}

/** The entries of a list that have the right form, with their places in it. */
function wellFormed<T>(list: unknown, entry: z.ZodType<T>): (readonly [index: number, T])[] {
  return (Array.isArray(list) ? list : []).flatMap((value: unknown, index) => {
    const { data } = entry.safeParse(value);
    return data === undefined ? [] : [[index, data] as const];
  });
}
