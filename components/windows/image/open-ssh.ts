import { findFile } from "./disc.ts";
import type { DiscListing } from "./disc.ts";
import { MediaError } from "../../machine/disk/media-program.ts";

/** Required files in the archive's folder: server, SFTP, the script that registers the services. */
const files = ["sshd.exe", "sftp-server.exe", "ssh-keygen.exe", "install-sshd.ps1"];

/** Folder in the archive, as Win32-OpenSSH packs it. */
export const openSshFolder = "OpenSSH-Win64";

/** @throws MediaError if an archive is not OpenSSH for 64-bit Windows. */
export function checkOpenSsh(archive: DiscListing): void {
  const lacking = files.filter(
    (name) => findFile(archive, `${openSshFolder}/${name}`) === undefined,
  );
  if (lacking.length > 0) {
    throw new MediaError([
      {
        subject: archive.path,
        why: `is not OpenSSH for 64-bit Windows: it lacks ${lacking.map((name) => `${openSshFolder}/${name}`).join(", ")}`,
        instead: "Write the path of OpenSSH-Win64.zip, as PowerShell/Win32-OpenSSH publishes it.",
      },
    ]);
  }
}
