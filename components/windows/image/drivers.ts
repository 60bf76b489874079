import type { WindowsVersion } from "../../../config/supported.ts";
import { findFile } from "./disc.ts";
import type { DiscFile, DiscListing } from "./disc.ts";
import { MediaError } from "../../machine/disk/media-program.ts";

/**
 * Drivers for the machines: disk, network, the guest agent's channel, memory balloon, random numbers. CDs are on SATA, for
 * which Windows has a driver. Names of folders on virtio-win.iso.
 */
export const driverNames = ["viostor", "NetKVM", "vioserial", "Balloon", "viorng"];

const versionFolders: Readonly<Record<WindowsVersion, string>> = { "2022": "2k22", "2025": "2k25" };

/** Installs the guest agent, and keeps the drivers that a later virtio-win updates together. */
export const guestToolsFile = "virtio-win-guest-tools.exe";

export interface DriverFiles {
  readonly drivers: Readonly<Record<string, readonly DiscFile[]>>;
  readonly guestTools: DiscFile;
}

/** Finds the drivers for a version of Windows; throws MediaError naming every missing or incomplete one. */
export function findDrivers(disc: DiscListing, version: WindowsVersion): DriverFiles {
  const folderOf = (name: string): string => `${name}/${versionFolders[version]}/amd64`;
  const drivers = Object.fromEntries(
    driverNames.map((name) => [name, filesIn(disc, folderOf(name))] as const),
  );
  const lacking = driverNames.filter((name) => !isWhole(drivers[name] ?? []));
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
      // Debug symbols are most of an ISO's size.
      !/\.pdb$/i.test(path),
  );
}

/** A driver is a description, a program and a signature. */
function isWhole(files: readonly DiscFile[]): boolean {
  return [".inf", ".sys", ".cat"].every((ending) =>
    files.some(({ path, bytes }) => path.toLowerCase().endsWith(ending) && bytes > 0),
  );
}
