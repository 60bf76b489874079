/**
 * `make test-windows-binaries`: builds what is missing, then runs this folder's tests in separate namespaces, so that
 * they use no port, process, mount or address of this machine and leave nothing behind.
 *
 * Arguments: test files. Default: all.
 */
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { calicoDefinitions } from "../../components/cni/calico/definitions-artifact.ts";
import { calicoRelease } from "../../components/cni/calico/release.ts";
import { defaultCalico } from "../../host/versions.ts";
import { calicoPrograms, unpackedArchive } from "../../rehearsal/image/calico-programs.ts";
import { rehearsalCri, rehearsalCurl } from "../../rehearsal/image/guest-tools.ts";
import { wineRoot } from "../../rehearsal/wine/artifact.ts";
import { ensureArtifacts } from "../../toolchain/ensure.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { projectRoot } from "../../toolchain/project.ts";
import {
  agnhostWindows,
  cniPluginsWindows,
  containerdWindows,
  containerdWindowsLts,
  etcd,
  flannelPluginWindows,
  flannelWindows,
  hcnTests,
  kubeApiserver,
  kubeProxyWindows,
  kubernetesLinux,
  kubernetesWindows,
} from "../../toolchain/tools/table.ts";
import {
  clusterAddress,
  clusterName,
  nodeAddress,
  type TestPrograms,
  programsVariable,
} from "./test-programs.ts";

/** Limit of all tests together, which usually take six minutes on two cores, and more than twice that beside labs. */
const totalMinutes = 40;

/**
 * First program in the namespaces: a network with the addresses of the cluster and of the node, the folder of `ip netns`, then
 * the tests.
 */
const script = `
set -e
ip link set lo up
ip link add tested type veth peer name cable
ip address add ${clusterAddress}/24 dev tested
ip address add ${nodeAddress}/24 dev tested
ip link set tested up
ip link set cable up
mkdir -p /run/netns
mount -t tmpfs netns /run/netns
mount --make-shared /run/netns
mount --bind "$1" /etc/hosts
shift
"$@"
`;

const calicoFolder = join(projectRoot, "../shared/calico");

/** Calico for Windows, and Tigera's operator and Typha for Linux; undefined where there are no archives beside the project. */
const calico = existsSync(calicoFolder)
  ? {
      windows: calicoPrograms(join(calicoFolder, "windows.tar.xz")),
      linux: unpackedArchive("calico-linux", join(calicoFolder, "programs.tar.xz"), [
        "./bin/operator",
        "./bin/calico-typha",
      ]),
    }
  : undefined;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(): Promise<number> {
  if (process.getuid?.() !== 0) {
    say("The Windows programs are NOT JUDGED: namespaces and mounts need root. Run this as root.");
    return 1;
  }
  const ensurePackages = (names: readonly string[]): Promise<void> =>
    ensureHostPackages(names, say);
  await ensurePackages(["iproute2", "nftables"]);
  const definitions = calicoDefinitions(calicoRelease(defaultCalico));
  const containerds = [containerdWindows, containerdWindowsLts];
  const artifacts = [
    ...[kubernetesWindows, kubernetesLinux, wineRoot],
    ...[...containerds, kubeProxyWindows, rehearsalCri, etcd, kubeApiserver, hcnTests],
    ...[flannelWindows, flannelPluginWindows, cniPluginsWindows, agnhostWindows, rehearsalCurl],
    ...[definitions, ...(calico ? [calico.windows, calico.linux] : [])],
  ];
  const ensured = await ensureArtifacts(artifacts, { progress: say, ensurePackages });
  const programs: TestPrograms = {
    wineRoot: join(ensured.path(wineRoot), "root"),
    kubernetesWindows: ensured.path(kubernetesWindows),
    kubeProxyWindows: ensured.path(kubeProxyWindows),
    flannelWindows: ensured.path(flannelWindows),
    flannelPluginWindows: ensured.path(flannelPluginWindows),
    cniPluginsWindows: ensured.path(cniPluginsWindows),
    containerdWindows: Object.fromEntries(
      containerds.map((each) => [each.tool.version, ensured.path(each)]),
    ),
    rehearsalCri: ensured.path(rehearsalCri),
    agnhostWindows: ensured.path(agnhostWindows),
    rehearsalCurl: ensured.path(rehearsalCurl),
    hcnTests: ensured.path(hcnTests),
    kubernetesLinux: ensured.path(kubernetesLinux),
    etcd: ensured.path(etcd),
    kubeApiserver: ensured.path(kubeApiserver),
    calicoDefinitions: ensured.path(definitions),
    ...(calico && {
      calico: { windows: ensured.path(calico.windows), linux: ensured.path(calico.linux) },
    }),
  };
  const folder = await mkdtemp(join(tmpdir(), "kindows-windows-binaries-"));
  try {
    await writeFile(join(folder, "programs.json"), JSON.stringify(programs));
    await writeFile(
      join(folder, "hosts"),
      `127.0.0.1 localhost\n${clusterAddress} ${clusterName}\n`,
    );
    return await runTests(folder, process.argv.slice(2));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns mocha's exit code, once everything that the tests have started has ended. */
async function runTests(folder: string, files: readonly string[]): Promise<number> {
  const tests = files.length > 0 ? files : ["test/windows-binaries/**/*.test.ts"];
  // An interrupted run leaves nothing either, because the namespaces end with their first process.
  const stopped = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => stopped.abort());
  }
  const result = await execa(
    "unshare",
    [
      ...["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"],
      ...["--propagation", "private", "sh", "-c", script, "sh", join(folder, "hosts")],
      ...["node_modules/.bin/mocha", "--exit", ...tests],
    ],
    {
      cwd: projectRoot,
      env: { TMPDIR: folder, [programsVariable]: join(folder, "programs.json") },
      stdio: "inherit",
      timeout: totalMinutes * 60_000,
      cancelSignal: stopped.signal,
      killSignal: "SIGKILL",
      reject: false,
    },
  );
  if (result.timedOut)
    say(`The tests did not end within ${totalMinutes} minutes and were stopped.`);
  return result.exitCode ?? 1;
}

process.exitCode = await main();
