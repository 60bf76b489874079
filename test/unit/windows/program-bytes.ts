/** A file with the headers of a Windows program, as the linker writes them. */
export function programBytes({
  machine = 0x8664,
  characteristics = 0x22,
  cutBytes = 0,
  variables = ["v1.36.4"],
}: {
  readonly machine?: number;
  readonly characteristics?: number;
  /** Bytes that are missing at the end. */
  readonly cutBytes?: number;
  /** Values that `-ldflags "-X ..."` has set. */
  readonly variables?: readonly string[];
} = {}): Buffer {
  const [at, optional, headers] = [128, 240, 512];
  const head = Buffer.alloc(headers);
  head.write("MZ", 0, "latin1");
  head.writeUInt32LE(at, 60);
  head.write("PE\0\0", at, "latin1");
  head.writeUInt16LE(machine, at + 4);
  head.writeUInt16LE(1, at + 6);
  head.writeUInt16LE(optional, at + 20);
  head.writeUInt16LE(characteristics, at + 22);
  // A text of the source has its neighbours right beside it.
  const content = Buffer.from(
    `go1.26v9.9.9StringFormat${variables.map((each) => `\0\0${each}\0`).join("")}`,
    "latin1",
  );
  const section = at + 24 + optional;
  head.write(".rdata\0\0", section, "latin1");
  head.writeUInt32LE(content.length, section + 16);
  head.writeUInt32LE(headers, section + 20);
  return Buffer.concat([head, content.subarray(0, content.length - cutBytes)]);
}
