import * as z from "zod";
import type { Complaint } from "../problem.ts";

export type Validator = (value: string) => Complaint | undefined;

/** Key of a zod issue's `params` that holds what to write instead. */
export const insteadParam = "instead";

export function text(validate: Validator): z.ZodString {
  return z.string().superRefine((value, context) => {
    const complaint = validate(value);
    if (complaint !== undefined) {
      context.addIssue({
        code: "custom",
        message: complaint.why,
        params: { [insteadParam]: complaint.instead },
      });
    }
  });
}

/** Refuses every value that does not have this form, always with the same complaint. */
export function ofForm(
  form: RegExp | ((value: string) => boolean),
  why: string,
  instead: string,
): Validator {
  const fits = typeof form === "function" ? form : (value: string) => form.test(value);
  return (value) => (fits(value) ? undefined : { why, instead });
}

export function between(low: number, high: number): z.ZodNumber {
  return z.number().int().min(low).max(high);
}
