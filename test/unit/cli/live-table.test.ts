import assert from "node:assert/strict";
import { mock } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { printingAbove, say } from "../../../cli/progress.ts";
import { NodeStages } from "../../../cli/stages/node-stages.ts";

/** A terminal that keeps what is written, and what of it stays when the rest is redrawn. */
class Terminal {
  readonly columns = 100;
  readonly rows = 20;
  readonly isTTY = true;
  text = "";
  write(text: string): boolean {
    this.text += text;
    return true;
  }
  /** What was written since the last call, without control sequences. */
  written(): string {
    const text = stripVTControlCharacters(this.text);
    this.text = "";
    return text;
  }
}

describe("the table of nodes on a terminal", () => {
  const terminal = new Terminal();
  let stages: NodeStages;
  const said: string[] = [];
  const nodes = ["win-1", "win-2"].map((name) => ({ name, os: "windows" as const }));

  before(() => {
    mock.timers.enable({ apis: ["setInterval", "Date"] });
    stages = new NodeStages(nodes, (line) => said.push(line), {
      terminal: terminal as unknown as NodeJS.WriteStream,
    });
  });
  after(() => mock.timers.reset());

  it("shows each node's stage and its time, and counts on", () => {
    stages.read({ kind: "begun", node: "win-1", step: "copy-scripts" });
    mock.timers.tick(5000);
    stages.read({ kind: "begun", node: "win-1", step: "Join-Node" });
    stages.read({ kind: "begun", node: "win-2", step: "copy-scripts" });
    terminal.written();
    mock.timers.tick(2000);
    const shown = terminal.written();
    assert.match(shown, /^win-1 +joins the cluster +2 s +7 s$/m);
    assert.match(shown, /^win-2 +boots +2 s +2 s$/m);
    assert.deepEqual(said, []);
  });

  it("has lines that are printed meanwhile above it", () => {
    assert.notEqual(printingAbove(), undefined);
    say("something \u001b]0;else\u0007");
    const shown = terminal.written();
    assert.ok(shown.indexOf("something") < shown.indexOf("win-1"), shown);
    assert.match(shown, /^win-2 +boots/m);
  });

  it("loses a node that is Ready, which is said", () => {
    stages.read({ kind: "done", node: "win-1", step: "await-ready" });
    assert.match(said.join("\n"), /^\[win-1 is Ready after 7 s: boot 5 s, join 2 s\]$/);
    assert.doesNotMatch(terminal.written(), /win-1 +joins/);
  });

  it("is gone at the end", () => {
    stages.stop();
    terminal.written();
    mock.timers.tick(3000);
    assert.equal(terminal.written(), "");
    assert.equal(printingAbove(), undefined);
  });
});
