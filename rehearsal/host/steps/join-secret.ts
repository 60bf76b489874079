import * as z from "zod";
import { StepError } from "../step-error.ts";

const secretSchema = z.object({
  token: z.string().regex(/^[a-z0-9]{6}\.[a-z0-9]{16}$/),
  caCertHashes: z.array(z.string().regex(/^sha256:[0-9a-f]{64}$/)).min(1),
});

/** What a join needs and nobody may see. */
export type JoinSecret = z.infer<typeof secretSchema>;

const remedy =
  "Give one JSON object with token and caCertHashes on standard input, and end the input.";

/** Reads the secret off standard input, undefined where that did not end in time; errors never repeat what was read. */
export function parseJoinSecret(input: string | undefined): JoinSecret {
  if (input === undefined) {
    throw new StepError("SecretMissing", "Standard input did not end within 30 s.", remedy);
  }
  const text = input.trim().replace(/^\uFEFF/, "");
  let value: unknown;
  try {
    value = text === "" ? {} : JSON.parse(text);
  } catch {
    throw new StepError(
      "SecretMissing",
      `Standard input is not JSON (${text.length} characters).`,
      remedy,
    );
  }
  const secret = secretSchema.safeParse(value);
  if (secret.success) return secret.data;
  const what = secret.error.issues.every((issue) => issue.path[0] === "caCertHashes")
    ? "caCertHashes of the form sha256:<64 hex digits>"
    : "token of the form <6>.<16> lower-case characters";
  throw new StepError("SecretMissing", `Standard input has no ${what}.`, remedy);
}
