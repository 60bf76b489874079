import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import type { Complaint } from "../../config/problem.ts";
import { firmwareOf } from "../../config/sections/windows-image.ts";
import type { Settings } from "../../config/settings.ts";
import { generateEd25519 } from "../../host/ssh/generate-ed25519.ts";
import { sha256OfFile } from "../../toolchain/cache-marker.ts";
import { MediaError } from "../disk/media-program.ts";
import {
  answerFile,
  driversFolder,
  kindowsFolder,
  sealedAnswerFile,
  sealedAnswerFileText,
} from "./answer-file.ts";
import { bakeText, type Bake } from "./bake.ts";
import { withConfigDisc } from "./config-disc.ts";
import { extractFiles, listDisc } from "./disc.ts";
import { guestAgentFile } from "./drivers.ts";
import { type ExaminedMedia, openSshFolder } from "./examine-media.ts";
import { isoImageOf } from "./media.ts";
import { imageScripts } from "./scripts-folder.ts";

const keyPairSchema = z.strictObject({ private: z.string(), public: z.string() });

/** Secrets of a single image build. They are not kept after it. */
export const imageSecretsSchema = z.strictObject({
  /**
   * Administrator's password until the image is sealed: 192 random bits, in a form that meets Windows' complexity
   * rules.
   */
  administratorPassword: z.string(),
  /** The SSH server's host key during the build. */
  hostKey: keyPairSchema,
  /** The key that may log in during the build. */
  loginKey: keyPairSchema,
});

export type ImageSecrets = z.infer<typeof imageSecretsSchema>;

export function newImageSecrets(): ImageSecrets {
  return {
    administratorPassword: `${randomBytes(24).toString("base64url")}aA1-`,
    hostKey: generateEd25519("kindows-image"),
    loginKey: generateEd25519("kindows-image-builder"),
  };
}

/** Name of the update on the CD. Microsoft's own names are too long for Joliet. */
export const updateFile = "update.msu";

/** The SSH server's files, by their names, which are the same on the CD and on the machine. */
export function sshFiles({ hostKey, loginKey }: ImageSecrets): Readonly<Record<string, string>> {
  return {
    ssh_host_ed25519_key: hostKey.private,
    "ssh_host_ed25519_key.pub": `${hostKey.public}\n`,
    administrators_authorized_keys: `${loginKey.public}\n`,
    sshd_config: sshdConfig,
  };
}

/** Settings of the SSH server. Without a DNS server, DNS lookups would delay each login by seconds. */
export const sshdConfig = [
  "HostKey __PROGRAMDATA__/ssh/ssh_host_ed25519_key",
  "PubkeyAuthentication yes",
  "PasswordAuthentication no",
  "KbdInteractiveAuthentication no",
  "UseDNS no",
  "SyslogFacility LOCAL0",
  "Subsystem sftp sftp-server.exe",
  "Match Group administrators",
  "  AuthorizedKeysFile __PROGRAMDATA__/ssh/administrators_authorized_keys",
  "",
].join("\r\n");

/**
 * Creates the CD with which Windows Setup installs the image, and removes it after `work`. It has the answer file in
 * its root, where Setup searches removable media, the drivers, the script of the first logon, and the files that this
 * script and the nodes' steps install.
 *
 * @param parent folder of the build on this host; see `withConfigDisc`.
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
  const image = isoImageOf(windows);
  const { language } = image;
  const firmware = firmwareOf(windows) ?? "bios";
  const productKey = image.kind === "iso" ? image.productKey : undefined;
  const { drivers, guestAgent } = media.drivers.files;
  await mkdir(parent, { recursive: true });
  const extracted = await mkdtemp(path.join(parent, "drivers-"));
  try {
    const wanted = [...Object.values(drivers).flat(), guestAgent];
    await extractFiles(await listDisc(media.drivers.path), wanted, extracted);
    const texts = {
      "Autounattend.xml": answerFile({
        imageIndex: media.windows.image.index,
        language,
        firmware,
        productKey,
        administratorPassword: secrets.administratorPassword,
      }),
      [`${kindowsFolder}/${sealedAnswerFile}`]: sealedAnswerFileText(language, productKey),
      [`${kindowsFolder}/bake.json`]: bakeText(bake),
      ...inFolder(`${kindowsFolder}/ssh`, Object.entries(sshFiles(secrets))),
    };
    const files = {
      ...inFolder(kindowsFolder, imageScripts()),
      ...Object.fromEntries(
        Object.entries(drivers).flatMap(([name, each]) =>
          each.map(({ path: source }) => [
            `${driversFolder}/${name}/${path.posix.basename(source)}`,
            path.join(extracted, source),
          ]),
        ),
      ),
      [`${kindowsFolder}/media/${guestAgentFile}`]: path.join(extracted, guestAgent.path),
      ...inFolder(`${kindowsFolder}/programs`, [
        ...fetchedPrograms(bake),
        ...(await unchanged(bake)),
      ]),
      ...(media.openSsh && { [`${kindowsFolder}/media/${openSshFolder}.zip`]: media.openSsh.path }),
      ...(media.update && { [`${kindowsFolder}/media/${updateFile}`]: media.update.path }),
    };
    return await withConfigDisc(parent, { texts, files }, work);
  } finally {
    await rm(extracted, { recursive: true, force: true });
  }
}

type NamedFiles = readonly (readonly [name: string, file: string])[];

function inFolder(
  folder: string,
  files: Iterable<readonly [name: string, content: string]>,
): Readonly<Record<string, string>> {
  return Object.fromEntries([...files].map(([name, content]) => [`${folder}/${name}`, content]));
}

/** The user's scripts and what is beside them. @throws MediaError with those that are not what the image is known by. */
async function unchanged({ own }: Bake): Promise<NamedFiles> {
  const files = Object.entries(own);
  const found = await Promise.all(
    files.map(([, { path: file }]) => sha256OfFile(file).catch(() => undefined)),
  );
  refuse(
    files
      .filter(([, { sha256 }], index) => found[index] !== sha256)
      .map(([, { path: file }]) => file),
    {
      why: "has changed or gone while the image was built",
      instead: "Run the same command again.",
    },
  );
  return files.map(([name, { path: file }]) => [name, file]);
}

/** @throws MediaError with the programs that are not downloaded. */
function fetchedPrograms({ programs }: Bake): NamedFiles {
  refuse(
    programs
      .filter(({ file }) => file === undefined || !existsSync(file))
      .map(({ fileName }) => fileName),
    {
      why: "must be part of the image, but is not in this host's cache",
      instead: "Run `./kindows fetch --stack <name>`.",
    },
  );
  return programs.map(({ sha256, fileName, file = "" }) => [`${sha256}/${fileName}`, file]);
}

/** @throws MediaError with a complaint about each of these, if there are any. */
function refuse(subjects: readonly string[], complaint: Complaint): void {
  if (subjects.length === 0) return;
  throw new MediaError(...subjects.map((subject) => ({ subject, ...complaint })));
}
