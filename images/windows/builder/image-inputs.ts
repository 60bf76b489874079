import { createHash } from "node:crypto";
import type { HostProblem } from "../../../config/host-problem.ts";
import { firmwareOf } from "../../../config/sections/windows-image.ts";
import type { Settings } from "../../../config/settings.ts";
import { windowsVersionOf } from "../../../config/supported.ts";
import type { Cache } from "../../../toolchain/cache.ts";
import { sha256OfFile } from "../../../toolchain/cache-marker.ts";
import { digestOfFile } from "../../../toolchain/file-digest.ts";
import { answerFile, sealedAnswerFileText } from "../answer-file.ts";
import { bakeText, type Bake } from "../bake.ts";
import { sshdConfig } from "../image-disc.ts";
import { driverNames, guestAgentFile } from "../drivers.ts";
import { imageMedia, isoImageOf } from "../media.ts";
import { collecting, MediaError } from "../../disk/media-program.ts";
import { unreadable } from "../disc.ts";
import { imageScripts } from "../scripts-folder.ts";
import { imageDiskGiB } from "./qemu-command.ts";
import { sealCommand } from "./seal-image.ts";

/** Increase it if the same inputs produce another image. */
const imageFormat = "1";

/**
 * All inputs of an image by name, without secrets. The number and name of the image on the ISO follow from the ISO and
 * the edition, so they are not inputs, and an image that exists already needs no downloaded media.
 *
 * @param bake returns the steps to bake in; may throw MediaError.
 * @throws MediaError for media that are not in the settings, cannot be read, or have no known checksum.
 */
export async function imageInputs(
  windows: Settings["windows"],
  bake: () => Pick<Bake, "steps" | "own">,
  cache: Cache,
): Promise<Readonly<Record<string, string>>> {
  const { version } = windows;
  const image = isoImageOf(windows);
  const { media, problems: missing } = imageMedia(image, windowsVersionOf(version));
  const problems: HostProblem[] = [...missing];
  const digests: Record<string, string> = {};
  for (const { name, source } of media) {
    try {
      // A user's file is hashed once, and again if it has changed.
      digests[`medium ${name}`] =
        source.kind === "download"
          ? source.sha256
          : (source.sha256 ?? (await digestOfFile(source.path, cache)));
    } catch (error) {
      problems.push(unreadable(source.kind === "file" ? source.path : source.uri, error));
    }
  }
  const baked = await collecting(problems, bake);
  if (problems.length > 0 || baked === undefined) throw new MediaError(...problems);
  const { edition, language } = image;
  const firmware = firmwareOf(windows) ?? "bios";
  const scripts = await Promise.all(
    [...imageScripts()].map(async ([name, file]) => [`script ${name}`, await sha256OfFile(file)]),
  );
  return {
    format: imageFormat,
    ...digests,
    version,
    edition,
    language,
    firmware,
    diskGiB: String(imageDiskGiB),
    productKey: hash((image.kind === "iso" && image.productKey) || ""),
    // With constants for the image's number, product key and password.
    answerFile: hash(
      answerFile({
        imageIndex: 0,
        language,
        firmware,
        productKey: undefined,
        administratorPassword: "",
      }),
    ),
    sealedAnswerFile: hash(sealedAnswerFileText(language, undefined)),
    sshdConfig: hash(sshdConfig),
    drivers: hash([...driverNames, guestAgentFile].join("\n")),
    sealCommand: hash(sealCommand),
    bake: hash(bakeText(baked)),
    own: hash(
      JSON.stringify(Object.entries(baked.own).map(([name, { sha256 }]) => [name, sha256])),
    ),
    ...(Object.fromEntries(scripts) as Record<string, string>),
  };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
