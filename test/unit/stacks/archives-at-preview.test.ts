import assert from "node:assert/strict";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { calicoImages, calicoRelease } from "../../../components/cni/calico/release.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { imageArchives, LabImages } from "../../../stacks/lab-images.ts";
import { archiveOf, dockerFiles } from "../image-archives/write-archive.ts";
import { newFolder } from "../new-folder.ts";
import { recordedStack } from "./recorded-stack.ts";

const images = calicoImages(calicoRelease("3.32.1"));

/** Previews a lab with Calico and these archives, where the archives are, or anywhere. */
const preview = (imageArchives: readonly string[], where: "" | "anywhere" = "") =>
  recordedStack("rehearsal", {
    settings: { cni: { kind: "calico" }, cluster: { imageArchives, workers: [{ name: "a" }] } },
    environment: { KINDOWS_PREVIEW: where },
  });

const warnings = ({ diagnostics }: Awaited<ReturnType<typeof preview>>): readonly string[] =>
  diagnostics.flatMap(({ severity, message }) => (severity === "warning" ? [message] : []));

describe("archives of images, at preview", () => {
  it("that can't be used are all named, before anything is planned", async () => {
    const nowhere = path.join(newFolder(), "nowhere.tar");
    const untagged = await archiveOf(dockerFiles([{}]));
    await pulumi.runtime.setMocks(
      { newResource: ({ name: id }) => ({ id, state: {} }), call: () => ({}) },
      "kindows",
      "lab",
      true,
    );
    const where = { stack: "lab", file: "Pulumi.lab.yaml" };
    const settings = resolveSettings({ cluster: { imageArchives: [nowhere, untagged] } }, where);
    await assert.rejects(imageArchives(settings, new LabImages()), (error: Error) => {
      // Of this kind of error the engine prints the message alone.
      assert.ok(pulumi.RunError.isInstance(error));
      const [first, ...lines] = error.message.split("\n");
      assert.equal(first, "2 mistakes in the settings (Pulumi.lab.yaml); nothing was changed:");
      assert.match(lines[0] ?? "", /imageArchives\[0\]: "\S+ does not exist\./);
      assert.match(lines[1] ?? "", /imageArchives\[1\]: "\S+ has sha256:\w+ without a tag/);
      return true;
    });
  });

  it("are given to the nodes, and nothing is said where they have all images", async () => {
    const archive = await archiveOf(dockerFiles(images.map((name) => ({ names: [name] }))));
    const stack = await preview([archive]);
    assert.deepEqual(warnings(stack), []);
    assert.ok([...stack.steps.keys()].some((urn) => urn.endsWith("::control-plane-images")));
  });

  it("lead to a warning with what none of them has", async () => {
    const [missing = "", ...others] = images;
    const halves = [others.slice(0, 3), others.slice(3)];
    const archives = halves.map((half) => archiveOf(dockerFiles([{ names: half }])));
    const [warning = "", ...more] = warnings(await preview(await Promise.all(archives)));
    assert.deepEqual(more, []);
    assert.ok(warning.startsWith(`no archive in kindows:cluster.imageArchives has ${missing}: `));
  });

  it("need not be there where a preview has to work anywhere", async () => {
    const stack = await preview(["/nowhere/images.tar"], "anywhere");
    assert.ok([...stack.steps.keys()].some((urn) => urn.endsWith("::control-plane-images")));
  });
});
