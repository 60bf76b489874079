import assert from "node:assert/strict";
import type { V1EndpointSlice } from "@kubernetes/client-node";

import { publishedAddress } from "../../../components/cni/published-address.ts";

interface Slice {
  readonly addressType: string;
  readonly endpoints: readonly { readonly addresses: readonly string[] }[];
  readonly ports: readonly { readonly name: string; readonly port: number }[];
}

const slice = (addresses: readonly string[], changes: Partial<Slice> = {}): Slice => ({
  addressType: "IPv4",
  endpoints: addresses.map((address) => ({ addresses: [address] })),
  ports: [{ name: "https", port: 6443 }],
  ...changes,
});

const found = (...items: readonly Slice[]): ReturnType<typeof publishedAddress> =>
  publishedAddress(items as unknown as readonly V1EndpointSlice[]);

describe("the API server's own address", () => {
  it("is the lowest of several, so that it stays the same", () => {
    assert.deepEqual(found(slice(["192.168.150.130", "192.168.150.129", "192.168.150.9"])), {
      address: "192.168.150.9",
      port: 6443,
    });
  });

  it("is an IPv4 one at the port for https", () => {
    assert.equal(found(slice(["fd00::1"], { addressType: "IPv6" })), undefined);
    assert.equal(
      found(slice(["192.168.150.9"], { ports: [{ name: "other", port: 1 }] })),
      undefined,
    );
    assert.equal(found(), undefined);
  });
});
