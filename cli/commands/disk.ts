import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";

import { examineDisk } from "../../images/disk/examine-disk.ts";
import { editionOf, windowsDisk } from "../../images/windows/windows-images.ts";
import { examineMedia } from "../../images/windows/examine-media.ts";
import { sealedAnswerFile, sealedAnswerFileText } from "../../images/windows/answer-file.ts";
import { scriptCommand } from "../../host/ssh/windows-command.ts";
import { imageScripts } from "../../images/windows/scripts-folder.ts";
import {
  isMadeFromIso,
  language as languageComplaint,
} from "../../config/sections/windows-image.ts";
import type { Settings } from "../../config/settings.ts";
import { Cache } from "../../toolchain/cache.ts";
import { ownCache } from "../../toolchain/own-cache.ts";
import { formatSeconds, transferText } from "../../toolchain/progress-text.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { removeEntries, removePartialBuilds } from "../cache/prune.ts";
import type { Options } from "../command-line/options.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import { consentOf, requireConsent } from "../fetch/consent.ts";
import { downloadedMedia, findUpdate } from "../fetch/image-media.ts";
import { ensurePrograms, imagePrograms } from "../fetch/programs.ts";
import { madeImages, unfinishedImages } from "../image/images.ts";
import { thisHost } from "../../host/host.ts";
import { requireMakeableImage } from "../prepare/image-checks.ts";
import { buildStackImage } from "../prepare/disk-from-iso.ts";
import { say } from "../progress.ts";
import { labIdentity, stackSettings } from "../stack-settings.ts";
import { table } from "../table.ts";
import { isRehearsed } from "../../config/image-sources.ts";

/** `kindows disk check`: examines the media of the stack's image, and prints what they are. */
export async function check({ stack }: Options): Promise<void> {
  const { windows } = await stackSettings(stack);
  if (isRehearsed({ windows })) {
    say(`the stack ${stack} has no Windows media: its image is the rehearsal's`);
    return;
  }
  const rows = await examined(windows);
  process.stdout.write(`${table(["MEDIUM", "WHAT IT IS", "WHERE"], rows)}\n`);
}

/** `kindows disk build`: builds the stack's image, unless it exists. */
export async function build({ stack, yes }: Options<"yes">): Promise<void> {
  const settings = await stackSettings(stack);
  const { image } = settings.windows;
  if (!isMadeFromIso(image)) {
    say(
      image.kind === "disk"
        ? `the stack ${stack} uses a prepared disk, so there is no image to build: ${image.path}`
        : `the stack ${stack} uses the rehearsal's image, which \`./kindows prepare --stack ${stack}\` builds`,
    );
    return;
  }
  const cache = new Cache();
  // No lab is created, so nothing else is prepared.
  await findUpdate(settings);
  const ensurePackages = (names: readonly string[]) => ensureHostPackages(names, say);
  if (await requireMakeableImage(settings, cache, say, ensurePackages)) {
    const programs = imagePrograms(settings);
    await requireConsent([...programs, ...downloadedMedia(settings).files], consentOf(stack, yes));
    await ensurePrograms(programs);
  }
  process.stdout.write(`${await buildStackImage(settings, cache)}\n`);
}

/** `kindows disk ls`: lists images built from an ISO, for all stacks and clones, and what uses them. */
export async function list({ stack }: Options): Promise<void> {
  const cache = new Cache();
  const all = await madeImages(cache, thisHost(await labIdentity(stack)), (error) => {
    say(`cannot find out which images the labs of this host use: ${messageOf(error)}`);
    return [];
  });
  const made = all.map(({ address, note, bytes, seconds, uses }) => {
    const what = note
      ? `${note.version} ${note.edition} ${note.language}, ${note.build}.${note.revision}`
      : "incomplete";
    const time = seconds === undefined ? "" : formatSeconds(seconds);
    return [address, what, transferText(bytes), time, uses.join(", ")];
  });
  const unfinished = (await unfinishedImages(cache)).map(({ address, what, bytes }) => [
    ...[address, what, transferText(bytes)],
  ]);
  const header = ["IMAGE", "WINDOWS SERVER", "SIZE", "BUILD TIME", "USED BY"];
  process.stdout.write(`${table(header, [...made, ...unfinished])}\n`);
}

/** `kindows disk prune`: removes images that no lab here and no stack of this clone uses, and unfinished ones. */
export async function prune({ stack, dryRun }: Options<"dryRun">): Promise<void> {
  const cache = new Cache();
  const all = await madeImages(cache, thisHost(await labIdentity(stack)));
  for (const { address, uses } of all.filter((each) => each.uses.length > 0)) {
    say(`kept ${address}: ${uses.join(", ")}`);
  }
  const unused = all.filter(({ uses }) => uses.length === 0);
  const interrupted = (await unfinishedImages(cache)).filter(({ isUnderWay }) => !isUnderWay);
  if (dryRun) {
    unused.forEach(({ address }) => say(`would remove ${address}`));
    interrupted.forEach(({ address, what }) => say(`would remove ${address}, which ${what}`));
    const bytes = [...unused, ...interrupted].reduce((sum, each) => sum + each.bytes, 0);
    say(`would free ${transferText(bytes)}`);
    return;
  }
  interrupted.forEach(({ address, what }) => say(`removing ${address}, which ${what}`));
  ownCache(cache.root);
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
  const updateText = "an update; its effect is known only after it is installed";
  return [
    ["windows", isoText, iso.path],
    ["drivers", `virtio for ${windows.version}: ${virtio}`, drivers.path],
    ...(openSsh === undefined ? [] : [["openSsh", "OpenSSH for 64-bit Windows", openSsh.path]]),
    ...(update === undefined ? [] : [["update", updateText, update.path]]),
  ];
}

const completeImage = {
  name: "Complete-Image",
  parameters: { SealedAnswerFile: "string" },
} as const;

/** `kindows disk scripts`: writes the scripts that seal a Windows Server, so that its disk can be the image. */
export async function writeScripts({
  folder,
  language,
}: Readonly<Record<"folder" | "language", string>>): Promise<void> {
  const complaint = languageComplaint(language);
  if (complaint !== undefined) {
    throw new Failure(`--language: "${language}" ${complaint.why}. ${complaint.instead}`);
  }
  const target = path.resolve(folder);
  await mkdir(target, { recursive: true });
  if ((await readdir(target)).length > 0) {
    throw new Failure(`${target} is not empty: name a folder that does not exist yet`);
  }
  const scripts = imageScripts();
  for (const below of new Set([...scripts.keys()].map((name) => path.dirname(name)))) {
    await mkdir(path.join(target, below), { recursive: true });
  }
  await Promise.all(
    [...scripts].map(([name, source]) => copyFile(source, path.join(target, name))),
  );
  await writeFile(path.join(target, sealedAnswerFile), sealedAnswerFileText(language, undefined));
  say(
    `Copy ${target} to C:\\seal on the machine, and run there as Administrator:\n` +
      `${scriptCommand("C:\\seal", completeImage, { SealedAnswerFile: `C:\\seal\\${sealedAnswerFile}` })}\n` +
      "The machine shuts down some minutes later, and its disk is the image. Its requirements: docs/windows-image.md",
  );
}
