import * as z from "zod";

const actionSchema = z.object({ environment: z.record(z.string(), z.unknown()) });

/**
 * The parameter that a host action was run with.
 *
 * @param variable of its environment that holds it, as JSON.
 * @throws when it has none, or another one.
 */
export function actionParameter<T>(
  { inputs }: { readonly inputs?: unknown },
  variable: string,
  schema: z.ZodType<T>,
): T {
  const { environment } = actionSchema.parse(inputs);
  return schema.parse(JSON.parse(z.string().parse(environment[variable])));
}
