import assert from "node:assert/strict";

import { ClusterApi } from "../../../components/controlplane/actions/cluster-api.ts";
import { readEndpointSlices } from "../../../components/controlplane/actions/endpoint-slices.ts";
import { ApiServer } from "../plugins/support/api-server.ts";

/** A Service whose selector fits nothing has a slice, and its list of endpoints comes back as null. */
describe("EndpointSlices, from a real API server", function () {
  this.timeout(120_000);
  let server: ApiServer;

  before(async () => {
    server = await ApiServer.start();
  });
  after(() => server.stop());

  it("have a list of endpoints, also where there are none", async () => {
    const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    const slice = (name: string, endpoints: readonly object[]): object => ({
      ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
      metadata: { name, labels: { "kubernetes.io/service-name": "asked-for" } },
      ...{ endpoints, ports: [] },
    });
    await server.request("POST", slices, slice("empty", []));
    await server.request("POST", slices, slice("full", [{ addresses: ["10.244.0.9"] }]));

    const written = (await server.request("GET", `${slices}/empty`)) as { endpoints: unknown };
    assert.equal(written.endpoints, null);

    const read = await readEndpointSlices(
      new ClusterApi(server.kubeconfig),
      "default",
      "kubernetes.io/service-name=asked-for",
    );
    assert.deepEqual(
      read.map(({ metadata, endpoints }) => [metadata?.name, endpoints.map((e) => e.addresses)]),
      [
        ["empty", []],
        ["full", [["10.244.0.9"]]],
      ],
    );
  });
});
