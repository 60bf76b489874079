/** UEFI firmware and the template of its variables, as paths on this host. */
export interface UefiFirmware {
  readonly code: string;
  readonly variables: string;
}
