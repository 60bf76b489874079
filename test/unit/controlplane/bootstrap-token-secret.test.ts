import assert from "node:assert/strict";

import { revokeToken } from "../../../components/controlplane/actions/revoke-token.ts";
import {
  newToken,
  tokenId,
  tokenSecret,
  tokenText,
} from "../../../components/controlplane/bootstrap-token-secret.ts";
import { goneApi, withFakeApi, type Answer } from "./fake-api.ts";

describe("bootstrap token", () => {
  it("has the form kubeadm takes, and is another one, every time; its id is no secret", () => {
    const tokens = Array.from({ length: 500 }, newToken);
    for (const token of tokens) {
      assert.match(tokenText(token), /^[a-z0-9]{6}\.[a-z0-9]{16}$/);
      assert.equal(tokenId(tokenText(token)), token.id);
    }
    assert.equal(new Set(tokens.map(({ secret }) => secret)).size, 500);
  });

  it("becomes a Secret that lets one join as a node and nothing else, until it expires", () => {
    const secret = tokenSecret(
      { id: "abc123", secret: "0123456789abcdef" },
      new Date("2026-11-20T10:11:12.345Z"),
      "kindows: join of win-1",
    );
    assert.deepEqual(secret, {
      apiVersion: "v1",
      kind: "Secret",
      type: "bootstrap.kubernetes.io/token",
      metadata: { name: "bootstrap-token-abc123", namespace: "kube-system" },
      stringData: {
        description: "kindows: join of win-1",
        "token-id": "abc123",
        "token-secret": "0123456789abcdef",
        expiration: "2026-11-20T10:11:12Z",
        "usage-bootstrap-authentication": "true",
        "usage-bootstrap-signing": "true",
        "auth-extra-groups": "system:bootstrappers:kubeadm:default-node-token",
      },
    });
  });
});

describe("a join token that is used up", () => {
  const cases: readonly [what: string, answer: Answer, stays: string | undefined][] = [
    ["is removed", [200, { kind: "Status" }], undefined],
    ["is gone already", [404, { message: "not found" }], undefined],
    [
      "stays, and why is reported",
      [403, { message: "secrets is forbidden" }],
      "secrets is forbidden",
    ],
  ];
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

  it("is not removed where the API server does not answer, and why is reported", async () =>
    assert.match((await revokeToken(await goneApi(), "abc123")) ?? "", /ECONNREFUSED/));
});
