import assert from "node:assert/strict";
import { logSources } from "../../../../cli/logs/machines.ts";
import { parseDeployment } from "../../../../cli/recovery/deployment.ts";
import { connection, secret } from "../recovery/state-builder.ts";

const command = (name: string, inputs: object, more: object = {}): object => ({
  urn: `urn:pulumi:dev::kindows::kindows:windows:WindowsNode$command:remote:Command::${name}`,
  type: "command:remote:Command",
  inputs,
  ...more,
});
const sources = (...resources: object[]): unknown =>
  logSources(parseDeployment(JSON.stringify({ version: 3, deployment: { resources } })));

describe("machines whose logs can be had", () => {
  it("are those that have their scripts, with the connection the state knows", () => {
    const inputs = { connection: secret({ ...connection, privateKey: secret("KEY") }) };
    assert.deepEqual(
      sources(
        command("win-1-home", inputs),
        command("win-1-steps", inputs),
        command("win-1-steps", inputs, { delete: true }),
        command("win-2-steps", { create: "tar.exe" }),
        { urn: "urn:pulumi:dev::kindows::t::x-steps", type: "x:y:Z", inputs },
      ),
      [{ node: "win-1", ...connection, scripts: "C:\\kindows\\steps\\Export-NodeLog" }],
    );
  });

  it("are none in an empty state", () => {
    assert.deepEqual(logSources(parseDeployment('{"version":3,"deployment":{}}')), []);
  });
});
