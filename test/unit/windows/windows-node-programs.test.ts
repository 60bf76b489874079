import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import type { Medium, WindowsSoftware } from "../../../components/windows/software.ts";
import { makeNode, software, startMocks, valueOf, type MockedNode } from "./windows-node-mocks.ts";

/** A program that is pushed from a folder of this host. */
function fromHost(
  name: "containerd" | "kubelet" | "kubeadm" | "kubeLogRunner",
  folder?: string,
): Medium {
  return { ...software[name], origin: { checksumUri: "https://example.com/sum", folder } };
}

describe("a Windows node whose image carries no programs", () => {
  const fetched = import.meta.dirname;
  const pushed: WindowsSoftware = {
    ...software,
    containerd: fromHost("containerd", fetched),
    kubelet: fromHost("kubelet", fetched),
    kubeadm: fromHost("kubeadm", fetched),
  };
  let made: MockedNode;
  const dependencies = (name: string): unknown[] =>
    [made.resources.get(name)?.opts.dependsOn ?? []].flat();
  const resource = (name: string): pulumi.Resource =>
    made.resources.get(name)?.resource ?? assert.fail(name);

  before(async () => {
    await startMocks(false);
    made = makeNode({ software: pushed });
  });

  const pushes: readonly (readonly [string, string, string])[] = [
    ["node-push-containerd", "1", "node-install-containerd"],
    ["node-push-kubelet", "2", "node-install-kubernetes"],
    ["node-push-kubeadm", "3", "node-install-kubernetes"],
  ];
  it("has these pushed to it, and what the image does carry not", () => {
    assert.deepEqual(
      [...made.resources.keys()].filter((name) => name.includes("-push-")),
      pushes.map(([name]) => name),
    );
  });

  for (const [name, digit, user] of pushes) {
    it(`${name} comes after the reboot and before the step that uses it`, () => {
      assert.deepEqual(dependencies(name), [resource("node-confirm-reboot")]);
      assert.ok(dependencies(user).includes(resource(name)));
    });

    it(`${name} goes among the media, again on a new machine or for another content`, async () => {
      const { props, opts } = made.resources.get(name) ?? assert.fail();
      assert.equal(await valueOf(props["remotePath"]), "C:/kindows/media");
      assert.deepEqual(await valueOf(props["triggers"]), ["machine-1", digit.repeat(64)]);
      const source = (await valueOf(props["source"])) as pulumi.asset.FileArchive;
      assert.equal(await source.path, fetched);
      assert.deepEqual(opts.ignoreChanges, []);
      assert.equal(opts.deletedWith, made.machine.resource);
      assert.match(opts.customTimeouts?.create ?? "", /^\d+s$/);
    });
  }

  const unfetched: readonly (readonly [string, string | undefined])[] = [
    ["was never fetched", undefined],
    ["is gone from the cache", "/no/such/folder"],
  ];
  for (const [what, folder] of unfetched) {
    it(`is not made when a program ${what}`, () => {
      assert.throws(
        () => makeNode({ software: { ...pushed, kubelet: fromHost("kubelet", folder) } }),
        /win-1: https:\/\/example\.com\/kubelet\.exe is not in this host's cache: run `\.\/kindows fetch --stack <name>`/,
      );
    });

    it(`is shown by a preview when a program ${what}`, async () => {
      await startMocks(true);
      const { resources } = makeNode({
        software: { ...pushed, kubelet: fromHost("kubelet", folder) },
      });
      const push = resources.get("node-push-kubelet");
      assert.equal(await valueOf(push?.props["source"]), undefined);
      // Else the preview of a lab that stands would show a push that `up` does not make.
      assert.deepEqual(push?.opts.ignoreChanges, ["source"]);
      assert.match(
        String(await valueOf(resources.get("node-install-kubernetes")?.props["create"])),
        /-KubeletPath C:\\kindows\\media\\2{64}\\kubelet\.exe/,
      );
      await startMocks(false);
    });
  }
});

describe("a Windows node with crictl", () => {
  it("has it pushed before containerd is installed, and its place passed on", async () => {
    await startMocks(false);
    const crictl: Medium = {
      uri: "https://example.com/crictl.tar.gz",
      sha256: "6".repeat(64),
      origin: { checksumUri: "https://example.com/sum", folder: import.meta.dirname },
    };
    const { resources } = makeNode({ software: { ...software, crictl } });
    const { props, opts } = resources.get("node-install-containerd") ?? assert.fail();
    const push = resources.get("node-push-crictl")?.resource ?? assert.fail();
    assert.ok([opts.dependsOn].flat().includes(push));
    assert.match(
      String(await valueOf(props["create"])),
      / -CrictlPath C:\\kindows\\media\\6{64}\\crictl\.tar\.gz -CrictlSha256 6{64}$/,
    );
  });
});

describe("a Windows node without checksums", () => {
  before(() => startMocks(false));

  it("is not made", () => {
    const kubeadm = { ...fromHost("kubeadm"), sha256: undefined };
    assert.throws(
      () => makeNode({ software: { ...software, kubeadm } }),
      /win-1: no checksum is known for https:\/\/example\.com\/kubeadm\.exe: nothing is installed/,
    );
  });
});

describe("a preview of a Windows node without checksums", () => {
  it("goes on, and shows the commands that need one as not known yet", async () => {
    await startMocks(true);
    const containerd = { ...fromHost("containerd"), sha256: undefined };
    const { resources } = makeNode({ software: { ...software, containerd } });
    const create = (name: string): Promise<unknown> =>
      valueOf(resources.get(name)?.props["create"]);
    assert.equal(await create("node-install-containerd"), undefined);
    assert.match(String(await create("node-install-kubernetes")), /Install-Kubernetes\.ps1/);
  });
});
