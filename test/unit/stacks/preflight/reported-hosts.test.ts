import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import path from "node:path";
import { parse } from "yaml";
import { hostProblemText } from "../../../../config/host-problem.ts";
import { resolveSettings } from "../../../../config/resolve.ts";
import type { DockerEndpoint } from "../../../../host/docker-engine.ts";
import { checkHost } from "../../../../stacks/host-checks.ts";
import { infoSchema } from "../../../../components/controlplane/docker-readiness.ts";
import { checkUplink, gatherServices } from "../../../../components/network/host-services.ts";
import { rangesOf } from "../../../../components/network/segment-readiness.ts";
import { assertSaid } from "../../controlplane/golden.ts";
import { newFolder } from "../../new-folder.ts";
import { goodHost, libvirt } from "./good-host.ts";

/** A host of reported-hosts.yaml. */
interface Reported {
  /** Repository and number of the public report. */
  readonly report: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Files and symbolic links of /proc, /sys and /etc. */
  readonly files?: Readonly<Record<string, string>>;
  /** Of interfaces, with the length of their network's prefix. */
  readonly addresses?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly endpoint?: DockerEndpoint;
  readonly dockerInfo?: Readonly<Record<string, unknown>>;
  readonly dockerNetworks?: readonly string[];
}

const file = new URL("reported-hosts.yaml", import.meta.url);
const reported = parse(readFileSync(file, "utf8")) as Readonly<Record<string, Reported>>;

const lab = {
  windows: { image: { kind: "rehearsal" }, memoryMiB: 3072, diskGiB: 8 },
  cni: { kind: "kind-default" },
  hypervisor: { domainType: "qemu" },
  nodes: [{ name: "win-1" }],
};

function rootWith({ files = {}, links = {} }: Reported): string {
  const root = newFolder();
  const at = (name: string): string => {
    const place = path.join(root, name);
    mkdirSync(path.dirname(place), { recursive: true });
    return place;
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text);
  for (const [name, target] of Object.entries(links)) symlinkSync(target, at(name));
  return root;
}

async function problemsOf(one: Reported): Promise<string[]> {
  const settings = resolveSettings({ ...lab, ...one.settings }, { stack: "x", file: "x" });
  const services = await gatherServices(rootWith(one));
  const routes = one.files?.["proc/net/route"];
  const { docker } = goodHost;
  const addresses = Object.entries(one.addresses ?? {}).map(
    ([name, cidr]) => [name, [{ cidr, internal: false }]] as const,
  );
  const networks = (one.dockerNetworks ?? []).map((cidr, index) => ({
    ...{ name: `shop_${index}`, bridge: `br-${index}`, cidrs: [cidr] },
  }));
  const info = infoSchema.parse({
    ...{ ServerVersion: "28.5.1", DockerRootDir: "/var/lib/docker", KernelVersion: release() },
    ...one.dockerInfo,
  });
  const facts = {
    ...goodHost,
    services,
    libvirt,
    docker: {
      ...docker,
      ...info,
      networks,
      ...(one.endpoint !== undefined && { endpoint: one.endpoint }),
    },
    ...(routes !== undefined && {
      network: {
        ...goodHost.network,
        ranges: rangesOf(Object.fromEntries(addresses), routes),
      },
    }),
  } as typeof goodHost;
  const found = [...checkHost(settings, facts), ...checkUplink(settings, facts)];
  return found.map(hostProblemText);
}

describe("hosts from public reports", () => {
  it("are taken, or refused with what is in the way there", () =>
    assertSaid(new URL(import.meta.url), "reported-hosts.yaml", reported, problemsOf));

  const ranges = (text: string): readonly string[] =>
    [...text.matchAll(/free here, e\.g\. ([\d./]+\d)\./g)].map(([, range = ""]) => range);
  for (const [name, one] of Object.entries(reported)) {
    it(`are offered only what is free there: ${name}`, async () => {
      for (const cidr of (await problemsOf(one)).flatMap(ranges)) {
        const { settings } = one;
        const network = { ...(settings?.["network"] as object | undefined), cidr };
        const left = await problemsOf({ ...one, settings: { ...settings, network } });
        assert.deepEqual(
          left.filter((problem) => problem.includes("network.cidr")),
          [],
          cidr,
        );
      }
    });
  }
});
