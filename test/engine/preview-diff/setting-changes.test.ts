import assert from "node:assert/strict";

import { differenceOf, isNone } from "../../../cli/preview-diff/difference.ts";
import type { Previewed } from "../../../cli/preview-diff/previewed.ts";
import { devChanges, flannelChanges } from "./dev-changes.ts";
import { joinOf, machineOf } from "./node-resources.ts";
import type { SettingChange } from "./planned.ts";
import { named, plannedIn } from "./planned.ts";
import { PreviewedStack, checksumsOf } from "./previewed-stack.ts";
import { rehearsalChanges } from "./rehearsal-changes.ts";

const stacks: readonly {
  readonly title: string;
  readonly stack: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly changes: readonly SettingChange[];
}[] = [
  { title: "rehearsal", stack: "rehearsal", settings: {}, changes: rehearsalChanges },
  { title: "dev, with Calico", stack: "dev", settings: {}, changes: devChanges },
  {
    title: "dev, with Flannel",
    stack: "dev",
    settings: {
      cni: { kind: "flannel" },
      windows: { checksums: checksumsOf("flannel", "flannelPlugin", "cniPlugins") },
    },
    changes: flannelChanges,
  },
];

for (const { title, stack, settings, changes } of stacks) {
  describe(`what a change plans, without Docker, libvirt and state: ${title}`, function () {
    this.timeout(300_000);
    let lab: PreviewedStack;
    let base: Previewed;

    before(async () => {
      lab = await PreviewedStack.of(stack, settings);
      base = await lab.preview();
    });
    after(() => lab.dispose());

    it("shows every resource with what the program gives it", () => {
      const names = base.resources.map(named);
      const real = stack === "dev";
      for (const name of [
        ...[...machineOf("win-1", { real }).names, ...joinOf("win-1").names],
        ...[
          "Network lab",
          "Pool machines",
          "Command control-plane",
          "DaemonSet kube-proxy-windows",
        ],
      ]) {
        assert.ok(names.includes(name), name);
      }
      assert.deepEqual(
        base.diagnostics.filter(({ severity }) => severity === "error"),
        [],
      );
    });

    it("shows the same in the same order each time", async () => {
      const again = await lab.preview();
      assert.deepEqual(again.resources.map(named), base.resources.map(named));
      assert.ok(isNone(differenceOf(base, again)));
    });

    for (const change of changes) {
      it(change.name, async () => {
        assert.deepEqual(await lab.planned(base, change), plannedIn(change.plans));
      });
    }
  });
}
