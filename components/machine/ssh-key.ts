import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import { hostAction } from "../host-action/host-action.ts";
import type { environment } from "./actions/generate-ssh-key.ts";

export interface SshKeyArgs {
  /** Comment at the end of the public key, e.g. `kindows-rehearsal`: tells people whose key it is. */
  readonly comment: string;
}

/**
 * An Ed25519 key pair, made once and kept encrypted in the stack's state.
 *
 * Not responsible for putting the key anywhere: that is done by what it is given to.
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
        // What it prints is the key.
        logging: "none",
      }),
      {
        ...opts,
        // It was in a component of its own.
        aliases: [{ parent: pulumi.createUrn(name, "kindows:machine:SshKey", opts.parent) }],
        additionalSecretOutputs: ["stdout"],
        // A new comment is no reason for a new key: every machine would have to be told.
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
