import { createHash } from "node:crypto";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import type { Complaint } from "../../config/problem.ts";
import { messageOf } from "../../host/failure.ts";

/** A program for Windows nodes. */
export interface ProgramFile {
  readonly sha256: string;
  /** Version that Kubernetes and containerd link into their programs, without a leading `v`; undefined if there is none. */
  readonly version: string | undefined;
}

/** Processors in a PE header (Microsoft's "PE Format", machine types). */
const processors: Readonly<Record<number, string>> = {
  0x14c: "x86",
  0x1c0: "arm",
  0x1c4: "arm",
  0x8664: "amd64",
  0xaa64: "arm64",
};

const dllFlag = 0x2000;
const sectionBytes = 40;

/** More than the headers of any program. */
const headBytes = 64 * 1024;

const build = "Build it with GOOS=windows GOARCH=amd64";

export const anotherFile = "Write the path of a program for Windows that you can read.";

/** Reads a program's headers, checksum and version. Returns what is wrong with a file that is no program for Windows nodes. */
export async function examineProgram(file: string): Promise<ProgramFile | Complaint> {
  try {
    const found = await stat(file);
    if (!found.isFile()) return { why: "is not a file", instead: anotherFile };
    const complaint = headComplaint(await beginning(file), found.size);
    if (complaint !== undefined) return complaint;
    const content = await readFile(file);
    return {
      sha256: createHash("sha256").update(content).digest("hex"),
      version: linkedVersion(content),
    };
  } catch (error) {
    return unreadable(error, anotherFile);
  }
}

/** The content of a small file that the settings name, or why it can't be read. A device or a pipe is no file. */
export function contentOf(file: string, instead: string): Buffer | Complaint {
  try {
    return fileComplaint(file, instead) ?? readFileSync(file);
  } catch (error) {
    return unreadable(error, instead);
  }
}

/** Why a file of any size that the settings name can't be read. */
export function fileComplaint(file: string, instead: string): Complaint | undefined {
  try {
    accessSync(file, constants.R_OK);
    return statSync(file).isFile() ? undefined : { why: "is not a file", instead };
  } catch (error) {
    return unreadable(error, instead);
  }
}

/** Why a file can't be read, by the system's error. */
export function unreadable(error: unknown, instead: string): Complaint {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return { why: "does not exist", instead };
  if (code === "EACCES") return { why: "can't be read by this user", instead };
  return { why: `can't be read (${messageOf(error)})`, instead };
}

async function beginning(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** @param head the file's beginning. @param size of the whole file in bytes. */
export function headComplaint(head: Buffer, size: number): Complaint | undefined {
  const magic = head.toString("latin1", 0, 4);
  if (magic === "\x7fELF") return { why: "is a program for Linux", instead: `${build}.` };
  if (/^(\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe)$/.test(magic)) {
    return { why: "is a program for macOS", instead: `${build}.` };
  }
  if (!magic.startsWith("MZ")) return { why: "is not a program for Windows", instead: `${build}.` };
  const at = head.length < 64 ? head.length : head.readUInt32LE(60);
  if (at + 24 > head.length || head.toString("latin1", at, at + 4) !== "PE\0\0") {
    return { why: "is not a whole program for Windows", instead: "Build or copy it again." };
  }
  const machine = head.readUInt16LE(at + 4);
  const processor = processors[machine];
  if (processor !== "amd64") {
    const why = `is a program for ${processor ?? `the processor 0x${machine.toString(16)}`}, and Windows nodes are amd64`;
    return { why, instead: `${build}.` };
  }
  if ((head.readUInt16LE(at + 22) & dllFlag) !== 0) {
    return { why: "is a library, not a program", instead: "Write the path of the .exe file." };
  }
  const sections = at + 24 + head.readUInt16LE(at + 20);
  for (let left = head.readUInt16LE(at + 6), place = sections; left > 0; left--) {
    if (place + sectionBytes > head.length) break;
    const end = head.readUInt32LE(place + 16) + head.readUInt32LE(place + 20);
    if (end > size) return { why: "is cut off", instead: "Build or copy it again." };
    place += sectionBytes;
  }
  return undefined;
}

/**
 * The version in a Go program. The linker ends a variable of `-ldflags "-X ..."` with a zero byte, unlike the texts of the
 * source, and keeps it in a program without symbols. Undefined if several differ.
 */
export function linkedVersion(content: Buffer): string | undefined {
  const found = new Set<string>();
  for (let at = content.indexOf("\0v"); at >= 0; at = content.indexOf("\0v", at + 1)) {
    const text = content.toString("latin1", at + 1, at + 129);
    const [, version] = /^v(\d+\.\d+\.\d+(?:[-+][-+.0-9A-Za-z]*)?)\0/.exec(text) ?? [];
    if (version !== undefined) found.add(version);
  }
  const [version, ...others] = found;
  return others.length === 0 ? version : undefined;
}
