/**
 * Host action: prints a new SSH key pair, `{"privateKey": "...", "publicKey": "ssh-ed25519 ..."}`. Stores it nowhere.
 */
import { generateEd25519 } from "../../../host/ssh/generate-ed25519.ts";
import { runAction, text } from "../../host-action/run-action.ts";

export const environment = { KEY_COMMENT: text };

await runAction(environment, ({ KEY_COMMENT }) => {
  const pair = generateEd25519(KEY_COMMENT);
  return Promise.resolve({ privateKey: pair.private, publicKey: pair.public.trim() });
});
