import assert from "node:assert/strict";
import { appendFile, writeFile } from "node:fs/promises";
import { SerialLines } from "../../../../components/windows/image/builder/serial-lines.ts";
import { inNewFolder } from "../../new-folder.ts";

describe("lines on a serial port", () => {
  it("come whole, once, and without what is no text", async () => {
    const file = inNewFolder()("com1.log");
    const lines = new SerialLines(file);
    assert.deepEqual(await lines.read(), [], "before the file is there");
    await writeFile(file, "one\r\ntw");
    assert.deepEqual(await lines.read(), ["one"]);
    await appendFile(file, Buffer.from("o\n\x1b[2Jthree \xff\n", "latin1"));
    assert.deepEqual(await lines.read(), ["two", "[2Jthree \xff"]);
    assert.deepEqual(await lines.read(), []);
  });
});
