import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import type { Settings } from "../../../config/settings.ts";
import { generateEd25519 } from "../../../ssh/generate-ed25519.ts";
import { answerFile, sealedAnswerFileText } from "./answer-file.ts";
import type { Bake } from "./bake.ts";
import { configDiscContent } from "./config-disc-content.ts";
import { withConfigDisc } from "./config-disc.ts";
import { extractFiles, listDisc } from "./disc.ts";
import type { ExaminedMedia } from "./examine-media.ts";
import { isMadeFromIso } from "./media.ts";

/** Secrets of a single image build, which nobody knows afterwards. */
export interface ImageSecrets {
  /** Administrator's password until the image is sealed: 192 random bits that meet Windows' complexity rules. */
  readonly administratorPassword: string;
  /** The SSH server's key during the build, pinned by clients. */
  readonly hostKey: { readonly private: string; readonly public: string };
  /** The key that may log in during the build. */
  readonly loginKey: { readonly private: string; readonly public: string };
}

/** New secrets for one image. */
export function newImageSecrets(): ImageSecrets {
  return {
    administratorPassword: `${randomBytes(24).toString("base64url")}aA1-`,
    hostKey: generateEd25519("kindows-image"),
    loginKey: generateEd25519("kindows-image-builder"),
  };
}

/**
 * Creates the CD with which Windows Setup installs the image according to the settings, and removes it after `work`.
 *
 * @param parent a folder of the build, on this host; see `withConfigDisc`.
 * @throws MediaError if the drivers cannot be read from their ISO, or a program is not downloaded; Error if the disc
 * cannot be created.
 */
export async function withImageDisc<T>(
  parent: string,
  windows: Settings["windows"],
  media: ExaminedMedia,
  bake: Bake,
  secrets: ImageSecrets,
  work: (iso: string) => Promise<T>,
): Promise<T> {
  const { image } = windows;
  if (!isMadeFromIso(image)) {
    throw new Error(`an image of kind ${image.kind} is not installed`);
  }
  await mkdir(parent, { recursive: true });
  const extractedDrivers = await mkdtemp(path.join(parent, "drivers-"));
  try {
    const { drivers } = media;
    const files = [...Object.values(drivers.files.drivers).flat(), drivers.files.guestTools];
    await extractFiles(await listDisc(drivers.path), files, extractedDrivers);
    const productKey = image.kind === "iso" ? image.productKey : undefined;
    const content = configDiscContent({
      answerFile: answerFile({
        imageIndex: media.windows.image.index,
        language: image.language,
        firmware: image.firmware,
        productKey,
        administratorPassword: secrets.administratorPassword,
      }),
      sealedAnswerFile: sealedAnswerFileText(image.language, productKey),
      ssh: {
        hostPrivateKey: secrets.hostKey.private,
        hostPublicKey: secrets.hostKey.public,
        authorizedKey: secrets.loginKey.public,
      },
      drivers: drivers.files,
      extractedDrivers,
      openSsh: media.openSsh?.path,
      update: media.update?.path,
      bake,
    });
    return await withConfigDisc(parent, content, work);
  } finally {
    await rm(extractedDrivers, { recursive: true, force: true });
  }
}
