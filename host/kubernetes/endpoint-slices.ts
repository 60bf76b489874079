import type { V1EndpointSlice } from "@kubernetes/client-node";
import type { ClusterApi } from "./cluster-api.ts";

/** A slice as the API server returns it: an empty list may be null. */
type WrittenSlice = Omit<V1EndpointSlice, "endpoints"> & {
  readonly endpoints: V1EndpointSlice["endpoints"] | null;
};

/** Returns a namespace's EndpointSlices, with an empty list instead of null for a slice without endpoints. */
export async function readEndpointSlices(
  api: ClusterApi,
  namespace: string,
  labels?: string,
): Promise<readonly V1EndpointSlice[]> {
  const query = labels === undefined ? "" : `?labelSelector=${encodeURIComponent(labels)}`;
  const { items } = await api.get<{ readonly items: readonly WrittenSlice[] }>(
    `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices${query}`,
  );
  return items.map(({ endpoints, ...rest }) => ({ ...rest, endpoints: endpoints ?? [] }));
}

/**
 * The lowest IPv4 address that API servers publish for the Service `kubernetes`. Choosing the lowest keeps the result
 * stable as long as that server exists.
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
        : (endpoints ?? []).flatMap(({ addresses }) =>
            addresses.map((address) => ({ address, port })),
          );
    });
  return found.sort((a, b) => a.address.localeCompare(b.address, "en", { numeric: true }))[0];
}
