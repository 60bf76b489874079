import path from "node:path";
import type { WindowsVersion } from "../../config/supported.ts";
import { findFile } from "./disc.ts";
import type { DiscFile, DiscListing } from "./disc.ts";
import { MediaError } from "../disk/media-program.ts";

/**
 * Drivers for the machines' disk, network, guest agent channel, memory balloon and random numbers, by folder on
 * virtio-win.iso. CDs need none, because they are on SATA, for which Windows has a driver.
 */
export const driverNames = ["viostor", "NetKVM", "vioserial", "Balloon", "viorng"];

const versionFolders: Readonly<Record<WindowsVersion, string>> = { "2022": "2k22", "2025": "2k25" };

/** QEMU's guest agent, on virtio-win.iso. */
const guestAgent = "guest-agent/qemu-ga-x86_64.msi";

/** Its name on the image's disc. */
export const guestAgentFile = path.posix.basename(guestAgent);

export interface DriverFiles {
  readonly drivers: Readonly<Record<string, readonly DiscFile[]>>;
  readonly guestAgent: DiscFile;
}

/**
 * Finds the drivers for a version of Windows.
 *
 * @throws MediaError with every missing or incomplete driver.
 */
export function findDrivers(disc: DiscListing, version: WindowsVersion): DriverFiles {
  const folderOf = (name: string): string => `${name}/${versionFolders[version]}/amd64`;
  const drivers = Object.fromEntries(
    driverNames.map((name) => [name, filesIn(disc, folderOf(name))] as const),
  );
  const lacking = driverNames.filter((name) => !isComplete(drivers[name] ?? []));
  const agent = findFile(disc, guestAgent);
  if (lacking.length > 0 || agent === undefined) {
    const names = [...lacking.map(folderOf), ...(agent === undefined ? [guestAgent] : [])];
    throw new MediaError({
      subject: disc.path,
      why: `is not a virtio-win ISO with drivers for Windows Server ${version}: it lacks ${names.join(", ")}`,
      instead: "Write the path of virtio-win.iso, as the virtio-win project publishes it.",
    });
  }
  return { drivers, guestAgent: agent };
}

function filesIn(disc: DiscListing, folder: string): DiscFile[] {
  const start = `${folder.toLowerCase()}/`;
  return disc.files.filter(
    ({ path: file }) =>
      file.toLowerCase().startsWith(start) &&
      !file.slice(start.length).includes("/") &&
      // Debug symbols, which are most of the ISO's size.
      !/\.pdb$/i.test(file),
  );
}

/** A driver consists of a description, a program and a signature. */
function isComplete(files: readonly DiscFile[]): boolean {
  return [".inf", ".sys", ".cat"].every((ending) =>
    files.some(({ path: file, bytes }) => file.toLowerCase().endsWith(ending) && bytes > 0),
  );
}
