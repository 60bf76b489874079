import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { backendUrl, stateFolder } from "../../../cli/engine/folders.ts";
import { chosenBackend } from "../../../cli/engine/backend.ts";
import { inNewFolder } from "../new-folder.ts";

describe("the backend", () => {
  const at = inNewFolder();
  const [variable, project, login, token] = [
    { PULUMI_BACKEND_URL: "s3://variable" },
    at("with-url"),
    { PULUMI_HOME: at("home") },
    { PULUMI_ACCESS_TOKEN: "pul-0" },
  ];
  before(() => {
    for (const name of ["with-url", "without", "home"]) mkdirSync(at(name));
    writeFileSync(at("with-url/Pulumi.yaml"), "name: x\nbackend: { url: gs://project }\n");
    writeFileSync(at("without/Pulumi.yaml"), "name: x\n");
    writeFileSync(at("home/credentials.json"), '{ "current": "s3://login" }');
  });

  const cases: readonly (readonly [string, NodeJS.ProcessEnv, string, string | undefined])[] = [
    ["the variable's before all", { ...variable, ...login, ...token }, project, "s3://variable"],
    ["the project's before a login", { ...login, ...token }, project, "gs://project"],
    ["a login before a token", { ...login, ...token }, at("without"), "s3://login"],
    [
      "a login that is kept elsewhere",
      { PULUMI_HOME: at("none"), PULUMI_CREDENTIALS_PATH: at("home") },
      at("without"),
      "s3://login",
    ],
    [
      "Pulumi Cloud's for a token",
      { ...token, PULUMI_HOME: at("none") },
      at("without"),
      "https://api.pulumi.com",
    ],
    ["none in a fresh clone", { PULUMI_HOME: at("none") }, at("none"), undefined],
    [
      "none where `kindows env` has set the clone's own",
      { ...login, PULUMI_BACKEND_URL: backendUrl(stateFolder) },
      at("without"),
      undefined,
    ],
  ];
  for (const [title, environment, folder, expected] of cases) {
    it(`is ${title}`, () => assert.equal(chosenBackend(environment, folder), expected));
  }
});
