import assert from "node:assert/strict";
import { CommandFailed } from "../../../../ssh/run-over-ssh.ts";
import { StageError } from "../../../../components/windows/image/builder/build-stages.ts";
import {
  buildIn,
  builderLogin,
  sealCommand,
  sealingError,
} from "../../../../components/windows/image/builder/seal-image.ts";
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

  it("is tried again after a lost connection, a reboot, and where the script of a lost connection still runs", () => {
    const ended = (code: number): unknown => sealingError(new CommandFailed("", code));
    const again = [new Error("the connection was lost"), ended(75), ended(11)];
    assert.ok(again.every((error) => sealingError(error) === error));
    for (const code of [1, 10, 12, 74, 76]) assert.ok(ended(code) instanceof StageError);
  });

  it("waits five minutes for a builder that is silent", () => {
    const pair = { private: "a", public: "b" };
    const { silentSeconds } = builderLogin(22, { loginKey: pair, hostKey: pair });
    assert.equal(silentSeconds, 300);
  });

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
