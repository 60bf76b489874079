import type { V1EndpointSlice } from "@kubernetes/client-node";

/**
 * The lowest IPv4 address that API servers publish for the Service `kubernetes`, so that it stays the same as long as its
 * server exists.
 */
export function publishedAddress(
  slices: readonly V1EndpointSlice[],
): { readonly address: string; readonly port: number } | undefined {
  const found = slices
    .filter(({ addressType }) => addressType === "IPv4")
    .flatMap(({ endpoints, ports }) => {
      const port = ports?.find(({ name }) => name === "https")?.port;
      return port === undefined
        ? []
        : endpoints.flatMap(({ addresses }) => addresses.map((address) => ({ address, port })));
    });
  return found.sort((a, b) => a.address.localeCompare(b.address, "en", { numeric: true }))[0];
}
