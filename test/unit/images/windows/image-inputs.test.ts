import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { utimes, writeFile } from "node:fs/promises";
import path from "node:path";

import { MediaError } from "../../../../images/disk/media-program.ts";
import { bareBake, type Bake } from "../../../../images/windows/bake.ts";
import { imageKey } from "../../../../images/windows/builder/built-image.ts";
import { imageInputs } from "../../../../images/windows/builder/image-inputs.ts";
import { PartialImage } from "../../../../images/windows/builder/partial-image.ts";
import { openSshArchive, virtioDrivers } from "../../../../images/windows/media.ts";
import { enableContainersFeature } from "../../../../components/windows/steps.ts";
import type { OwnScript } from "../../../../components/windows/own-scripts.ts";
import type { GivenFiles } from "../../../../config/given-files.ts";
import { resolveSettings } from "../../../../config/resolve.ts";
import { firmwareOf } from "../../../../config/sections/windows-image.ts";
import type { Settings } from "../../../../config/settings.ts";
import { Cache } from "../../../../toolchain/cache.ts";
import { eachCase } from "../../each-case.ts";
import { inNewFolder } from "../../new-folder.ts";

const iso = { kind: "iso", path: "/srv/windows.iso" };
const sha = "a".repeat(64);

const settingsOf = (windows: object, more: object = {}): Settings =>
  resolveSettings({ windows: { image: iso, ...windows }, ...more }, { stack: "x", file: "x" });
const keyOf = (windows: object, more: object = {}): string => imageKey(settingsOf(windows, more));

describe("the image that a clone made for settings", () => {
  const others: Readonly<Record<string, readonly [windows: object, more?: object]>> = {
    "another edition": [{ image: { ...iso, edition: "datacenter-core" } }],
    "another Windows": [{ version: "2025" }, { cni: { kind: "kind-default" } }],
    "another containerd, which is baked into it": [{ containerdVersion: "2.4.2" }],
    "another pod network, whose container images are": [{}, { cni: { kind: "flannel" } }],
    "another kube-proxy, whose image is": [{ kubeProxyImage: "example.com/proxy:v1" }],
  };
  eachCase("is another one for %s", others, (written) =>
    assert.notEqual(keyOf(...written), keyOf({})),
  );

  it("is another one for another Kubernetes, which is baked into it", () => {
    const settings = settingsOf({});
    const cluster = { ...settings.cluster, kubernetesVersion: "1.37.0" };
    assert.notEqual(imageKey({ ...settings, cluster }), keyOf({}));
  });

  const withOwn = (
    { files, ...script }: Partial<OwnScript> = {},
    certificates: GivenFiles["certificates"] = [],
  ): string => {
    const own: OwnScript = {
      ...{ name: "a.ps1", path: "/srv/a.ps1", sha256: sha, when: "image", runs: "once" },
      ...script,
      files: files ?? [{ path: "/srv/a.msi", sha256: sha }],
    };
    return imageKey({ ...settingsOf({}), given: { scripts: [own], certificates } });
  };
  const otherSha = "b".repeat(64);
  const ownThings: Readonly<Record<string, string>> = {
    "another script": withOwn({ sha256: otherSha }),
    "a script of another name, by which it is known there": withOwn({ name: "b.ps1" }),
    "another file beside it": withOwn({ files: [{ path: "/srv/a.msi", sha256: otherSha }] }),
    "a file of another name beside it": withOwn({ files: [{ path: "/srv/b.msi", sha256: sha }] }),
    "no file beside it": withOwn({ files: [] }),
    "a certificate that the script may need": withOwn({}, [{ sha1: "AB", der: "QQ==" }]),
    "no script": keyOf({}),
  };
  eachCase("is another one for %s", ownThings, (key) => assert.notEqual(key, withOwn()));

  it("is the same wherever the script lies, and for scripts and certificates of nodes", () => {
    assert.equal(withOwn({ path: "/mnt/a.ps1" }), withOwn());
    const certificates = [{ sha1: "AB", der: "QQ==" }];
    assert.equal(withOwn({ when: "before-join" }, certificates), keyOf({}));
  });

  it("is the same for what is a machine's or the lab's own", () =>
    assert.equal(keyOf({ memoryMiB: 16_384 }, { lab: { name: "other" } }), keyOf({})));
});

