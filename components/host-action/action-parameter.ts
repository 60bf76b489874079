import * as z from "zod";
import { checked, checkedJson } from "../../toolchain/parse-json.ts";

const actionSchema = z.object({ environment: z.record(z.string(), z.unknown()) });

const restore = "put back an earlier state of the stack";

/**
 * Reads a parameter of a host action from the inputs of its command in the state.
 *
 * @param variable environment variable that holds the parameter as JSON.
 * @throws Failure if the variable is missing or does not match the schema.
 */
export function actionParameter<T>(
  { inputs }: { readonly inputs?: unknown },
  variable: string,
  schema: z.ZodType<T>,
): T {
  const what = `the stack's state, where ${variable} of an action is kept,`;
  const { environment } = checked(inputs, actionSchema, what, restore);
  const text = checked(environment[variable], z.string(), what, restore);
  return checkedJson(text, schema, what, restore);
}
