import assert from "node:assert/strict";
import { bakedNodeSteps, bakeOf } from "../../../components/windows/image/bake.ts";
import { stepCommand } from "../../../components/windows/step-command.ts";
import { makeNode, registered, software, startMocks, valueOf } from "./windows-node-mocks.ts";

describe("a node from an image that its steps have run in", () => {
  it("is asked for the very same again, which it has by checksum and version", async () => {
    await startMocks(false);
    const node = makeNode();
    const { steps } = bakeOf(software, ["registry.k8s.io/pause:3.10.2"]);
    const own: readonly string[] = bakedNodeSteps;
    for (const { step, parameters } of steps.filter((each) => own.includes(each.step))) {
      const { create } = registered(node, `node-${step.toLowerCase()}`).props;
      const command = String(await valueOf(create));
      const [, folder = ""] = / -File (\S+)\\[A-Za-z-]+\.ps1/.exec(command) ?? [];
      assert.equal(command, stepCommand(folder, step, parameters));
    }
  });
});
