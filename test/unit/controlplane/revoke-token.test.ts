import assert from "node:assert/strict";

import { ClusterApi } from "../../../components/controlplane/actions/cluster-api.ts";
import { revokeToken } from "../../../components/controlplane/actions/revoke-token.ts";
import { withFakeApi } from "./fake-api.ts";
import type { Answer } from "./fake-api.ts";
import { kubeconfig } from "./fixture-kubeconfig.ts";

const cases: readonly [what: string, answer: Answer, stays: string | undefined][] = [
  ["is removed", [200, { kind: "Status" }], undefined],
  ["is gone already", [404, { message: "not found" }], undefined],
  ["stays, and why is told", [403, { message: "secrets is forbidden" }], "secrets is forbidden"],
];

describe("a join token that is used up", () => {
  for (const [what, answer, stays] of cases) {
    it(what, () =>
      withFakeApi(
        () => answer,
        async (api, requests) => {
          assert.equal(await revokeToken(api, "abc123"), stays);
          assert.deepEqual(requests, [
            "DELETE /api/v1/namespaces/kube-system/secrets/bootstrap-token-abc123",
          ]);
        },
      ),
    );
  }

  it("is not removed where the API server does not answer, and why is told", async () => {
    const nobody = new ClusterApi(kubeconfig("https://127.0.0.1:1"));
    assert.match((await revokeToken(nobody, "abc123")) ?? "", /ECONNREFUSED/);
  });
});
