import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { unreachable } from "../../../../components/machine/hyper-v/readiness.ts";
import {
  checkHypervisors,
  type HypervisorFacts,
} from "../../../../components/machine/libvirt/readiness.ts";
import { hostProblemsText, hostProblemText } from "../../../../config/host-problem.ts";
import { resolveSettings } from "../../../../config/resolve.ts";
import type { Settings } from "../../../../config/settings.ts";
import { checkConfinement } from "../../../../components/machine/libvirt/confinement.ts";
import { checkUplink } from "../../../../components/network/host-services.ts";
import { checkHost } from "../../../../stacks/host-checks.ts";
import { eachCase } from "../../each-case.ts";
import { goodHost, libvirt } from "./good-host.ts";

/** The host b, on which nodes are placed. */
const goodHypervisor: HypervisorFacts = {
  name: "b",
  libvirt: { ...libvirt, bridge: { mtu: 1500 }, availableMiB: 10_000 },
};

type Change = Readonly<Record<string, unknown>>;

interface Host {
  readonly facts?: Change & { readonly hypervisor?: Change; readonly hyperV?: string };
  readonly problems: readonly string[];
}

interface Lab {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly hosts: Readonly<Record<string, Host>>;
}

const labs = parse(readFileSync(new URL("hosts.yaml", import.meta.url), "utf8")) as readonly Lab[];

/** Facts as they are elsewhere; groups of them are changed one by one. */
function changed<T extends object>(good: T, change: Change): T {
  const isGroup = (value: unknown): value is Change =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const facts = new Map<string, unknown>(Object.entries(good));
  for (const [key, value] of Object.entries(change)) {
    const known = facts.get(key);
    if (value === null) facts.delete(key);
    else facts.set(key, isGroup(known) && isGroup(value) ? changed(known, value) : value);
  }
  return Object.fromEntries(facts) as T;
}

/** What of a host is in the way of a lab. */
function problemsOf(
  settings: Settings,
  { hypervisor, hyperV, ...change }: NonNullable<Host["facts"]>,
): string[] {
  const unknown = Object.keys(change).filter((name) => !(name in goodHost));
  assert.deepEqual(unknown, []);
  const facts = changed(goodHost, {
    ...change,
    otherHosts: [
      ...(hypervisor ? checkHypervisors(settings, [changed(goodHypervisor, hypervisor)]) : []),
      ...settings.hyperVHosts.flatMap((host, at) => unreachable(host, at, hyperV)),
    ],
  });
  const warnings = [...checkConfinement(settings, facts), ...checkUplink(settings, facts)];
  return [...checkHost(settings, facts), ...warnings].map(hostProblemText);
}

describe("preflight", () => {
  for (const { settings: written, hosts } of labs) {
    const settings = resolveSettings(written, { stack: "x", file: "Pulumi.x.yaml" });
    eachCase("%s", hosts, ({ facts = {}, problems }) =>
      assert.deepEqual(problemsOf(settings, facts), problems),
    );
  }

  it("puts everything into one message", () =>
    assert.equal(
      hostProblemsText([
        { subject: "Docker", why: "is too old", instead: "Install another." },
        { subject: "Memory", why: "is too small", instead: "Have more." },
      ]),
      "2 things are in the way on this host; nothing was changed:\n" +
        "  - Docker is too old. Install another.\n  - Memory is too small. Have more.",
    ));
});
