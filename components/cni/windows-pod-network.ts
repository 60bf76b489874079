/**
 * A pod network on a Windows node, from the settings or as found in a cluster. Each kind extends this with the values
 * that its steps need. The kind `none` means that the node's pods have no network, `yours` that the user installs one.
 */
export interface WindowsPodNetwork {
  readonly kind: string;
}
