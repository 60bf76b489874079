import * as z from "zod";

const actionSchema = z.object({ environment: z.record(z.string(), z.unknown()) });

/**
 * Reads a parameter of a host action from the inputs of its command in the state.
 *
 * @param variable environment variable that holds the parameter as JSON.
 * @throws if the variable is missing or does not match the schema.
 */
export function actionParameter<T>(
  { inputs }: { readonly inputs?: unknown },
  variable: string,
  schema: z.ZodType<T>,
): T {
  const { environment } = actionSchema.parse(inputs);
  return schema.parse(JSON.parse(z.string().parse(environment[variable])));
}