const productKey = "AAAAA-BBBBB-CCCCC-DDDDD-EEEEE";

describe("what goes into an image", () => {
  const at = inNewFolder();
  const cache = new Cache(at("cache"));

  before(async () => {
    for (const name of ["windows.iso", "virtio.iso", "OpenSSH-Win64.zip", "other.iso"]) {
      await writeFile(at(name), name);
    }
  });

  const inputs = (
    image: object = {},
    bake: Partial<Bake> = {},
  ): Promise<Readonly<Record<string, string>>> =>
    imageInputs(
      settingsOf({
        image: {
          kind: "iso",
          path: at("windows.iso"),
          drivers: { path: at("virtio.iso") },
          openSsh: { path: at("OpenSSH-Win64.zip") },
          ...image,
        },
      }).windows,
      () => ({ ...bareBake, ...bake }),
      cache,
    );

  const other = { path: at("other.iso") };
  const others: Readonly<Record<string, object>> = {
    "another ISO": other,
    "another edition": { edition: "datacenter-desktop" },
    "another language": { language: "de-DE" },
    "another firmware": { firmware: "uefi" },
    "a product key": { productKey },
    "other drivers": { drivers: other },
    "another OpenSSH": { openSsh: other },
    "an update": { update: other },
  };
  eachCase("differs with %s", others, async (change) =>
    assert.notDeepEqual(await inputs(change), await inputs()),
  );

  it("differs with what is done in it of what its nodes need", async () => {
    const step = (seconds: number): Bake["steps"] => [
      { step: enableContainersFeature, parameters: { RebootDelaySeconds: seconds } },
    ];
    const found = await Promise.all([[], step(1), step(2)].map((steps) => inputs({}, { steps })));
    assert.equal(new Set(found.map(({ bake }) => bake)).size, 3);
  });

  it("differs with what of the user's is in it, by content", async () => {
    const own = (name: string, path: string, sha256: string) =>
      inputs({}, { own: { [name]: { path, sha256 } } });
    const found = await Promise.all([
      inputs(),
      own("a.msi", "/srv/a.msi", sha),
      own("b.msi", "/srv/a.msi", sha),
      own("a.msi", "/srv/a.msi", "0".repeat(64)),
      own("a.msi", "/mnt/a.msi", sha),
    ]);
    assert.equal(new Set(found.map((each) => each["own"])).size, 4);
  });

  it("is the same wherever the same files lie, and holds no key", async () => {
    await writeFile(at("moved.iso"), "windows.iso");
    assert.deepEqual(await inputs({ path: at("moved.iso") }), await inputs());
    assert.ok(!JSON.stringify(await inputs({ productKey })).includes(productKey));
  });

  it("has every script", async () => {
    const names = Object.keys(await inputs());
    for (const name of ["Complete-Image", "lib/Sealing", "Install-Containerd"]) {
      assert.ok(names.includes(`script ${name}.ps1`), name);
    }
  });

  it("needs no file that is known by its checksum", async () => {
    const gone = { path: at("gone.iso"), sha256: sha };
    assert.equal((await inputs(gone))["medium windows"], sha);
  });

  it("notices a file that changed", async () => {
    const file = at("changing.iso");
    await writeFile(file, "before");
    const before = await inputs({ path: file });
    await writeFile(file, "after!");
    await utimes(file, new Date(), new Date(Date.now() + 5000));
    assert.notDeepEqual(await inputs({ path: file }), before);
  });

  it("names every file that is not there, at once", async () => {
    const image = { path: at("no-windows.iso"), drivers: { path: at("no-drivers.iso") } };
    await assert.rejects(inputs(image), (error) => {
      assert.ok(error instanceof MediaError);
      assert.deepEqual(
        error.problems.map(({ subject, why }) => [path.basename(subject), why]),
        [
          ["no-windows.iso", "does not exist"],
          ["no-drivers.iso", "does not exist"],
        ],
      );
      return true;
    });
  });

  it("has the pinned media where the settings leave them open", async () => {
    const found = await inputs({ drivers: {}, openSsh: {} });
    assert.deepEqual(
      [found["medium drivers"], found["medium openSsh"]],
      [virtioDrivers.sha256, openSshArchive.sha256],
    );
  });
});

