import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import * as z from "zod";
import type { Previewed } from "./previewed.ts";
import { limitsSchema, type Limits, rules, type Rule, type Violation } from "./rules.ts";

const exceptionsSchema = z.array(
  z.strictObject({
    rule: z.enum(rules.map(({ name }) => name)),
    resource: z.string(),
    reason: z.string().min(1),
  }),
);

/** An accepted violation of a rule, with the reason. */
type Exception = z.infer<typeof exceptionsSchema>[number];

interface Allowances {
  readonly limits: Limits;
  readonly exceptions: readonly Exception[];
}

export interface Finding extends Violation {
  readonly rule: string;
  /** Reason of the exception; undefined if the violation is not accepted. */
  readonly accepted?: string;
}

export function check(
  preview: Previewed,
  { limits, exceptions }: Allowances,
  all: readonly Rule[] = rules,
): readonly Finding[] {
  return all.flatMap((rule) =>
    rule.check(preview, limits).map((violation) => {
      const exception = exceptions.find(
        (each) => each.rule === rule.name && each.resource === violation.resource,
      );
      return {
        rule: rule.name,
        ...violation,
        ...(exception !== undefined && { accepted: exception.reason }),
      };
    }),
  );
}

/** Exceptions that no stack needs. */
export function needless(
  exceptions: readonly Exception[],
  findings: readonly Finding[],
): readonly Exception[] {
  return exceptions.filter(
    ({ rule, resource }) =>
      !findings.some((finding) => finding.rule === rule && finding.resource === resource),
  );
}

/** Reads limits.yaml and exceptions.yaml in a folder. @throws with all mistakes in a file, and their locations */
export async function readAllowances(folder: string): Promise<Allowances> {
  return {
    limits: await readYaml(`${folder}/limits.yaml`, limitsSchema),
    exceptions: (await readYaml(`${folder}/exceptions.yaml`, exceptionsSchema.nullable())) ?? [],
  };
}

async function readYaml<T>(file: string, schema: z.ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(parse(await readFile(file, "utf8")));
  if (!parsed.success) throw new Error(`${file} is wrong:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
