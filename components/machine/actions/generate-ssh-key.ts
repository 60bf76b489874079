/**
 * Host action: prints a new SSH key pair as one JSON object, `{"privateKey": "...", "publicKey": "ssh-ed25519 ..."}`.
 *
 * Run by command.local.Command, whose stdout is kept as a secret in the stack's state; nothing is written to disk.
 * Environment: KEY_COMMENT, the comment of the public key (default `kindows`).
 */
import ssh2 from "ssh2";

const pair = ssh2.utils.generateKeyPairSync("ed25519", {
  comment: process.env["KEY_COMMENT"] ?? "kindows",
});
process.stdout.write(
  JSON.stringify({ privateKey: pair.private, publicKey: pair.public.trim() }) + "\n",
);
