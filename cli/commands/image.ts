import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";

import { examineDisk } from "../../components/machine/disk/examine-disk.ts";
import { editionOf, windowsDisk } from "../../components/windows/image/windows-images.ts";
import { examineMedia } from "../../components/windows/image/examine-media.ts";
import {
  sealedAnswerFile,
  sealedAnswerFileText,
} from "../../components/windows/image/answer-file.ts";
import { imageScripts } from "../../components/windows/image/scripts-folder.ts";
import { language as languageComplaint } from "../../config/sections/windows-image.ts";
import { isMadeFromIso } from "../../components/windows/image/media.ts";
import type { Settings } from "../../config/settings.ts";
import { Cache } from "../../toolchain/cache.ts";
import { formatSeconds, transferText } from "../../toolchain/progress-text.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { removeEntries, removePartialBuilds } from "../cache/prune.ts";
import type { Options } from "../command-line/options.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import { consentOf, requireConsent } from "../fetch/consent.ts";
import { ensureStackPrograms, findUpdate } from "../fetch/stack-programs.ts";
import { madeImages, unfinishedImages } from "../image/images.ts";
import { thisHost } from "../../host/host.ts";
import { requireMakeableImage } from "../prepare/image-checks.ts";
import { buildStackImage } from "../prepare/stack-image.ts";
import { say } from "../progress.ts";
import { labIdentity, stackSettings } from "../stack-settings.ts";
import { table } from "../table.ts";

/** `kindows image check`: examines the media of the stack's image, and prints what they are. */
export async function check({ stack }: Options): Promise<void> {
  const { windows } = await stackSettings(stack);
  if (windows.image.kind === "rehearsal") {
    say(`the stack ${stack} has no Windows media: its image is the rehearsal's`);
    return;
  }
  const rows = await examined(windows);
  process.stdout.write(`${table(["MEDIUM", "WHAT IT IS", "WHERE"], rows)}\n`);
}

/** `kindows image build`: makes the stack's image, unless it is there. @throws Failure with what to do. */
export async function build({ stack, yes }: Options<"yes">): Promise<void> {
  const settings = await stackSettings(stack);
  const { image } = settings.windows;
  if (!isMadeFromIso(image)) {
    say(
      image.kind === "disk"
        ? `the stack ${stack} has a prepared disk, from which nothing is made: ${image.path}`
        : `the stack ${stack} has the rehearsal's image: \`./kindows prepare --stack ${stack}\` makes it`,
    );
    return;
  }
  const cache = new Cache();
  // No lab is created, so nothing else is prepared.
  await findUpdate(settings);
  const ensurePackages = (names: readonly string[]) => ensureHostPackages(names, say);
  if (await requireMakeableImage(settings, cache, say, ensurePackages)) {
    await requireConsent(settings, true, consentOf(stack, yes));
    await ensureStackPrograms(settings);
  }
  process.stdout.write(`${await buildStackImage(settings, cache)}\n`);
}

/** `kindows image ls`: images made from an ISO, for all stacks and clones, unfinished ones too; what labs use, if libvirt runs. */
export async function list({ stack }: Options): Promise<void> {
  const cache = new Cache();
  const all = await madeImages(cache, thisHost(await labIdentity(stack)), (error) => {
    say(`which images labs of this host use is not known: ${messageOf(error)}`);
    return [];
  });
  const made = all.map(({ address, note, bytes, seconds, uses }) => {
    const what = note
      ? `${note.version} ${note.edition} ${note.language}, ${note.build}.${note.revision}`
      : "not whole";
    const time = seconds === undefined ? "" : formatSeconds(seconds);
    return [address, what, transferText(bytes), time, uses.join(", ")];
  });
  const unfinished = (await unfinishedImages(cache)).map(({ address, what, bytes }) => [
    ...[address, what, transferText(bytes)],
  ]);
  const header = ["IMAGE", "WINDOWS SERVER", "SIZE", "MADE IN", "USED BY"];
  process.stdout.write(`${table(header, [...made, ...unfinished])}\n`);
}

