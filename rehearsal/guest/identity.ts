import * as z from "zod";

/** Content of the identity disk, written by components/machine/identity.ts. */
const userDataSchema = z.object({
  hostname: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$/i),
  ssh_keys: z.object({ ed25519_private: z.string().min(1) }),
  ssh_authorized_keys: z.array(z.string()).min(1),
});

export interface GuestIdentity {
  readonly computerName: string;
  readonly hostPrivateKey: string;
  readonly authorizedKeys: readonly string[];
}

/**
 * Reads `user-data`: the line `#cloud-config` and JSON.
 *
 * @throws with what is wrong with it, without its secrets.
 */
export function parseIdentity(userData: string): GuestIdentity {
  const [firstLine, ...rest] = userData.split("\n");
  if (firstLine?.trim() !== "#cloud-config") {
    throw new Error("the identity disk's user-data does not begin with #cloud-config");
  }
  let document: unknown;
  try {
    document = JSON.parse(rest.join("\n"));
  } catch {
    // The parser's message quotes the text, including keys.
    throw new Error("the identity disk's user-data is not JSON after its first line");
  }
  const checked = userDataSchema.safeParse(document);
  if (!checked.success) {
    const places = checked.error.issues.map((issue) => issue.path.join(".") || "(whole)");
    throw new Error(
      `the identity disk's user-data has missing or wrong fields: ${places.join(", ")}`,
    );
  }
  const { data } = checked;
  return {
    computerName: data.hostname,
    hostPrivateKey: data.ssh_keys.ed25519_private,
    authorizedKeys: data.ssh_authorized_keys,
  };
}
