import assert from "node:assert/strict";

import {
  newToken,
  tokenId,
  tokenSecret,
  tokenText,
} from "../../../components/controlplane/bootstrap-token-secret.ts";

describe("bootstrap token", () => {
  it("has the form kubeadm takes, every time", () => {
    for (let round = 0; round < 500; round++) {
      assert.match(tokenText(newToken()), /^[a-z0-9]{6}\.[a-z0-9]{16}$/);
    }
  });

  it("shows its id, which is no secret, and no more", () => {
    const token = newToken();
    assert.equal(tokenId(tokenText(token)), token.id);
  });

  it("is another one every time", () => {
    const secrets = new Set(Array.from({ length: 500 }, () => newToken().secret));
    assert.equal(secrets.size, 500);
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
