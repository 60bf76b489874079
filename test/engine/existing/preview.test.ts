import assert from "node:assert/strict";
import path from "node:path";
import { previewOf } from "../../../cli/preview-diff/preview.ts";
import type { Previewed } from "../../../cli/preview-diff/previewed.ts";
import { previewTools } from "../../../cli/preview-diff/tools.ts";
import { check, readAllowances } from "../../../policy/check.ts";

const clone = path.resolve(import.meta.dirname, "../../..");

describe("the example of existing machines, previewed anywhere", function () {
  this.timeout(180_000);
  let previewed: Previewed;

  before(async () => {
    const tools = await previewTools(new AbortController().signal);
    previewed = await previewOf(clone, "existing", tools);
  });

  const names = (type: string): string[] =>
    previewed.resources.filter((each) => each.type === type).map(({ name }) => name);

  it("shows every machine that is touched, and what is done there", () => {
    const commands = names("command:remote:Command");
    for (const machine of ["win-1", "win-2"]) {
      assert.ok(names("command:local:Command").includes(`${machine}-machine`), machine);
      for (const step of ["test-windowshost", "install-containerd", "join-node"]) {
        assert.ok(commands.includes(`${machine}-${step}`), `${machine}-${step}`);
      }
    }
    assert.deepEqual(names("kubernetes:apps/v1:DaemonSet"), ["kube-proxy-windows"]);
  });

  it("keeps all rules", async () => {
    const allowances = await readAllowances(path.join(clone, "policy"));
    const broken = check(previewed, allowances).filter(({ accepted }) => accepted === undefined);
    assert.deepEqual(broken, []);
  });
});
