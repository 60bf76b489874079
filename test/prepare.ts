/** Installs what `make test` needs besides Node.js packages: no hypervisor, no image. `make engine` runs this file. */
import path from "node:path";
import { pathToFileURL } from "node:url";

import {
  calicoDefinitions,
  definitionsName,
} from "../components/cni/calico/definitions-artifact.ts";
import { calicoRelease } from "../components/cni/calico/release.ts";
import { defaultCalico } from "../host/versions.ts";
import { recordBuilt } from "../toolchain/built.ts";
import { dockerState, ensureDocker } from "../toolchain/daemons.ts";
import { ensureHostPackages } from "../toolchain/host-packages.ts";
import { dockerPackages } from "../toolchain/host-requirements.ts";
import { prepareEngine } from "../cli/engine/prepare-engine.ts";
import { etcd, kubeApiserver, versitygw, yamlHost } from "../toolchain/tools/table.ts";

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const ensurePackages = (names: readonly string[]): Promise<void> => ensureHostPackages(names, say);
const options = { progress: say, ensurePackages };

/** Programs for the tests below test/unit and for `make lint`. */
export async function ensureTestPackages(): Promise<void> {
  await ensurePackages([
    ...["jq", "xsltproc", "shellcheck"],
    // Tests validate domain definitions against libvirt's schema.
    ...["libvirt-clients", "libxml2-utils"],
    // Its virt-aa-helper lists the files that AppArmor lets a machine open.
    "libvirt-daemon-system",
    // The tests of images make real ISOs, WIM files, updates and disks.
    ...["gcab", "genisoimage", "p7zip-full", "qemu-utils", "wimtools", "xorriso"],
  ]);
}

/** Programs for the tests below test/engine: the engine and its plugins, an API server, an S3 server, Docker. */
export async function ensureTestEngine(): Promise<void> {
  const docker = await dockerState();
  await ensurePackages(dockerPackages(docker));
  await ensureDocker(docker, options);
  const calico = calicoRelease(defaultCalico);
  const definitions = calicoDefinitions(calico);
  const further = [kubeApiserver, etcd, versitygw, definitions, yamlHost];
  const ensured = await prepareEngine(further, options);
  recordBuilt({
    tools: {
      etcd: path.join(ensured.path(etcd), "etcd"),
      "pulumi-language-yaml": path.join(ensured.path(yamlHost), "pulumi-language-yaml"),
      versitygw: path.join(ensured.path(versitygw), "versitygw"),
      "kube-apiserver": path.join(ensured.path(kubeApiserver), "kube-apiserver"),
    },
    calicoDefinitions: {
      [calico.definitionsSha256]: path.join(ensured.path(definitions), definitionsName),
    },
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await ensureTestPackages();
  await ensureTestEngine();
}
