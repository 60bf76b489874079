import type * as z from "zod";
import { checkedJson } from "../../toolchain/parse-json.ts";

/** Reads what `docker inspect` has printed of a container or a volume. @throws if it is not as Docker writes it */
export function readInspected<T>(
  text: string,
  schema: z.ZodType<T>,
  type: "container" | "volume",
  name: string,
): T {
  const look = `look at it with \`docker inspect --type ${type} ${name}\``;
  return checkedJson(text, schema, `what Docker says of the ${type} ${name}`, look);
}
