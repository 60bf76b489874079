import assert from "node:assert/strict";
import { readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { differenceOf, isNone } from "../../../cli/preview-diff/difference.ts";
import { stepsSource } from "../../../components/node/steps-folder.ts";
import { devChanges, flannelChanges } from "./dev-changes.ts";
import { joinOf, machineOf } from "./node-resources.ts";
import { named, plannedBy, plannedIn, type SettingChange } from "./planned.ts";
import { file, previewPage } from "./preview-page.ts";
import { merged, recordedStack, type Recording, type Sections } from "./recorded-stack.ts";
import { rehearsalChanges } from "./rehearsal-changes.ts";

/** Checksums in the place of real ones: without them a preview cannot tell what is installed. */
const checksumsOf = (...programs: readonly string[]): Sections =>
  Object.fromEntries(programs.map((name) => [name, "5".repeat(64)]));

const dev = {
  windows: {
    checksums: checksumsOf("containerd", "kubelet", "kubeadm", "kubeLogRunner", "crictl"),
    image: { kind: "disk", path: path.join(os.tmpdir(), "windows.qcow2") },
  },
};

const stacks: readonly {
  readonly title: string;
  readonly stack: string;
  readonly settings: Sections;
  readonly changes: readonly SettingChange[];
}[] = [
  { title: "rehearsal", stack: "rehearsal", settings: {}, changes: rehearsalChanges },
  { title: "dev, with Calico", stack: "dev", settings: dev, changes: devChanges },
  {
    title: "dev, with Flannel",
    stack: "dev",
    settings: merged(dev, {
      cni: { kind: "flannel" },
      windows: { checksums: checksumsOf("flannel", "flannelPlugin", "cniPlugins") },
    }),
    changes: flannelChanges,
  },
];

/** A host that holds this image: of the rehearsal's guest, and as the disk of a user. */
function hostWith(image: string): Record<string, string> {
  // As a disk of the user's it is distinguished by size and time.
  writeFileSync(dev.windows.image.path, image);
  utimesSync(dev.windows.image.path, 0, 0);
  const medium = (fileName: string): object => ({ fileName, sha256: "5".repeat(64) });
  const manifest = ".kindows/manifest.json";
  const hash = Buffer.from(image.padEnd(6)).toString("hex").slice(0, 12);
  return {
    [manifest]: JSON.stringify({
      windowsBuild: "10.0.20348.4405",
      media: {
        containerd: medium("containerd-2.4.2-windows-amd64.tar.gz"),
        kubelet: medium("kubelet.exe"),
        kubeadm: medium("kubeadm.exe"),
        kubeLogRunner: medium("kube-log-runner.exe"),
      },
    }),
    ".kindows/artifacts.json": JSON.stringify({
      tools: {},
      bakedRehearsalImage: { path: `/images/${image}.qcow2`, hash, manifest },
    }),
  };
}

/** A clone in which a script got one byte more. */
function edited(host: SettingChange["host"]): Record<string, string> {
  if (typeof host !== "object") return {};
  const script = `${stepsSource}/${host.editedStep}`;
  return { [script]: `${readFileSync(script, "utf8")} ` };
}

/** All that the engine is asked for, but where libvirt is: elsewhere something stands in for it. */
const asked = ({ steps }: Recording): object =>
  Object.fromEntries(
    [...steps.values()]
      .map(({ urn, newState: { inputs, dependencies, ...state } }) => {
        const known = urn.includes(":providers:libvirt::") ? { ...inputs, uri: "" } : inputs;
        return [
          urn,
          { ...state, inputs: known, dependencies: new Set(dependencies as string[]) },
        ] as const;
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

for (const { title, stack, settings, changes } of stacks) {
  const recorded = (
    { settings: changed = {}, host }: Partial<SettingChange>,
    up?: "itself" | Recording,
  ): Promise<Recording> => {
    const files = { ...hostWith(host === "new image" ? "second" : "first"), ...edited(host) };
    const environment = { KINDOWS_PREVIEW: "" };
    return recordedStack(stack, { settings: merged(settings, changed), files, environment, up });
  };
  /** The same where nothing was ever made, and no disk is, with the state of a lab that is up. */
  const elsewhere = ({ settings: changed = {}, host }: Partial<SettingChange>, up: Recording) => {
    rmSync(dev.windows.image.path, { force: true });
    return recordedStack(stack, { settings: merged(settings, changed), files: edited(host), up });
  };

  describe(`what a change plans: ${title}`, () => {
    let base: Recording;
    let up: Recording;
    before(async () => {
      base = await recorded({});
      up = await recorded({}, "itself");
    });

    it("shows every resource with what the program gives it", () => {
      const names = base.resources.map(named);
      const real = stack === "dev";
      for (const name of [
        ...[...machineOf("win-1", { real }).names, ...joinOf("win-1").names],
        ...["Network lab", "Pool machines", "Action control-plane", "DaemonSet kube-proxy-windows"],
      ]) {
        assert.ok(names.includes(name), name);
      }
    });

    it("shows the same in the same order each time", async () => {
      const again = await recorded({});
      assert.deepEqual(again.resources.map(named), base.resources.map(named));
      assert.ok(isNone(differenceOf(base, again)));
      const later = await recorded({}, up);
      assert.ok(isNone(differenceOf(up, later)));
      assert.deepEqual(asked(await elsewhere({}, up)), asked(later));
    });

    for (const change of changes) {
      it(`${change.name}, before an up and after one, on the lab's host and elsewhere`, async () => {
        const { plans, alsoWhenUp = [] } = change;
        const fresh = differenceOf(base, await recorded(change));
        assert.deepEqual(plannedBy(fresh), plannedIn(plans));
        const changed = [...(plans.changed ?? []), ...alsoWhenUp];
        const later = await recorded(change, up);
        assert.deepEqual(plannedBy(differenceOf(up, later)), plannedIn({ ...plans, changed }));
        // An image is known by its file, which nobody else has: they go on with the one that the machines were made from.
        const told = change.host === "new image" ? await recorded({}, up) : later;
        assert.deepEqual(asked(await elsewhere(change, up)), asked(told));
      });
    }
  });
}

describe("docs/preview.md", () => {
  it("matches the tables; if not, run `node --import tsx test/unit/stacks/write-preview-page.ts`", async () => {
    assert.equal(readFileSync(file, "utf8"), await previewPage());
  });
});
