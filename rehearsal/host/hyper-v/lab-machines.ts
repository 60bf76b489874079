import type { WindowsHost } from "../windows-host.ts";
import type { HyperVModel, ModelledMachine } from "./hyper-v-model.ts";
import { samePath } from "./hyper-v-model.ts";

const markFile = "kindows.txt";
export const diskFile = "disk.vhdx";
export const identityFile = "identity.iso";

/** Whose a machine is, and which making of it. */
export interface LabMark {
  readonly owner: string;
  readonly making: string;
}

export function markText({ owner, making }: LabMark): string {
  return `kindows owner=${owner} making=${making}`;
}

/** Whose a machine is by its notes, or a folder by its mark. */
export function readMark(text: string): LabMark | undefined {
  const [, owner, making] =
    /^kindows owner=([0-9a-f]{12}) making=([0-9a-f]{12})\s*$/m.exec(text) ?? [];
  return owner === undefined || making === undefined ? undefined : { owner, making };
}

export async function readSiteMark(
  { drive }: WindowsHost,
  site: string,
): Promise<LabMark | undefined> {
  return readMark((await drive.readText(`${site}\\${markFile}`)) ?? "");
}

export async function writeSiteMark(
  { drive }: WindowsHost,
  site: string,
  mark: LabMark,
): Promise<void> {
  await drive.write(`${site}\\${markFile}`, `${markText(mark)}\r\n`);
}

/** A machine of a name, and what it is to an owner. */
export interface NamedMachine {
  readonly machine: ModelledMachine;
  readonly kind: "whole" | "half" | "foreign";
  readonly making: string;
}

/** What Get-NamedMachine finds. */
export async function namedMachines(
  host: WindowsHost,
  model: HyperVModel,
  wanted: { readonly name: string; readonly site: string; readonly owner: string },
): Promise<NamedMachine[]> {
  const { name, site, owner } = wanted;
  const siteMark = await readSiteMark(host, site);
  return model.machines
    .filter((machine) => machine.name === name)
    .map((machine): NamedMachine => {
      const mark = readMark(machine.notes);
      if (mark?.owner === owner) {
        return { machine, kind: "whole", making: mark.making };
      }
      const isHalf =
        machine.notes === "" &&
        siteMark?.owner === owner &&
        samePath(machine.disk, `${site}\\${diskFile}`);
      return { machine, kind: isHalf ? "half" : "foreign", making: "" };
    });
}

/** What Get-NameProblem tells. */
export async function nameProblems(
  host: WindowsHost,
  found: readonly NamedMachine[],
  site: string,
  owner: string,
): Promise<string[]> {
  const problems = found
    .filter(({ kind }) => kind === "foreign")
    .map(
      ({ machine: { name, id } }) =>
        `a machine ${name} (${id}) is there that this lab has not made`,
    );
  if (await host.drive.isFolder(site)) {
    const mark = await readSiteMark(host, site);
    const names = [...(await host.drive.fileNames(site)), ...(await host.drive.folderNames(site))];
    if ((mark === undefined && names.length > 0) || (mark && mark.owner !== owner)) {
      problems.push(`a folder ${site} is there that this lab has not made`);
    }
  }
  return problems;
}

/** Removes the folder of a machine that is the owner's; whether there was one. */
export async function removeSite(
  host: WindowsHost,
  model: HyperVModel,
  site: string,
  owner: string,
): Promise<boolean> {
  if ((await readSiteMark(host, site))?.owner !== owner) {
    return false;
  }
  await host.drive.remove(site);
  const own = Object.keys(model.disks).find((path) => samePath(path, `${site}\\${diskFile}`));
  if (own !== undefined) {
    delete model.disks[own];
  }
  return true;
}
