/**
 * What `make test` needs: the engine and its plugins, an API server and a Docker for the plugins' tests, and what other
 * tests run; no hypervisor, no image.
 */
import path from "node:path";

import { recordBuilt } from "./built.ts";
import { dockerState } from "./daemon-state.ts";
import { ensureDocker } from "./daemons.ts";
import { ensureHostPackages } from "./host-packages.ts";
import { dockerPackages } from "./host-requirements.ts";
import { prepareEngine } from "./prepare-engine.ts";
import { etcd, kubernetesLinux } from "./tools/table.ts";

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const ensurePackages = (names: readonly string[]): Promise<void> => ensureHostPackages(names, say);
const options = { progress: say, ensurePackages };
const docker = await dockerState();
await ensurePackages(["jq", "xsltproc", "shellcheck", ...dockerPackages(docker)]);
await ensureDocker(docker, options);
const ensured = await prepareEngine([kubernetesLinux, etcd], options);
await recordBuilt({
  tools: {
    etcd: path.join(ensured.path(etcd), "etcd"),
    "kube-apiserver": path.join(ensured.path(kubernetesLinux), "kube-apiserver"),
  },
});
