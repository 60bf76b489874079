import assert from "node:assert/strict";
import { succeeded, TestLab } from "../e2e/lab.ts";

/** docs/labs.md: a pod network that is left to the user. */
describe("a lab without a pod network", () => {
  const lab = new TestLab("e2enone");
  const { controlPlane } = lab;

  before(async () => {
    await lab.configure({ network: { cidr: "192.168.178.0/24" }, cni: { kind: "none" } });
    await lab.kindows("down");
  });
  after(() => lab.remove());

  it("comes up with its nodes joined, and says that they wait for the pod network", async () => {
    const { output } = await succeeded(lab.kindows("up"), "up");
    assert.match(output, /win-1 has joined, and waits for your pod network/);
    const nodes = await lab.nodes();
    assert.deepEqual(nodes.map(({ metadata }) => metadata.name).sort(), [controlPlane, "win-1"]);
    // A rehearsed node's runtime has no network to wait for.
    assert.ok(!(await lab.readyNodes()).includes(controlPlane));
    assert.match(output, /Nodes become Ready when you have installed a pod network/);
  });

  it("is among the labs of this host, has nothing to do, and goes", async () => {
    const { output } = await succeeded(lab.kindows("list"));
    assert.match(output, new RegExp(`\\b${lab.stack}\\b`));
    await lab.plansNothing();
    await succeeded(lab.kindows("down"), "down");
  });
});
