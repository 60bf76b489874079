import type { Drive } from "../drive.ts";

/** Whether the note beside a program says that it has been checked, and it is the same file still. */
export async function isChecked(
  drive: Drive,
  path: string,
  checksum: string,
  version: string,
): Promise<boolean> {
  const text = await note(drive, path, checksum, version);
  return text !== undefined && (await drive.readText(`${path}.checked`)) === text;
}

/** Notes that a program has been checked; as lib/CheckedProgram.ps1 does. */
export async function noteChecked(
  drive: Drive,
  path: string,
  checksum: string,
  version: string,
): Promise<void> {
  const text = await note(drive, path, checksum, version);
  if (text !== undefined) await drive.writeIfChanged(`${path}.checked`, text);
}

async function note(
  drive: Drive,
  path: string,
  checksum: string,
  version: string,
): Promise<string | undefined> {
  const state = await drive.fileState(path);
  return state && [checksum.toLowerCase(), version, state].join(" ");
}
