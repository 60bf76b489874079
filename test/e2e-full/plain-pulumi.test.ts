import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parseDeployment, resourcesOf } from "../../cli/engine/deployment.ts";
import { backendUrl } from "../../cli/engine/folders.ts";
import { freshClone } from "../engine/plugins/support/sources.ts";
import { Cluster } from "../e2e/cluster.ts";
import { type Finished, succeeded, TestLab } from "../e2e/lab.ts";

/** A lab of which ./kindows knows nothing: this clone only lends it the engine. */
class PlainLab extends TestLab {
  folder = "";

  override withEnvironment(command: string): Promise<Finished> {
    const backend = backendUrl(path.join(this.folder, "state"));
    const there = `cd ${path.join(this.folder, "clone")} && export PULUMI_BACKEND_URL=${backend}`;
    return super.withEnvironment(`${there} && ${command}`);
  }

  async does(command: string): Promise<string> {
    return (await succeeded(this.withEnvironment(command), command)).output;
  }
}

/** As docs/pulumi.md says. */
describe("a lab by plain pulumi, in a clone in which nothing was done yet", function () {
  this.bail(true);

  const lab = new PlainLab("e2eplain");

  before(async () => {
    await lab.configure({ network: { cidr: "192.168.151.0/24" } });
    await lab.kindows("down");
    await succeeded(lab.kindows("prepare"), "prepare");
    lab.folder = await mkdtemp(path.join(os.tmpdir(), "kindows-plain-"));
    const clone = path.join(lab.folder, "clone");
    await mkdir(path.join(lab.folder, "state"));
    await freshClone(clone);
    await cp(lab.stackFile, path.join(clone, path.basename(lab.stackFile)));
  });
  after(async () => {
    await lab.remove();
    await rm(lab.folder, { recursive: true, force: true });
  });

  it("comes up by npm ci, pulumi stack init and pulumi up", async () => {
    await lab.does("npm ci --no-audit --no-fund");
    await lab.does(`pulumi stack init ${lab.stack}`);
    await lab.does("pulumi up --yes --non-interactive");
    const kubeconfig = path.join(lab.folder, "kubeconfig");
    await lab.does(`(umask 077; pulumi stack output kubeconfig --show-secrets > ${kubeconfig})`);
    await new Cluster(kubeconfig).untilReady([lab.controlPlane, "win-1"]);
  });

  it("previews no change, and a refresh finds none", async () => {
    await lab.plansNothing();
    await lab.refreshesNothing();
  });

  it("goes by pulumi destroy, and leaves nothing behind", async () => {
    await lab.does("pulumi destroy --yes --non-interactive");
    const state = parseDeployment(await lab.does("pulumi stack export"));
    assert.deepEqual(resourcesOf(state), []);
    await succeeded(lab.kindows("doctor"));
  });
});
