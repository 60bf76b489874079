import assert from "node:assert/strict";
import { resourcesOf } from "../../../../cli/recovery/deployment.ts";
import { forgetPushes } from "../../../../cli/recovery/push-again.ts";
import { deployment, resource, urn } from "./state-builder.ts";

const copy = "command:remote:CopyToRemote";
const push = (node: string): string => urn(copy, `${node}-push-kubelet`);

const state = deployment([
  resource(copy, "win-1-home"),
  resource(copy, "win-1-push-kubelet"),
  resource(copy, "win-1-push-containerd"),
  resource(copy, "win-10-push-kubelet"),
  resource("command:remote:Command", "win-1-install-kubernetes", {
    dependencies: [push("win-1"), urn(copy, "win-1-home")],
    inputs: { create: "Install-Kubernetes.ps1" },
  }),
]);

describe("programs that are to be pushed again", () => {
  it("are forgotten for that node alone, and what they were for stays", () => {
    const { deployment: after, notes } = forgetPushes(state, ["win-1"]);
    assert.deepEqual(resourcesOf(after), [
      resource(copy, "win-1-home"),
      resource(copy, "win-10-push-kubelet"),
      resource("command:remote:Command", "win-1-install-kubernetes", {
        dependencies: [urn(copy, "win-1-home")],
        inputs: { create: "Install-Kubernetes.ps1" },
      }),
    ]);
    assert.deepEqual(notes, [
      "pushed again: CopyToRemote win-1-push-kubelet",
      "pushed again: CopyToRemote win-1-push-containerd",
    ]);
  });

  it("are none on a machine whose image carries them", () => {
    const { deployment: after, notes } = forgetPushes(state, ["win-2"]);
    assert.deepEqual(after, state);
    assert.deepEqual(notes, []);
  });
});
