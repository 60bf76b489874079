import * as z from "zod";

import type { Finding } from "./finding.ts";

const secretsSchema = z.object({
  items: z.array(
    z.object({ data: z.record(z.string(), z.string()).nullish() }), // Values in base64.
  ),
});

/** A bootstrap token in the cluster, without what makes it one. */
export interface KnownToken {
  readonly description: string;
  readonly expires: Date | undefined;
}

/**
 * Bootstrap tokens in the API server's list of Secrets; only what is no secret of them.
 *
 * @throws when it is no such list.
 */
export function knownTokens(list: unknown): readonly KnownToken[] {
  return secretsSchema.parse(list).items.map(({ data }) => {
    const text = (key: string): string => Buffer.from(data?.[key] ?? "", "base64").toString("utf8");
    const expires = new Date(text("expiration"));
    return {
      description: text("description"),
      expires: Number.isNaN(expires.getTime()) ? undefined : expires,
    };
  });
}

/**
 * Nodes that have not joined, and whether the token for it is still good.
 *
 * @param tokens of the cluster; nothing where it does not answer.
 */
export function judgeTokens(
  unjoined: readonly string[],
  tokens: readonly KnownToken[] | undefined,
  now: Date,
): readonly Finding[] {
  return unjoined.map((node) => {
    const good = tokens?.some(
      ({ description, expires }) =>
        description === `kindows: join of ${node}` && expires !== undefined && expires > now,
    );
    const token =
      good === undefined
        ? "whether its token is still good cannot be seen"
        : good
          ? "its token is still good"
          : "its token has expired";
    return {
      name: `join of ${node}`,
      seen: `it was begun and not finished; ${token}`,
      remedy: "kindows up: creates a new token and continues with the join",
    };
  });
}
