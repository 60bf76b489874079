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
  const nothingLeft = async (): Promise<void> => {
    await lab.plansNothing();
    await lab.refreshesNothing();
  };
  const restored = async (): Promise<void> => {
    await succeeded(lab.kindows("up"), "up");
    await nothingLeft();
  };
  const restoredByPulumi = async (): Promise<void> => {
    const up = "pulumi up --yes --skip-preview --non-interactive";
    await succeeded(lab.withEnvironment(up), "pulumi up");
    await nothingLeft();
  };
  const deleteNode = (): Promise<unknown> =>
    succeeded(lab.withEnvironment(`kubectl --kubeconfig ${lab.kubeconfig} delete node win-1`));

  it("a Node", async () => {
    await deleteNode();
    assert.match(await refreshed(), /~ kindows:host:Action: \(update\)[^]*there is no node win-1/);
    await restoredByPulumi();
    await deleteNode();
    await restored();
  });

  it("a machine", async () => {
    await virsh("destroy", machine);
    await virsh("undefine", machine);
    assert.match(await refreshed(), /- libvirt:index\/domain:Domain/);
    await succeeded(lab.kindows("up"), "up");
    assert.match(await lab.onMachine("win-1", "hostname"), /win-1/i);
    await nothingLeft();
  });

  it("the cluster", async () => {
    const remove = (): Promise<unknown> =>
      execa("docker", ["rm", "--force", "--volumes", lab.controlPlane]);
    await remove();
    const found = await refreshed();
    assert.match(found, /- kubernetes:apps\/v1:DaemonSet/);
    assert.match(found, /there is no container kindows-e2eremoved-control-plane/);
    await restoredByPulumi();
    await remove();
    await restored();
  });
});
