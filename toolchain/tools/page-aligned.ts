/** Size of a page of memory, and of what is mapped of a file. */
const pageSize = 4096;

/** Offsets in the headers of a PE32+ program: https://learn.microsoft.com/windows/win32/debug/pe-format */
const headerPointer = 0x3c;
const coffLength = 24;
const symbolTablePointer = 12;
const optionalFileAlignment = 36;
const optionalHeadersLength = 60;
const optionalDirectories = 112;
const sectionLength = 40;

/** Data directories whose address is one in the file, or that hold such addresses. */
const directoriesOfFile = { "certificate table": 4, "debug information": 6 };

/**
 * The same Windows program with each section at a multiple of a page in its file. Wine maps such sections, and reads
 * all the others into memory of each process of their own: for 80 MB of kubelet.exe on an emulated processor that is
 * most of what a start costs, and what the emulator translated for one start does not serve the next. Go's linker puts
 * sections at multiples of 512 bytes. Windows itself runs either.
 *
 * @throws when it is no 64-bit Windows program, or one that is signed or has debug information: neither may be moved.
 */
export function pageAligned(program: Buffer): Buffer {
  if (program.length < 0x40 || program.toString("latin1", 0, 2) !== "MZ") {
    throw new Error("not a Windows program: it does not begin with MZ");
  }
  const coff = program.readUInt32LE(headerPointer);
  const optional = coff + coffLength;
  if (
    optional + optionalDirectories > program.length ||
    program.toString("latin1", coff, coff + 4) !== "PE\0\0" ||
    program.readUInt16LE(optional) !== 0x20b
  ) {
    throw new Error("not a 64-bit Windows program: it has no PE32+ header");
  }
  const directories = program.readUInt32LE(optional + optionalDirectories - 4);
  for (const [what, index] of Object.entries(directoriesOfFile)) {
    if (index < directories && program.readUInt32LE(optional + optionalDirectories + index * 8)) {
      throw new Error(`the program has a ${what}, so its sections cannot be moved`);
    }
  }

  const table = optional + program.readUInt16LE(coff + 20);
  const sections = Array.from({ length: program.readUInt16LE(coff + 6) }, (_, index) => {
    const at = table + index * sectionLength;
    return { at, length: program.readUInt32LE(at + 16), offset: program.readUInt32LE(at + 20) };
  });
  const stored = sections.filter(({ length }) => length > 0);
  const headersEnd = table + sections.length * sectionLength;
  const headers = Buffer.alloc(roundUp(headersEnd));
  program.copy(headers, 0, 0, headersEnd);
  headers.writeUInt32LE(pageSize, optional + optionalFileAlignment);
  headers.writeUInt32LE(headers.length, optional + optionalHeadersLength);

  const end = Math.max(headersEnd, ...stored.map(({ length, offset }) => offset + length));
  if (end < program.length) {
    throw new Error(`the program has ${program.length - end} bytes after its sections`);
  }
  const symbols = program.readUInt32LE(coff + symbolTablePointer);
  const parts = [headers];
  let next = headers.length;
  for (const { at, length, offset } of stored) {
    const part = Buffer.alloc(roundUp(length));
    program.copy(part, 0, offset, offset + length);
    headers.writeUInt32LE(part.length, at + 16);
    headers.writeUInt32LE(next, at + 20);
    if (symbols >= offset && symbols < offset + length) {
      headers.writeUInt32LE(next + symbols - offset, coff + symbolTablePointer);
    }
    parts.push(part);
    next += part.length;
  }
  return Buffer.concat(parts);
}

function roundUp(length: number): number {
  return Math.ceil(length / pageSize) * pageSize;
}
