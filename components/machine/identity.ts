/** What a machine reads from its identity disk at first boot. */
export interface Identity {
  readonly computerName: string;
  /** SSH host key as OpenSSH PEM; clients pin its public half. */
  readonly hostPrivateKey: string;
  readonly hostPublicKey: string;
  /** Public keys that may log in as administrator. */
  readonly authorizedKeys: readonly string[];
  /** Whether these keys log in as root, on a Linux machine. Default: as the image's default user. */
  readonly asRoot?: boolean;
}

/**
 * Renders `user-data` of the identity disk, in cloud-init's NoCloud format (label `cidata`), the only one that
 * libvirt's provider makes. The image's scripts and the rehearsal guest read it. cloudbase-init would only use the host
 * name, because it has no plugin for SSH host keys (its userdataplugins/cloudconfigplugins).
 *
 * The document is JSON, which is also YAML, because JSON's quoting handles the PEM's line breaks.
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

/** Renders `meta-data` of the identity disk. */
export function metaData(instance: string, computerName: string): string {
  return `${JSON.stringify({ "instance-id": instance, "local-hostname": computerName })}\n`;
}
