import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { dockerEndpoint, type DockerEndpoint } from "../../../host/docker-engine.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";

const usual = "unix:///var/run/docker.sock";
const rootless = "unix:///run/user/1000/docker.sock";

interface Setup {
  readonly environment?: Readonly<Record<string, string>>;
  readonly config?: string;
  /** Docker's endpoint of each context. */
  readonly contexts?: Readonly<Record<string, string>>;
}

const byContext: DockerEndpoint = { host: rootless, by: "context", context: "rootless" };
const byDefault: DockerEndpoint = { host: usual, by: "default" };
const contexts = { rootless, "desktop-linux": "unix:///home/me/.docker/desktop/docker.sock" };

/** As docker/cli's resolveContextName decides. */
const cases: Readonly<Record<string, readonly [Setup, DockerEndpoint]>> = {
  "nothing is said": [{}, byDefault],
  "a context is current (buildpacks/pack#1346)": [
    { config: '{"currentContext":"rootless"}', contexts },
    byContext,
  ],
  "DOCKER_CONTEXT names another one than the current (docker/cli#1899)": [
    {
      environment: { DOCKER_CONTEXT: "rootless" },
      config: '{"currentContext":"desktop-linux"}',
      contexts,
    },
    byContext,
  ],
  "DOCKER_HOST is set beside a context (docker/buildx#1834)": [
    {
      environment: { DOCKER_HOST: "tcp://192.0.2.7:2375", DOCKER_CONTEXT: "rootless" },
      contexts,
    },
    { host: "tcp://192.0.2.7:2375", by: "DOCKER_HOST" },
  ],
  "DOCKER_HOST is empty": [
    { environment: { DOCKER_HOST: "" }, config: '{"currentContext":"rootless"}', contexts },
    byContext,
  ],
  "the context is the default one": [{ config: '{"currentContext":"default"}' }, byDefault],
  "the context is gone, about which docker itself complains": [
    { config: '{"currentContext":"gone"}', contexts },
    byDefault,
  ],
  "the settings are damaged": [{ config: "{" }, byDefault],
  "the settings have only logins": [{ config: '{"auths":{}}' }, byDefault],
};

describe("Docker's engine", () => {
  eachCase("is where the command docker finds it: %s", cases, ([setup, endpoint]) => {
    const home = newFolder();
    const config = path.join(home, ".docker");
    mkdirSync(config);
    if (setup.config !== undefined) writeFileSync(path.join(config, "config.json"), setup.config);
    for (const [Name, Host] of Object.entries(setup.contexts ?? {})) {
      const id = createHash("sha256").update(Name).digest("hex");
      const folder = path.join(config, "contexts", "meta", id);
      mkdirSync(folder, { recursive: true });
      const meta = { Name, Metadata: {}, Endpoints: { docker: { Host, SkipTLSVerify: false } } };
      writeFileSync(path.join(folder, "meta.json"), JSON.stringify(meta));
    }
    assert.deepEqual(dockerEndpoint({ HOME: home, ...setup.environment }), endpoint);
  });

  it("is looked for in the folder that DOCKER_CONFIG names", () => {
    const folder = newFolder();
    writeFileSync(path.join(folder, "config.json"), '{"currentContext":"gone"}');
    assert.deepEqual(dockerEndpoint({ DOCKER_CONFIG: folder, HOME: "/gone" }), byDefault);
  });
});
