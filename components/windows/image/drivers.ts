import type { WindowsVersion } from "../../../config/supported.ts";
import { findFile } from "./disc.ts";
import type { DiscFile, DiscListing } from "./disc.ts";
import { MediaError } from "../../machine/disk/media-program.ts";

/**
 * Drivers for the machines' disk, network, guest agent channel, memory balloon and random numbers, by folder on
 * virtio-win.iso. CDs need none, because they are on SATA, for which Windows has a driver.
 */
export const driverNames = ["viostor", "NetKVM", "vioserial", "Balloon", "viorng"];

const versionFolders: Readonly<Record<WindowsVersion, string>> = { "2022": "2k22", "2025": "2k25" };

/** Installer of the guest agent and of all drivers, so that a later virtio-win can update them together. */
export const guestToolsFile = "virtio-win-guest-tools.exe";

export interface DriverFiles {
  readonly drivers: Readonly<Record<string, readonly DiscFile[]>>;
  readonly guestTools: DiscFile;
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
  const guestTools = findFile(disc, guestToolsFile);
  if (lacking.length > 0 || guestTools === undefined) {
    const names = [...lacking.map(folderOf), ...(guestTools === undefined ? [guestToolsFile] : [])];
    throw new MediaError({
      subject: disc.path,
      why: `is not a virtio-win ISO with drivers for Windows Server ${version}: it lacks ${names.join(", ")}`,
      instead: "Write the path of virtio-win.iso, as the virtio-win project publishes it.",
    });
  }
  return { drivers, guestTools };
}

function filesIn(disc: DiscListing, folder: string): DiscFile[] {
  const start = `${folder.toLowerCase()}/`;
  return disc.files.filter(
    ({ path }) =>
      path.toLowerCase().startsWith(start) &&
      !path.slice(start.length).includes("/") &&
      // Debug symbols, which are most of the ISO's size.
      !/\.pdb$/i.test(path),
  );
}

/** A driver consists of a description, a program and a signature. */
function isComplete(files: readonly DiscFile[]): boolean {
  return [".inf", ".sys", ".cat"].every((ending) =>
    files.some(({ path, bytes }) => path.toLowerCase().endsWith(ending) && bytes > 0),
  );
}
