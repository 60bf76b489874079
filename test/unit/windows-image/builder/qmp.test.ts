import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { Qmp, type QmpEvent } from "../../../../components/windows/image/builder/qmp.ts";

/** A QEMU that answers with what a test says, command by command. */
function fakeQemu(answers: Readonly<Record<string, object>>) {
  const output = new PassThrough();
  const input = new PassThrough();
  const events: QmpEvent[] = [];
  const tell = (message: object): boolean => output.write(`${JSON.stringify(message)}\r\n`);
  input.on("data", (chunk: Buffer) => {
    const { execute, id } = JSON.parse(chunk.toString()) as { execute: string; id: number };
    const answer = answers[execute];
    if (answer !== undefined) tell({ ...answer, id });
  });
  const qmp = new Qmp(output, input, (event) => events.push(event));
  return { qmp, output, events, tell };
}

const greeting = { QMP: { version: {}, capabilities: [] } };
const ok = { qmp_capabilities: { return: {} } };

describe("QEMU's monitor", () => {
  it("is asked, answers, and tells events", async () => {
    const { qmp, tell, events } = fakeQemu({ ...ok, "query-status": { return: { status: "x" } } });
    tell(greeting);
    await qmp.open();
    tell({ event: "RESET", data: { guest: true }, timestamp: {} });
    assert.deepEqual(await qmp.execute("query-status"), { status: "x" });
    assert.deepEqual(events, [{ name: "RESET", data: { guest: true } }]);
  });

  it("refuses in its own words", async () => {
    const error = { class: "GenericError", desc: "Parameter 'format' is unexpected" };
    const { qmp, tell } = fakeQemu({ ...ok, screendump: { error } });
    tell(greeting);
    await qmp.open();
    await assert.rejects(qmp.execute("screendump"), /QEMU says: Parameter 'format' is unexpected/);
  });

  it("ends, and with it what was asked and what is asked later", async () => {
    const { qmp, tell, output } = fakeQemu(ok);
    tell(greeting);
    await qmp.open();
    const asked = qmp.execute("quit");
    output.end();
    await assert.rejects(asked, /QEMU has ended/);
    await assert.rejects(qmp.execute("cont"), /QEMU has ended/);
  });

  it("ends before it greets", async () => {
    const { qmp, output } = fakeQemu(ok);
    output.end();
    await assert.rejects(qmp.open(), /QEMU has ended/);
  });

  it("is not put off by what is no message", async () => {
    const { qmp, tell, output } = fakeQemu(ok);
    output.write("qemu: a warning\n");
    tell(greeting);
    await qmp.open();
  });
});
