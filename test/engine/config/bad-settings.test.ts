import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { stringify } from "yaml";

import { backendUrl } from "../../../cli/engine/folders.ts";
import { badCaseOf } from "../../unit/config/bad-settings/bad-cases.ts";
import { runPulumi } from "../plugins/support/engine.ts";
import { CopiedProject } from "../plugins/support/sources.ts";

/** The engine's events of a run, one event a line. */
interface EngineEvent {
  readonly resourcePreEvent?: { readonly metadata: { readonly type: string } };
}

describe("bad settings on the real engine", () => {
  let project: CopiedProject;

  const pulumi = (...args: readonly string[]) =>
    runPulumi(project.at(), "dev", args, {
      PULUMI_BACKEND_URL: backendUrl(project.at(".kindows", "state")),
      PULUMI_CONFIG_PASSPHRASE: "",
      // Makes it take `--event-log`.
      PULUMI_DEBUG_COMMANDS: "true",
      // Nothing of this host may be touched, and nothing may have to be.
      DOCKER_HOST: "unix:///nonexistent/docker.sock",
      LIBVIRT_DEFAULT_URI: "test:///nonexistent",
    });

  before(async () => {
    project = await CopiedProject.create();
    await project.put("");
    const made = await pulumi("stack", "init");
    assert.equal(made.exitCode, 0, made.said);
  });

  it("up, with mistakes of every kind: all of them, no stack trace, nothing made", async () => {
    const { config = {}, problems } = badCaseOf("sections.yaml", "everything at once");
    const { "kindows:lab": lab, ...others } = config;
    // The engine takes keys without a namespace as the project's.
    await project.put(stringify({ config: { lab, ...others } }));
    const log = project.at("events.json");
    const { exitCode, said } = await pulumi("up", "--yes", "--skip-preview", "--event-log", log);
    assert.equal(exitCode, 1, said);
    // It indents what the program says, and may say it twice: in the course of things, and in its summary.
    const reported = said.split("\n").flatMap((line) => /^\s+- (.*)$/.exec(line)?.[1] ?? []);
    assert.deepEqual([...new Set(reported)].sort(), [...problems].sort(), said);
    assert.doesNotMatch(said, /^\s+at .+:\d+/m);
    assert.doesNotMatch(said, /unhandled|TypeError|node:internal/i);
    const events = (await readFile(log, "utf8")).split("\n").filter((line) => line !== "");
    const asked = events.flatMap((line) => {
      const { resourcePreEvent } = JSON.parse(line) as EngineEvent;
      return resourcePreEvent === undefined ? [] : [resourcePreEvent.metadata.type];
    });
    assert.deepEqual(asked, ["pulumi:pulumi:Stack"]);
  });
});
