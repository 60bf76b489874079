/**
 * What `make test` needs: the engine and its plugins, an API server for the plugins' tests, and what other tests run;
 * no daemon, no image.
 */
import path from "node:path";

import { recordBuilt } from "./built.ts";
import { ensureHostPackages } from "./host-packages.ts";
import { prepareEngine } from "./prepare-engine.ts";
import { etcd, kubernetesLinux } from "./tools/table.ts";

const say = (line: string): void => void process.stderr.write(`${line}\n`);

await ensureHostPackages(["jq", "xsltproc"], say);
const ensured = await prepareEngine([kubernetesLinux, etcd], { progress: say });
await recordBuilt({
  tools: {
    etcd: path.join(ensured.path(etcd), "etcd"),
    "kube-apiserver": path.join(ensured.path(kubernetesLinux), "kube-apiserver"),
  },
});
