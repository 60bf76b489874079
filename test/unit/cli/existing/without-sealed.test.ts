import assert from "node:assert/strict";
import { withoutSealed } from "../../../../cli/existing/without-sealed.ts";
import { resolveExisting } from "../../../../config/existing/resolve.ts";

const secure = { secure: "v1:abc:def" };

describe("settings with sealed values", () => {
  it("are read without them", () => {
    const written = {
      cluster: { kubeconfig: { text: secure, context: "prod" }, kubernetesVersion: "1.35.1" },
      login: { privateKey: secure, privateKeyPassphrase: secure },
      nodes: [],
    };
    const settings = resolveExisting(withoutSealed(written) as Record<string, unknown>, {
      file: "Pulumi.prod.yaml",
    });
    assert.equal(settings.cluster.kubernetesVersion, "1.35.1");
    assert.deepEqual(settings.cluster.kubeconfig, { file: "/sealed", context: "prod" });
    assert.equal(settings.login.privateKeyFile, "/sealed");
  });

  it("are as they are where nothing is sealed", () => {
    const written = { nodes: [{ name: "win-1", taints: [{ key: "os" }] }], proxy: null };
    assert.deepEqual(withoutSealed(written), written);
  });
});
