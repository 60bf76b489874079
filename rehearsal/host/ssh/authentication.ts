import type { AuthContext, ParsedKey } from "ssh2";
import ssh2 from "ssh2";

/** Parses `ssh-ed25519 AAAA...` lines; one that is no public key is an error naming its place, not its content. */
export function parseAuthorizedKeys(lines: readonly string[]): ParsedKey[] {
  return lines.map((line, index) => {
    const key = ssh2.utils.parseKey(line);
    if (key instanceof Error) {
      throw new Error(`Authorized key ${index + 1} can't be read: ${key.message}.`, { cause: key });
    }
    return key;
  });
}

/** Answers one request as sshd does with public keys only: the right user, a listed key, a good signature. */
export function authenticate(
  context: AuthContext,
  user: string,
  authorizedKeys: readonly ParsedKey[],
): void {
  if (context.method !== "publickey" || context.username.toLowerCase() !== user.toLowerCase()) {
    context.reject(["publickey"]);
    return;
  }
  const offered = context.key;
  const key = authorizedKeys.find((candidate) => candidate.getPublicSSH().equals(offered.data));
  if (!key) {
    context.reject(["publickey"]);
    return;
  }
  if (!context.signature || !context.blob) {
    context.accept(); // the client only asks whether this key would do
    return;
  }
  const good = key.verify(context.blob, context.signature, context.hashAlgo) === true;
  if (good) context.accept();
  else context.reject(["publickey"]);
}
