import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import { hostAction } from "../host-action/host-action.ts";
import type { environment } from "./actions/generate-ssh-key.ts";

export interface SshKeyArgs {
  /** Comment at the end of the public key, for people who read it, e.g. `kindows-rehearsal`. */
  readonly comment: string;
}

/**
 * An Ed25519 key pair, generated once and kept encrypted in the stack's state.
 *
 * Not responsible for installing the key anywhere.
 */
export class SshKey {
  /** OpenSSH PEM; secret. */
  readonly privateKey: pulumi.Output<string>;
  /** `ssh-ed25519 AAAA... comment`; not a secret. */
  readonly publicKey: pulumi.Output<string>;

  constructor(name: string, args: SshKeyArgs, opts: { readonly parent?: pulumi.Resource } = {}) {
    const generated = new local.Command(
      name,
      hostAction<typeof environment>({
        create: "machine/generate-ssh-key",
        environment: { KEY_COMMENT: args.comment },
        // The output is the key.
        logging: "none",
      }),
      {
        ...opts,
        additionalSecretOutputs: ["stdout"],
        // A new comment must not make a new key, which every machine would have to learn.
        ignoreChanges: ["environment"],
      },
    );
    const pair = generated.stdout.apply(
      (json) => JSON.parse(json) as Readonly<Record<"privateKey" | "publicKey", string>>,
    );
    this.privateKey = pulumi.secret(pair.apply((keys) => keys.privateKey));
    this.publicKey = pulumi.unsecret(pair.apply((keys) => keys.publicKey));
  }
}
