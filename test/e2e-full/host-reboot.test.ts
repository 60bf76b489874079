import assert from "node:assert/strict";
import { messageOf } from "../../host/failure.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { isReady } from "../e2e/cluster.ts";
import { succeeded, TestLab, tail } from "../e2e/lab.ts";
import { HostPower } from "./host-power.ts";

const controlPlane = "kindows-reboot-control-plane";
const nodes = [controlPlane, "win-1"];

/** Longest for everything to be Ready once the daemons answer: an emulated machine boots in a minute or two. */
const readySeconds = 600;

/** Everything of Docker and libvirt dies as with the host's power, and their daemons are started again. */
describe("a reboot of the host is survived, without up", function () {
  this.bail(true);

  const lab = new TestLab("e2ereboot");

  before(async () => {
    await lab.configure({
      lab: { name: "reboot" },
      network: { cidr: "192.168.155.0/24" },
      nodes: [{ name: "win-1" }],
    });
    await lab.kindows("down");
    await succeeded(lab.kindows("up"), "up");
  });
  after(() => lab.remove());

  /** Ready, by word of a kubelet that has been heard since. */
  async function readySince(time: Date): Promise<void> {
    const what = `${nodes.join(" and ")} to be Ready, heard of since the power came back`;
    await waitUntil({ what, timeoutSeconds: readySeconds, pollMilliseconds: 3000 }, async () => {
      try {
        const [found, renewals] = await Promise.all([lab.nodes(), lab.leaseRenewals()]);
        const back = found
          .filter((node) => isReady(node))
          .map(({ metadata }) => metadata.name)
          .filter((name) => new Date(renewals.get(name) ?? 0) > time)
          .sort();
        return back.join() === nodes.join() ? undefined : `back: ${back.join(", ") || "none"}`;
      } catch (error) {
        return tail(messageOf(error), 1);
      }
    });
  }

  async function isAsBefore(): Promise<void> {
    await succeeded(lab.kindows("doctor"));
    await lab.plansNothing();
  }

  it("by itself, when libvirt comes first", async () => {
    const power = await HostPower.of("kindows-reboot", "kw-reboot");
    await power.cut();
    const time = new Date();
    await power.restore(["libvirt", "docker"]);
    await readySince(time);
    await isAsBefore();
  });

  it("with the doctor's help, when Docker comes first and makes libvirt's bridge its own", async () => {
    const power = await HostPower.of("kindows-reboot", "kw-reboot");
    await power.cut();
    const time = new Date();
    await power.restore(["docker", "libvirt"]);
    const found = await lab.kindows("doctor");
    assert.equal(found.exitCode, 1, tail(found.output));
    for (const line of [
      "- libvirt network kindows-reboot",
      "- libvirt domain kindows-reboot-win-1",
    ]) {
      assert.ok(found.output.includes(line), tail(found.output));
    }
    await succeeded(lab.kindows("doctor", "--fix"));
    await readySince(time);
    await isAsBefore();
  });
});
