import assert from "node:assert/strict";
import { readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import {
  examineArchives,
  imagesInNoArchive,
} from "../../../components/image-archives/image-archives.ts";
import { SettingsError } from "../../../config/problem.ts";
import { Cache } from "../../../toolchain/cache.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";
import {
  archiveOf,
  dockerFiles,
  type Files,
  here,
  layerOf,
  ociFiles,
  sha256,
} from "./write-archive.ts";

const file = "Pulumi.x.yaml";
const node = "quay.io/calico/node:v3.32.1";
const cni = "quay.io/calico/cni:v3.32.1";
const other = here === "amd64" ? "arm64" : "amd64";

const silent = (): void => undefined;

const examine = (...paths: readonly string[]) =>
  examineArchives(paths, file, new Cache(newFolder()), silent);

/** What is wrong with an archive, without its path. */
async function complaints(...paths: readonly string[]): Promise<readonly string[]> {
  try {
    await examine(...paths);
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    for (const { path: at, instead } of error.problems) {
      assert.deepEqual(at.slice(0, 2), ["cluster", "imageArchives"]);
      assert.match(instead, /^[A-Z].*\.$/);
    }
    return error.problems.map(({ why }) => why);
  }
  return [];
}

describe("archives of images", () => {
  const attestation = { platform: { os: "unknown", architecture: "unknown" }, digest: "sha256:0" };
  const absent = {
    platform: { os: "linux", architecture: other },
    digest: `sha256:${"1".repeat(64)}`,
  };
  const good: Readonly<Record<string, readonly [files: Files, references: readonly string[]]>> = {
    "of docker save, with two images": [
      dockerFiles([{ names: [node] }, { names: [cni] }]),
      [node, cni],
    ],
    "of docker save, with two tags of one image": [
      dockerFiles([{ names: [node, cni] }]),
      [node, cni],
    ],
    "of docker save, with Docker Hub's short names": [
      dockerFiles([{ names: ["busybox:1.37"] }, { names: ["kindest/node:v1"] }]),
      ["docker.io/library/busybox:1.37", "docker.io/kindest/node:v1"],
    ],
    "of docker save, with a layer that is compressed": [
      dockerFiles([{ names: [node], layer: gzipSync(layerOf("0")), diff: sha256(layerOf("0")) }]),
      [node],
    ],
    "of OCI": [ociFiles([{ names: [node] }]), [node]],
    "of OCI, with skopeo's annotation": [
      ociFiles([{ annotations: { "org.opencontainers.image.ref.name": node } }]),
      [node],
    ],
    "of OCI, with one platform of several": [
      ociFiles([{ names: [node], others: [absent, attestation] }]),
      [node],
    ],
    "of both": [{ ...dockerFiles([{ names: [cni] }]), ...ociFiles([{ names: [node] }]) }, [node]],
  };
  eachCase("are read: %s", good, async ([files, references]) => {
    for (const compress of [undefined, "gzip", "zstd"] as const) {
      const path = await archiveOf(files, compress);
      const [found] = await examine(path);
      const { bytes = 0, ...rest } = found ?? {};
      assert.deepEqual(rest, { path, sha256: sha256(readFileSync(path)), references });
      assert.equal(bytes % 512, 0);
      assert.ok(bytes > 0);
    }
  });

  it("may have a layer as a link to another image's", async () => {
    const files = dockerFiles([{ names: [node] }, { names: [cni], layer: layerOf("0") }]);
    const [first = "", second = ""] = ["0", "1"].map((number) => sha256(number));
    files[`${second}/layer.tar`] = { linkTo: `../${first}/layer.tar` };
    assert.deepEqual(await complaints(await archiveOf(files)), []);
  });

  const without = (files: Files, name: RegExp): Files =>
    Object.fromEntries(Object.entries(files).filter(([key]) => !name.test(key)));
  const changed = (files: Files, name: RegExp): Files =>
    Object.fromEntries(
      Object.entries(files).map(([key, one]) => [key, name.test(key) ? "x" : one]),
    );
  const docker = dockerFiles([{ names: [node] }]);
  const oci = ociFiles([{ names: [node] }]);
  const layerBlob = new RegExp(`blobs/sha256/${sha256(layerOf("0"))}`);
  const bad: Readonly<Record<string, readonly [files: Files, why: readonly RegExp[]]>> = {
    "without a manifest": [{ "etc/hostname": "x" }, [/^is no archive of images/]],
    "without an image": [{ "manifest.json": "[]" }, [/^contains no image/]],
    "of docker save, for another architecture": [
      dockerFiles([
        { names: [node], architecture: other },
        { names: [cni], os: "windows" },
      ]),
      [
        new RegExp(`^has ${node} for linux/${other}, and the Linux nodes are linux/${here}$`),
        new RegExp(`^has ${cni} for windows/${here}, `),
      ],
    ],
    "of OCI, for another architecture": [
      ociFiles([{ names: [node], architecture: other }]),
      [new RegExp(`^has ${node} for linux/${other}, and`)],
    ],
    "of OCI, without this platform's manifest": [
      ociFiles([
        {
          names: [node],
          architecture: other,
          others: [{ ...absent, platform: { os: "linux", architecture: here } }],
        },
      ]),
      [new RegExp(`^has ${node} for `)],
    ],
    "of docker save, with an image without a tag": [
      dockerFiles([{}, { names: [node] }]),
      [/^has sha256:[0-9a-f]{12} without a tag/],
    ],
    "of OCI, with an image without a name": [
      ociFiles([{ annotations: {} }]),
      [/^has sha256:[0-9a-f]{12} without a tag/],
    ],
    "of OCI, with a tag alone": [
      ociFiles([{ annotations: { "org.opencontainers.image.ref.name": "latest" } }]),
      [/^has an image as latest, without registry and tag/],
    ],
    "of OCI, without registry": [
      ociFiles([{ annotations: { "org.opencontainers.image.ref.name": "busybox:1" } }]),
      [/^has an image as busybox:1, without its registry/],
    ],
    "of docker save, without a configuration": [
      without(docker, /^[0-9a-f]{64}\.json$/),
      [new RegExp(`^is damaged: it lacks [0-9a-f]{64}\\.json of ${node}$`)],
    ],
    "of docker save, without a layer": [
      without(docker, /layer\.tar/),
      [new RegExp(`^is damaged: it lacks [0-9a-f]{64}/layer\\.tar of ${node}$`)],
    ],
    "of docker save, with another layer": [
      changed(docker, /layer\.tar/),
      [new RegExp(`^is damaged: [0-9a-f]{64}/layer\\.tar is not the layer of ${node}$`)],
    ],
    "of docker save, with another configuration": [
      changed(docker, /^[0-9a-f]{64}\.json$/),
      [/^is damaged: the content of [0-9a-f]{64}\.json has the SHA-256 /],
    ],
    "of OCI, without a layer": [
      without(oci, layerBlob),
      [new RegExp(`^is damaged: it lacks blobs/sha256/[0-9a-f]{64} of ${node}$`)],
    ],
    "of OCI, with another layer": [
      changed(oci, layerBlob),
      [/^is damaged: the content of blobs\/sha256\/[0-9a-f]{64} has the SHA-256 /],
    ],
    "of OCI, without its index": [without(oci, /index\.json/), [/^is no archive of images/]],
  };
  eachCase("are refused: %s", bad, async ([files, why]) => {
    const found = await complaints(await archiveOf(files));
    assert.equal(found.length, why.length, found.join("\n"));
    why.forEach((each, number) => assert.match(found[number] ?? "", each));
  });

  it("are refused where they were cut off, or are no archives", async () => {
    for (const compress of [undefined, "gzip", "zstd"] as const) {
      const cut = await archiveOf({ ...docker, noise: "n".repeat(5000) }, compress);
      truncateSync(cut, Math.floor(statSync(cut).size * 0.6));
      assert.match(
        (await complaints(cut)).join("\n"),
        /^is (no whole tar archive|damaged)/,
        compress,
      );
    }
    const text = path.join(newFolder(), "text");
    writeFileSync(text, "no archive\n".repeat(100));
    assert.match((await complaints(text)).join("\n"), /^is no whole tar archive/);
    const empty = path.join(newFolder(), "empty");
    writeFileSync(empty, "");
    assert.match(
      (await complaints(empty)).join("\n"),
      /^is no (whole tar archive|archive of images)/,
    );
  });

  it("are named, all of them that can't be used", async () => {
    const nowhere = path.join(newFolder(), "nowhere.tar");
    const folder = newFolder();
    const found = await complaints(nowhere, await archiveOf(docker), folder);
    assert.deepEqual(found, ["does not exist", "is not a file"]);
  });

  it("are read again only after they have changed", async () => {
    const cache = new Cache(newFolder());
    const said: string[] = [];
    const path = await archiveOf(docker);
    const time = new Date(1000);
    utimesSync(path, time, time);
    const before = await examineArchives([path], file, cache, (line) => said.push(line));
    // The content of another archive, at the time of the first: what is known is not found out again.
    const same = readFileSync(path);
    writeFileSync(path, Buffer.alloc(same.length));
    utimesSync(path, time, time);
    assert.deepEqual(await examineArchives([path], file, cache, (line) => said.push(line)), before);
    utimesSync(path, time, new Date(2000));
    await assert.rejects(
      examineArchives([path], file, cache, (line) => said.push(line)),
      SettingsError,
    );
    assert.deepEqual(said, [`reading ${path}`, `reading ${path}`]);
  });

  it("are not remembered while something is wrong with them", async () => {
    const cache = new Cache(newFolder());
    const path = await archiveOf(dockerFiles([{}]));
    await assert.rejects(examineArchives([path], file, cache, silent), SettingsError);
    await assert.rejects(examineArchives([path], file, cache, silent), SettingsError);
  });

  it("leave these images to be pulled", () => {
    const archives = [{ references: [cni] }, { references: [] }];
    assert.deepEqual(imagesInNoArchive([node, cni, node], archives), [node]);
  });
});
