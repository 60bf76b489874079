import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { bakedSteps } from "../../images/windows/bake.ts";
import { BuildStages } from "../../images/windows/builder/build-stages.ts";
import { imageFile, windowsImage } from "../../images/windows/builder/image-artifact.ts";
import {
  imageDiskGiB,
  serialFile,
  qemuArguments,
} from "../../images/windows/builder/qemu-command.ts";
import { builtImage } from "../../images/windows/builder/built-image.ts";
import { readImageNote } from "../../images/windows/builder/partial-image.ts";
import { QemuProcess, SerialLines } from "../../images/windows/builder/qemu-process.ts";
import { nodeImages } from "../../images/windows/bake.ts";
import { gatherImage } from "../../stacks/image-readiness.ts";
import { givenFilesIn } from "../../config/given-files.ts";
import type { Settings } from "../../config/settings.ts";
import { Cache, artifactAddress } from "../../toolchain/cache.ts";
import { waitUntil } from "../../host/wait-until.ts";
import {
  standInBootDisk,
  standInBuilder,
  StandInMedia,
  updatedRevision,
} from "./stand-in-media.ts";
import { stackSoftware } from "../../components/windows/stack-software.ts";

/** Real QEMU, ISOs and a real WIM; a Linux that behaves as Windows Setup does stands in for Windows. */
describe("the making of an image", () => {
  let folder = "";
  let cache: Cache;
  let settings: Settings;
  let image: string;
  let update: string;
  let lines: readonly string[];

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "kindows-builder-"));
    cache = new Cache(path.join(folder, "cache"));
    const media = new StandInMedia(path.join(folder, "media"), await standInBootDisk());
    await media.prepare();
    update = media.update;
    const script = path.join(folder, "agent.ps1");
    await writeFile(script, "exit 0");
    const { certificates, scripts } = await givenFilesIn({
      caCertificates: [
        fileURLToPath(new URL("../unit/controlplane/fixtures/ca-rsa.pem", import.meta.url)),
      ],
      windows: { scripts: [{ path: script, when: "image", files: [update] }] },
    });
    settings = await media.settings(undefined, "bios", { certificates, scripts, problems: [] });
    const build = await media.start(settings, cache);
    assert.deepEqual(await build.ended, [0, null], build.lines.join("\n"));
    lines = build.lines;
    image = path.dirname(builtImage(settings)?.path ?? assert.fail("no image is noted"));
    const artifact = windowsImage(settings, cache, standInBuilder);
    assert.equal(path.basename(image), await artifactAddress(artifact));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("goes through every stage, and says so", () => {
    const reported = lines.map((line) => line.replace(/^.*windows-image: (.*) \([^(]*\)$/, "$1"));
    const wanted: string[] = ["restart 2", "restart 3"];
    const stages = new BuildStages((line) => wanted.push(line), 0, standInBuilder.slowness);
    stages.wrote(1024 ** 3, 0);
    stages.restarted(0);
    stages.said("kindows: installed, preparing the image", 0);
    stages.said("kindows: installing the update", 0);
    stages.said("kindows: updated, rebooting", 0);
    stages.said(`kindows: build 20348.${updatedRevision}`, 0);
    stages.sealed(0);
    stages.poweredOff();
    assert.deepEqual(
      wanted.filter((line) => !reported.includes(line)),
      [],
      lines.join("\n"),
    );
  });

  it("runs the nodes' steps and the user's script in the image, with the programs of the cache", () => {
    const log = readFileSync(cache.logFile(path.basename(image)), "utf8");
    const baked = [...log.matchAll(/^COM1: kindows: baking: (.*)$/gm)].map(([, step]) => step);
    assert.deepEqual(
      baked,
      bakedSteps.map(({ name }) => name),
    );
    assert.match(log, /^COM1: kindows: running agent\.ps1$/m);
  });

  it("reaches registries only over SSH, and goes on if they are unreachable", () => {
    const log = readFileSync(cache.logFile(path.basename(image)), "utf8");
    const images = nodeImages(settings, stackSoftware(settings));
    for (const each of images) {
      // Which of the two it is depends on the host this runs on.
      const answers = [
        `the registry of ${each} can be reached`,
        `warning: ${each} was not pulled: HTTP/1.1 502 `,
      ];
      assert.ok(
        answers.some((answer) => log.includes(`COM1: kindows: ${answer}`)),
        log,
      );
    }
  });

  it("is what doctor, up and disk ls find, with the revision that the update made", async () => {
    assert.deepEqual(gatherImage(settings), { virtualGiB: imageDiskGiB });
    assert.equal((await readImageNote(image))?.revision, updatedRevision);
  });

  it("is done once; a second build uses the finished image", async () => {
    const before = statSync(path.join(image, imageFile)).mtimeMs;
    const media = new StandInMedia(path.join(folder, "media"), "");
    const again = await media.start(settings, cache);
    assert.deepEqual(await again.ended, [0, null], again.lines.join("\n"));
    assert.doesNotMatch(again.lines.join("\n"), /stage|looks at the media/);
    assert.equal(statSync(path.join(image, imageFile)).mtimeMs, before);
  });

  it("leaves an image that only its owner can read, and no secret, disc or socket", () => {
    assert.deepEqual(readdirSync(image).sort(), [
      ".kindows-complete.json",
      "image.json",
      imageFile,
    ]);
    assert.equal(statSync(path.join(image, imageFile)).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(cache.buildingFolder), []);
    assert.doesNotMatch(readFileSync(cache.logFile(path.basename(image)), "utf8"), /PRIVATE KEY/);
  });

  it("takes pictures of the screen", () => {
    const screens = cache.logFile(path.basename(image)).replace(/\.log$/, ".screens");
    const [first = ""] = readdirSync(screens);
    const picture = readFileSync(path.join(screens, first));
    assert.ok(picture.length > 0, "an empty picture");
    assert.match(picture.toString("latin1", 0, 4), first.endsWith(".png") ? /^\x89PNG/ : /^P6/);
    assert.equal(statSync(screens).mode & 0o777, 0o700);
  });

  it("makes a disk that a machine starts from, on an overlay of its own", async () => {
    const work = path.join(folder, "node");
    await mkdir(work);
    const overlay = path.join(work, "overlay.qcow2");
    const base = path.join(image, imageFile);
    const before = statSync(base).mtimeMs;
    await execa("qemu-img", ["create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", base, overlay]);
    const machine = { accelerator: "tcg", cpus: 1, memoryMiB: 512, uefi: undefined } as const;
    const discs = [
      path.join(folder, "media/windows-good.iso"),
      path.join(folder, "media/virtio.iso"),
    ];
    const qemu = new QemuProcess({
      args: qemuArguments({ ...machine, folder: work, disk: overlay, discs }),
      folder: work,
      logFile: path.join(work, "log"),
    });
    try {
      await qemu.qmp.open();
      await qemu.qmp.execute("cont");
      const serial = new SerialLines(path.join(work, serialFile));
      const said: string[] = [];
      const what = "the machine to say that it started from the image";
      await waitUntil({ what, timeoutSeconds: 300, pollMilliseconds: 200 }, async () => {
        said.push(...(await serial.read()));
        const started = said.some((line) => line.includes("made from the image has started"));
        return started ? undefined : (said.at(-1) ?? qemu.ending ?? "nothing");
      });
      const sha256 = createHash("sha256").update(readFileSync(update)).digest("hex");
      assert.match(
        said.join("\n"),
        new RegExp(`Windows 20348\\.${updatedRevision}, update "${sha256}"`),
      );
    } finally {
      await qemu.end();
    }
    assert.equal(statSync(base).mtimeMs, before);
  });
});
