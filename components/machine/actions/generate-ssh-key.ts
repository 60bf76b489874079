/**
 * Host action: prints a new SSH key pair as one JSON object, `{"privateKey": "...", "publicKey": "ssh-ed25519 ..."}`.
 *
 * Run by command.local.Command, whose stdout is kept as a secret in the stack's state; nothing is written to disk.
 * Environment: KEY_COMMENT, the comment of the public key (default `kindows`).
 */
import { generateEd25519 } from "../../../ssh/generate-ed25519.ts";

const pair = generateEd25519(process.env["KEY_COMMENT"] ?? "kindows");
process.stdout.write(
  JSON.stringify({ privateKey: pair.private, publicKey: pair.public.trim() }) + "\n",
);
