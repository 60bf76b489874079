import type { StepContext } from "../step.ts";
import { expandTarArchive, moveFileIntoPlace } from "./file-placement.ts";
import { assertMedium } from "./media.ts";

/** Programs of one archive, as lib/ArchivedProgram.ps1 puts them in place. */
export interface ArchivedProgram {
  /** What the names of its Path and Sha256 parameters begin with. */
  readonly parameter: string;
  readonly folder: string;
  /** Stem of the file that remembers which archive they are from. */
  readonly name: string;
  /** Name that each shall have, by its name in the archive. */
  readonly files: Readonly<Record<string, string>>;
  /** Service that runs one of them. */
  readonly service?: string;
}

export async function installArchivedProgram(
  context: StepContext,
  { parameter, folder, name, files, service }: ArchivedProgram,
): Promise<"installed" | "media"> {
  const { host, parameters } = context;
  const { drive, services } = host;
  const sha256 = parameters.text(`${parameter}Sha256`).toLowerCase();
  const markPath = `${folder}\\${name}.sha256`;
  const places = Object.values(files).map((file) => `${folder}\\${file}`);
  const there = await Promise.all(places.map((place) => drive.isFile(place)));
  if ((await drive.readText(markPath))?.trim() === sha256 && there.every(Boolean)) {
    return "installed";
  }
  const archive = parameters.text(`${parameter}Path`);
  await assertMedium(context, archive, sha256);
  const staging = `${folder}\\${name}.new`;
  await expandTarArchive(context, archive, staging, 0);
  if (service !== undefined && services.get(service)) await services.stop(service);
  await drive.remove(markPath);
  for (const source of Object.keys(files).sort()) {
    await moveFileIntoPlace(host, `${staging}\\${source}`, `${folder}\\${files[source] ?? ""}`);
  }
  await drive.remove(staging);
  await drive.write(markPath, sha256);
  return "media";
}

/** Writes a file unless it is there with this content, given in base64; whether it was another. */
export async function setEncodedFile(
  { host }: StepContext,
  path: string,
  content: string,
  service?: string,
): Promise<boolean> {
  const wanted = Buffer.from(content, "base64");
  if ((await host.drive.read(path))?.equals(wanted) === true) return false;
  if (service !== undefined && host.services.get(service)) await host.services.stop(service);
  await host.drive.write(path, wanted);
  return true;
}
