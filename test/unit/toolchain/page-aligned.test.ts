import assert from "node:assert/strict";
import { pageAligned } from "../../../toolchain/tools/page-aligned.ts";
import { eachCase } from "../each-case.ts";

const coff = 0x80;
const optional = coff + 24;
const table = optional + 240;

/** Length of each section in the file, which is filled with the first letter of its name. */
const usual = { ".text": 0x1200, ".bss": 0, ".data": 0x200, ".symtab": 0x200 };

/** A 64-bit Windows program as Go's linker lays it out: sections at multiples of 512 bytes. */
function program(sections: Readonly<Record<string, number>>, symbolsIn?: string): Buffer {
  const headers = Buffer.alloc(0x400);
  headers.write("MZ", 0, "latin1");
  headers.writeUInt32LE(coff, 0x3c);
  headers.write("PE\0\0", coff, "latin1");
  headers.writeUInt16LE(Object.keys(sections).length, coff + 6);
  headers.writeUInt16LE(240, coff + 20);
  headers.writeUInt16LE(0x20b, optional);
  headers.writeUInt32LE(512, optional + 36);
  headers.writeUInt32LE(headers.length, optional + 60);
  headers.writeUInt32LE(16, optional + 108);
  const parts = [headers];
  let offset = headers.length;
  Object.entries(sections).forEach(([name, length], index) => {
    const at = table + index * 40;
    headers.write(name, at, "latin1");
    headers.writeUInt32LE(length, at + 16);
    headers.writeUInt32LE(length === 0 ? 0 : offset, at + 20);
    if (name === symbolsIn) headers.writeUInt32LE(offset + 16, coff + 12);
    parts.push(Buffer.alloc(length, name.replace(".", "")[0]));
    offset += length;
  });
  return Buffer.concat(parts);
}

/** Where each section is in the file, and what is there. */
function laidOut(file: Buffer): readonly (readonly [string, number, number, string])[] {
  return Array.from({ length: file.readUInt16LE(coff + 6) }, (_, index) => {
    const at = table + index * 40;
    const [length, offset] = [file.readUInt32LE(at + 16), file.readUInt32LE(at + 20)];
    const name = file.toString("latin1", at, at + 8).replaceAll("\0", "");
    const content = file.toString("latin1", offset, offset + length);
    return [name, offset, length, length === 0 ? "" : `${content[0]}${content[511]}`];
  });
}

/** The usual one with another number at a place. */
function changed(offset: number, value: number): Buffer {
  const file = program(usual);
  file.writeUInt16LE(value, offset);
  return file;
}

const refused: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
  "an empty file": [Buffer.alloc(0), /does not begin with MZ/],
  "a program for Linux": [Buffer.alloc(500, "\x7fELF"), /does not begin with MZ/],
  "one cut short": [program(usual).subarray(0, 0x90), /no PE32\+ header/],
  "a 32-bit one": [changed(optional, 0x10b), /no PE32\+ header/],
  "a signed one": [changed(optional + 112 + 32, 1), /certificate table/],
  "one to debug": [changed(optional + 112 + 48, 1), /debug information/],
  "one with an archive behind it": [
    Buffer.concat([program(usual), Buffer.alloc(7)]),
    /7 bytes after its sections/,
  ],
};

describe("a Windows program whose sections begin with a page", () => {
  it("keeps every section's content, at multiples of a page", () =>
    assert.deepEqual(laidOut(pageAligned(program(usual))), [
      [".text", 0x1000, 0x2000, "tt"],
      [".bss", 0, 0, ""],
      [".data", 0x3000, 0x1000, "dd"],
      [".symtab", 0x4000, 0x1000, "ss"],
    ]));

  it("says so in its headers, with the symbols where they are now", () => {
    const file = pageAligned(program(usual, ".symtab"));
    assert.equal(file.readUInt32LE(optional + 36), 0x1000);
    assert.equal(file.readUInt32LE(optional + 60), 0x1000);
    assert.equal(file.readUInt32LE(coff + 12), 0x4000 + 16);
    assert.equal(file.length, 0x5000);
  });

  it("is not changed by a second time", () => {
    const once = pageAligned(program(usual, ".symtab"));
    assert.deepEqual(pageAligned(once), once);
  });

  eachCase("refuses %s", refused, ([file, why]) => assert.throws(() => pageAligned(file), why));
});
