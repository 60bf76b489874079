/** Who a machine is: what its identity disk tells it at first boot. */
export interface Identity {
  readonly computerName: string;
  /** SSH host key, OpenSSH PEM; pinned by everybody who connects. */
  readonly hostPrivateKey: string;
  readonly hostPublicKey: string;
  /** Public keys that may log in as administrator. */
  readonly authorizedKeys: readonly string[];
  /** Whether they are root's, on a Linux machine. Default: of whom the image takes for the administrator. */
  readonly asRoot?: boolean;
}

/**
 * `user-data` of the identity disk, in cloud-init's NoCloud form (label `cidata`): libvirt's provider makes no other.
 * Read by the image's scripts and by the rehearsal's guest. cloudbase-init would take the name only: it has no part for
 * SSH host keys (its userdataplugins/cloudconfigplugins).
 *
 * JSON is YAML, and needs no quoting rules of its own for the PEM's line breaks.
 */
export function userData(identity: Identity): string {
  const document = {
    hostname: identity.computerName,
    ssh_keys: {
      ed25519_private: identity.hostPrivateKey,
      ed25519_public: identity.hostPublicKey,
    },
    ssh_authorized_keys: identity.authorizedKeys,
    ...(identity.asRoot === true && { disable_root: false }),
  };
  return `#cloud-config\n${JSON.stringify(document, undefined, 2)}\n`;
}

/** `meta-data` of the identity disk. */
export function metaData(instance: string, computerName: string): string {
  return `${JSON.stringify({ "instance-id": instance, "local-hostname": computerName })}\n`;
}
