import { redact } from "../../cli/engine/redact.ts";
import { texts, type Rule } from "../rule.ts";

/** Names of inputs whose value is a secret, whatever it looks like. */
const secretName =
  /(?:password|passphrase|private_?key|client_?key(?:_?data)?|secret|kubeconfig(?:_content)?|product_?key)$/i;

/** Replacement of keys and tokens in a preview (cli/engine/redact.ts). */
const mask = redact("aaaaaa.aaaaaaaaaaaaaaaa");

/** A secret that the program does not mark is stored in plain text, in each state and each of its backups. */
export const noClearSecrets: Rule = {
  name: "no-clear-secrets",
  description: "keys, tokens and passwords are secret outputs: else the state has them in clear",
  check: (preview) =>
    texts(preview).flatMap(({ resource, path, text }) => {
      const named = secretName.test(path.at(-1) ?? "") && text !== "";
      if (!named && !text.includes(mask)) {
        return [];
      }
      // Its value is not shown.
      const what = named ? "has the name of a secret" : "holds a key or a token";
      return [
        {
          resource: resource.name,
          message: `${path.join(".")} ${what} and is in clear: wrap it in pulumi.secret(), or take it from a secret output`,
        },
      ];
    }),
};
