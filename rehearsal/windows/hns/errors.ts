/**
 * What HNS refuses, with its code and its words.
 *
 * Source of names and codes: golang.org/x/sys v0.46.0, windows/zerrors_windows.go. Each use names where it was seen.
 */
const errors = {
  RPC_S_SERVER_UNAVAILABLE: [0x800706ba, "The RPC server is unavailable."],
  ERROR_NOT_FOUND: [0x80070490, "Element not found."],
  ERROR_INVALID_PARAMETER: [0x80070057, "The parameter is incorrect."],
  HCN_E_NETWORK_NOT_FOUND: [0x803b0001, "The network was not found."],
  HCN_E_ENDPOINT_NOT_FOUND: [0x803b0002, "The endpoint was not found."],
  HCN_E_ADAPTER_NOT_FOUND: [0x803b0006, "An adapter was not found."],
  HCN_E_POLICY_NOT_FOUND: [0x803b0008, "The policy was not found."],
  HCN_E_INVALID_NETWORK_TYPE: [0x803b000b, "The type of network is invalid."],
  HCN_E_INVALID_POLICY: [
    0x803b000d,
    "The provided policy configuration is invalid or missing parameters.",
  ],
  HCN_E_INVALID_POLICY_TYPE: [0x803b000e, "The provided policy type is invalid."],
  HCN_E_NETWORK_ALREADY_EXISTS: [0x803b0010, "A network with this name already exists."],
  HCN_E_PORT_ALREADY_EXISTS: [0x803b0013, "The specified port already exists."],
  HCN_E_REQUEST_UNSUPPORTED: [0x803b0015, "The specified request is unsupported."],
  HCN_E_INVALID_JSON: [0x803b001b, "The provided JSON is invalid."],
  HCN_E_INVALID_IP: [
    0x803b001e,
    "IP address is either invalid or not part of any configured subnet(s).",
  ],
  GCN_E_DEFAULTNAMESPACE_EXISTS: [0x803b0029, "The default namespace already exists."],
  HCN_E_ENDPOINT_NAMESPACE_ALREADY_EXISTS: [
    0x803b002b,
    "Endpoint cannot be in multiple namespaces.",
  ],
  HCN_E_ADDR_INVALID_OR_RESERVED: [0x803b002f, "An address provided is invalid or reserved."],
  HCN_E_INVALID_PREFIX: [0x803b0030, "The prefix is invalid."],
  HCN_E_INVALID_SUBNET: [0x803b0032, "A subnet is invalid."],
} as const satisfies Record<string, readonly [number, string]>;

export type HnsErrorName = keyof typeof errors;

export class HnsError extends Error {
  override readonly name = "HnsError";
  /** The HRESULT. */
  readonly code: number;

  constructor(readonly reason: HnsErrorName) {
    const [code, words] = errors[reason];
    super(words);
    this.code = code;
  }

  /** The record that HNS gives with a code. Its words end with a space (microsoft/SDN#177, projectcalico/calico#8465). */
  get record(): string {
    return JSON.stringify({ Success: false, Error: `${this.message} `, ErrorCode: this.code });
  }
}
