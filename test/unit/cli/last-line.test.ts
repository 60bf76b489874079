import assert from "node:assert/strict";
import { kindowsProgram } from "../../../cli/command-line/kindows-program.ts";
import { newFolder } from "../new-folder.ts";
import { allCommands } from "./all-commands.ts";
import { runKindows } from "./run-kindows.ts";

const nowhere = ["--stack", "nowhere"];

/** Ways in which each command fails, whatever this host has: arguments after its name, and variables. */
const failures: Readonly<
  Record<string, readonly (readonly [args: readonly string[], variables?: NodeJS.ProcessEnv])[]>
> = {
  init: [[["rehearsal"]], [["new", "--machine", "win-1"]], [["new", "--windows", "2019"]]],
  up: [[nowhere]],
  down: [[nowhere]],
  stop: [[nowhere], [["win-1", ...nowhere]]],
  start: [[nowhere], [["win-1", ...nowhere]]],
  reset: [[["win-1", ...nowhere]], [[]]],
  preview: [[nowhere]],
  "preview-diff": [[["--base", "nowhere"]], [[]]],
  policy: [[["--stacks", "nowhere"]]],
  list: [[["--nothing"]]],
  status: [[nowhere], [["--json", "--watch"]]],
  kubeconfig: [[nowhere], [["--print", "--remove"]], [["--remote", "--print"]]],
  logs: [[nowhere], [["--follow", ...nowhere]], [["--tail", "x"]]],
  ssh: [[["win-1", ...nowhere]], [[]]],
  console: [[["win-1", ...nowhere]]],
  verify: [[nowhere], [["--context", "x"]], [["--rows", "nowhere"]]],
  conformance: [[nowhere], [["--suite", "nowhere", "--stack", "dev"]]],
  doctor: [[nowhere]],
  prepare: [[nowhere]],
  fetch: [[nowhere], [["--list", "--stack", "dev"], { KINDOWS_CACHE: newFolder() }]],
  images: [[nowhere]],
  load: [[["/nowhere.tar", ...nowhere]], [[]]],
  deploy: [[["win-1", "kubelet=/nowhere.exe", ...nowhere]], [[]]],
  lock: [[["--nothing"]]],
  "disk check": [[nowhere]],
  "disk scripts": [[["docs"]]],
  "disk build": [[nowhere]],
  "disk ls": [[nowhere]],
  "disk prune": [[nowhere]],
  bootstrap: [[["192.0.2.1", "--key", "/nowhere/key.pub"]]],
  "host-key": [[["192.0.2.1", "--port", "0"]]],
  "cache ls": [[[], { KINDOWS_CACHE: "relative" }]],
  "cache prune": [[[], { KINDOWS_CACHE: "relative" }], [["--unused-for", "x"]]],
  env: [[["--nothing"]]],
  completion: [[["nowhere"]]],
};

describe("a command that fails", () => {
  it("is every command", () => {
    const names = allCommands(kindowsProgram()).map(({ name }) => name);
    assert.deepEqual(Object.keys(failures).sort(), [...names].sort());
  });

  for (const [name, ways] of Object.entries(failures)) {
    for (const [args, variables] of ways) {
      const typed = [name, ...args].join(" ");
      it(`says last why it failed: ${typed}`, async () => {
        const { code, last } = await runKindows([...name.split(" "), ...args], variables);
        assert.notEqual(code, 0);
        // The command's own reason, or that of the command line's parser.
        assert.match(last, /^(kindows|error): \S[^]*\S\n$/);
      });
    }
  }
});
