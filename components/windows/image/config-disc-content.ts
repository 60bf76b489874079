import { existsSync } from "node:fs";
import path from "node:path";
import { bakeText, type Bake } from "./bake.ts";
import {
  answerFileName,
  bakeFile,
  driversFolder,
  kindowsFolder,
  programsFolder,
  sealedAnswerFile,
} from "./config-disc-paths.ts";
import type { DiscContent } from "./config-disc.ts";
import type { DriverFiles } from "./drivers.ts";
import { guestToolsFile } from "./drivers.ts";
import { MediaError } from "../../machine/disk/media-program.ts";
import { openSshFolder } from "./open-ssh.ts";
import { imageScripts } from "./scripts-folder.ts";
import { updateFile } from "./update.ts";

/** Names of the SSH server's files, on the CD and on the machine. */
export const sshFileNames = [
  "ssh_host_ed25519_key",
  "ssh_host_ed25519_key.pub",
  "administrators_authorized_keys",
  "sshd_config",
] as const;

/** Content of the CD that answers Windows Setup's questions. */
export interface ConfigDiscParts {
  /** Autounattend.xml; secret. */
  readonly answerFile: string;
  /** For the first boot of machines made from the image; without a password. */
  readonly sealedAnswerFile: string;
  readonly ssh: {
    /** The server's key during the build, OpenSSH PEM; secret, and pinned by clients. */
    readonly hostPrivateKey: string;
    /** `ssh-ed25519 AAAA...`. */
    readonly hostPublicKey: string;
    /** The key that may log in during the build. */
    readonly authorizedKey: string;
  };
  readonly drivers: DriverFiles;
  /** Folder with the files of `drivers`, by their paths on the drivers' ISO. */
  readonly extractedDrivers: string;
  /** OpenSSH-Win64.zip on this host; undefined if Windows has its own. */
  readonly openSsh: string | undefined;
  /** The cumulative update on this host, if one is installed. */
  readonly update: string | undefined;
  readonly bake: Bake;
}

/**
 * Settings of the SSH server: only keys, only administrators, no DNS lookups, which cost seconds without a DNS server.
 */
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
 * The CD's files by their paths: the answer file in its root, where Setup searches removable media, the drivers named there,
 * the script of the first logon, and what that and the nodes' steps install.
 *
 * @throws MediaError naming the programs that are not downloaded.
 */
export function configDiscContent(parts: ConfigDiscParts): DiscContent {
  const { ssh, drivers, extractedDrivers, openSsh, update, bake } = parts;
  const sshFiles: Readonly<Record<(typeof sshFileNames)[number], string>> = {
    ssh_host_ed25519_key: ssh.hostPrivateKey,
    "ssh_host_ed25519_key.pub": `${ssh.hostPublicKey}\n`,
    administrators_authorized_keys: `${ssh.authorizedKey}\n`,
    sshd_config: sshdConfig,
  };
  const file = (target: string, source: string): DiscContent => ({ [target]: { file: source } });
  return {
    [answerFileName]: { text: parts.answerFile },
    [`${kindowsFolder}/${sealedAnswerFile}`]: { text: parts.sealedAnswerFile },
    ...Object.fromEntries(
      sshFileNames.map((name) => [`${kindowsFolder}/ssh/${name}`, { text: sshFiles[name] }]),
    ),
    ...Object.fromEntries(
      [...imageScripts()].map(([target, source]) => [
        `${kindowsFolder}/${target}`,
        { file: source },
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(drivers.drivers).flatMap(([name, files]) =>
        files.map(({ path: source }) => [
          `${driversFolder}/${name}/${path.posix.basename(source)}`,
          { file: path.join(extractedDrivers, source) },
        ]),
      ),
    ),
    ...file(
      `${kindowsFolder}/media/${guestToolsFile}`,
      path.join(extractedDrivers, drivers.guestTools.path),
    ),
    [`${kindowsFolder}/${bakeFile}`]: { text: bakeText(bake) },
    ...Object.fromEntries(
      fetchedPrograms(bake).map(({ sha256, fileName, file: source }) => [
        `${kindowsFolder}/${programsFolder}/${sha256}/${fileName}`,
        { file: source },
      ]),
    ),
    ...(openSsh === undefined ? {} : file(`${kindowsFolder}/media/${openSshFolder}.zip`, openSsh)),
    ...(update === undefined ? {} : file(`${kindowsFolder}/media/${updateFile}`, update)),
  };
}

function fetchedPrograms({
  programs,
}: Bake): readonly { sha256: string; fileName: string; file: string }[] {
  const missing = programs.filter(({ file }) => file === undefined || !existsSync(file));
  if (missing.length > 0) {
    throw new MediaError(
      missing.map(({ fileName }) => ({
        subject: fileName,
        why: "is to be part of the image, and is not in this host's cache",
        instead: "Run `./kindows fetch --stack <name>`.",
      })),
    );
  }
  return programs.map(({ file = "", ...rest }) => ({ ...rest, file }));
}