const address = "windows-image-0123456789abcdef";
const key = { private: "private", public: "public" };
const secrets = { administratorPassword: "password", hostKey: key, loginKey: key };

describe("the disk of an image that is being made", () => {
  let at: ReturnType<typeof inNewFolder>;
  let cache: Cache;
  let partial: PartialImage;
  const stateFile = (): string => path.join(cache.partialFolder, address, "state.json");

  beforeEach(async () => {
    at = inNewFolder();
    cache = new Cache(at());
    partial = new PartialImage(cache, address);
    assert.equal(await partial.cutOff(), undefined);
    await partial.begin();
    writeFileSync(partial.disk, "half a disk");
  });

  it("is not gone on with before Windows is set up", async () => {
    assert.equal(await partial.kept(), undefined);
    assert.equal(await partial.cutOff(), "in Setup");
  });

  it("is gone on with from there, with its keys, which nobody else may read", async () => {
    await partial.keep(secrets, at());
    assert.deepEqual(await partial.kept(), secrets);
    assert.equal(await partial.cutOff(), "while the nodes' steps ran");
    assert.equal(statSync(path.dirname(partial.disk)).mode & 0o777, 0o700);
    assert.equal(statSync(stateFile()).mode & 0o777, 0o600);
  });

  it("keeps the variables of its UEFI", async () => {
    writeFileSync(at("uefi-variables.fd"), "boots Windows");
    await partial.keep(secrets, at());
    assert.equal(readFileSync(partial.uefiVariables, "utf8"), "boots Windows");
    assert.equal(statSync(partial.uefiVariables).mode & 0o777, 0o600);
  });

  it("is not gone on with when it is being sealed, and its keys are gone", async () => {
    await partial.keep(secrets, at());
    await partial.withdraw();
    assert.equal(await partial.kept(), undefined);
    assert.ok(!existsSync(stateFile()));
  });

  const changed: Readonly<Record<string, () => void>> = {
    "of another image": () => edit(address, "windows-image-fedcba9876543210"),
    "of an earlier boot of this host": () => edit(/"bootId":"[^"]+"/, '"bootId":"other"'),
    "whose state is cut off": () => writeFileSync(stateFile(), '{"address":"'),
    "that is gone": () => rmSync(partial.disk),
  };
  function edit(from: string | RegExp, to: string): void {
    writeFileSync(stateFile(), readFileSync(stateFile(), "utf8").replace(from, to));
  }
  eachCase("is not gone on with: one %s", changed, async (change) => {
    await partial.keep(secrets, at());
    change();
    assert.equal(await partial.kept(), undefined);
  });

  it("leaves nothing behind", async () => {
    await partial.keep(secrets, at());
    await partial.remove();
    assert.equal(await partial.cutOff(), undefined);
    assert.ok(!existsSync(path.dirname(partial.disk)));
  });
});

describe("the firmware of an image", () => {
  const plain = { cni: { kind: "kind-default" } };
  eachCase<readonly [windows: object, firmware: "bios" | "uefi" | undefined]>(
    "of %s",
    {
      "Windows Server 2022 is BIOS": [{ version: "2022", image: iso }, "bios"],
      "Windows Server 2025 is UEFI": [{ version: "2025", image: iso }, "uefi"],
      "2025 from an evaluation is UEFI": [
        { version: "2025", image: { kind: "evaluation-iso", acceptLicence: true } },
        "uefi",
      ],
      "2022 is UEFI if it is asked for": [
        { version: "2022", image: { ...iso, firmware: "uefi" } },
        "uefi",
      ],
      "2025 is BIOS if it is asked for": [
        { version: "2025", image: { ...iso, firmware: "bios" } },
        "bios",
      ],
      "an own disk is not known here": [
        { version: "2025", image: { kind: "disk", path: "/srv/w.qcow2" } },
        undefined,
      ],
    },
    ([windows, firmware]) => assert.equal(firmwareOf(settingsOf(windows, plain).windows), firmware),
  );
});
