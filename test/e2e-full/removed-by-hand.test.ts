import assert from "node:assert/strict";
import { execa } from "execa";
import { succeeded, TestLab, virsh } from "../e2e/lab.ts";

/** What is not in the state, or not any more: shown by a refresh, restored by the next `up`. */
describe("a lab of which somebody has removed a part", () => {
  const lab = new TestLab("e2eremoved");
  const machine = `${lab.prefix}-win-1`;

  before(async () => {
    await lab.configure({ network: { cidr: "192.168.158.0/24" }, nodes: [{ name: "win-1" }] });
    await lab.kindows("down");
    await succeeded(lab.kindows("up"), "up");
  });
  after(() => lab.remove());

  const refreshed = async (): Promise<string> =>
    (await succeeded(lab.withEnvironment("pulumi refresh --yes --skip-preview --diff"))).output;
  const restored = async (): Promise<void> => {
    await succeeded(lab.kindows("up"), "up");
    await lab.plansNothing();
    await lab.refreshesNothing();
  };

  it("a Node", async () => {
    await lab.withEnvironment(`kubectl --kubeconfig ${lab.kubeconfig} delete node win-1`);
    await restored();
  });

  it("a machine", async () => {
    await virsh("destroy", machine);
    await virsh("undefine", machine);
    assert.match(await refreshed(), /- libvirt:index\/domain:Domain/);
    await restored();
  });

  it("the cluster", async () => {
    await execa("docker", ["rm", "--force", "--volumes", lab.controlPlane]);
    assert.match(await refreshed(), /- kubernetes:apps\/v1:DaemonSet/);
    await restored();
  });
});