/** `kindows image prune`: removes images that no lab here and no stack of this clone uses, and unfinished ones. */
export async function prune({ stack, dryRun }: Options<"dryRun">): Promise<void> {
  const cache = new Cache();
  const all = await madeImages(cache, thisHost(await labIdentity(stack)));
  for (const { address, uses } of all.filter((each) => each.uses.length > 0)) {
    say(`kept ${address}: ${uses.join(", ")}`);
  }
  const unused = all.filter(({ uses }) => uses.length === 0);
  const cutOff = (await unfinishedImages(cache)).filter(({ isUnderWay }) => !isUnderWay);
  if (dryRun) {
    unused.forEach(({ address }) => say(`would remove ${address}`));
    cutOff.forEach(({ address, what }) => say(`would remove ${address}, which ${what}`));
    const bytes = [...unused, ...cutOff].reduce((sum, each) => sum + each.bytes, 0);
    say(`would free ${transferText(bytes)}`);
    return;
  }
  cutOff.forEach(({ address, what }) => say(`removes ${address}, which ${what}`));
  const freed = await removePartialBuilds(cache);
  say(`freed ${transferText(freed + (await removeEntries(cache, unused, say)))}`);
}

async function examined(windows: Settings["windows"]): Promise<string[][]> {
  const { image } = windows;
  if (image.kind === "disk") {
    await ensureHostPackages(["qemu-utils"], say);
    const { format, virtualGiB, actualGiB } = await examineDisk(image.path, windowsDisk);
    const what = `${format}, ${virtualGiB.toFixed(0)} GiB, ${actualGiB.toFixed(1)} GiB on this host`;
    return [["disk", what, image.path]];
  }
  if (!isMadeFromIso(image)) return [];
  await ensureHostPackages(["p7zip-full"], say);
  const { windows: iso, drivers, openSsh, update } = await examineMedia(windows, new Cache());
  const { index, name, build, revision, languages } = iso.image;
  const edition = editionOf(iso.image) ?? "";
  const virtio = Object.keys(drivers.files.drivers).join(" ");
  const isoText = `image ${index}, ${name} (${edition}), build ${build}.${revision}, ${languages.join(" ")}`;
  const updateText = "an update; what it makes of Windows is seen when it is installed";
  return [
    ["windows", isoText, iso.path],
    ["drivers", `virtio for ${windows.version}: ${virtio}`, drivers.path],
    ...(openSsh === undefined ? [] : [["openSsh", "OpenSSH for 64-bit Windows", openSsh.path]]),
    ...(update === undefined ? [] : [["update", updateText, update.path]]),
  ];
}

/** `kindows image scripts`: writes the scripts that seal a Windows Server, so that its disk can be the image. */
export async function writeScripts({
  folder,
  language,
}: Readonly<Record<"folder" | "language", string>>): Promise<void> {
  const complaint = languageComplaint(language);
  if (complaint !== undefined) {
    throw new Failure(`--language: "${language}" ${complaint.why}. ${complaint.instead}`);
  }
  const into = path.resolve(folder);
  await mkdir(into, { recursive: true });
  if ((await readdir(into)).length > 0) {
    throw new Failure(`${into} is not empty: name a folder that does not exist yet`);
  }
  const scripts = imageScripts();
  for (const target of new Set([...scripts.keys()].map((name) => path.dirname(name)))) {
    await mkdir(path.join(into, target), { recursive: true });
  }
  await Promise.all(
    [...scripts].map(([target, source]) => copyFile(source, path.join(into, target))),
  );
  await writeFile(path.join(into, sealedAnswerFile), sealedAnswerFileText(language, undefined));
  say(
    `Copy ${into} to C:\\seal on the machine, and run there as Administrator:\n` +
      `powershell.exe -ExecutionPolicy Bypass -File C:\\seal\\Complete-Image.ps1 ` +
      `-SealedAnswerFile C:\\seal\\${sealedAnswerFile}\n` +
      "It shuts down some minutes later; its disk is the image. What it must have before: docs/windows-image.md",
  );
}
