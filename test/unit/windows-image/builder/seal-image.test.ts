import assert from "node:assert/strict";
import { buildIn, sealCommand } from "../../../../components/windows/image/builder/seal-image.ts";
import { defaultRequirements } from "../../../../components/windows/host-requirements.ts";

const build =
  '{"step":"Confirm-ImageBuild","changed":false,"facts":{"build":20348,"revision":5139}}';

describe("sealing over SSH", () => {
  it("finds the Windows among what all scripts say", () => {
    const output = ["words", build, '{"step":"Invoke-Bake","facts":{"steps":4}}', ""].join("\r\n");
    assert.deepEqual(buildIn(output), { build: 20348, revision: 5139 });
  });

  for (const output of ["", "{}", '{"step":"Invoke-Bake","facts":{"build":1,"revision":2}}']) {
    it(`makes up no Windows from ${output || "nothing"}`, () =>
      assert.throws(() => buildIn(output), /no script said which Windows it has/));
  }

  it("asks for what the nodes' own check asks for, before anything else, and fits into cmd.exe", () => {
    const { minimumBuild, minimumRevision } = defaultRequirements;
    const places = [
      `'Confirm-ImageBuild.ps1') -MinimumBuild ${minimumBuild} -MinimumRevision ${minimumRevision};`,
      "'Invoke-Bake.ps1'",
      "'Complete-Image.ps1') -SealedAnswerFile",
    ].map((part) => sealCommand.indexOf(part));
    assert.ok(places[0] !== undefined && places[0] > 0);
    assert.deepEqual(
      places,
      [...places].sort((one, other) => one - other),
    );
    assert.ok(sealCommand.length < 8191);
  });
});
