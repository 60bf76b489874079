import assert from "node:assert/strict";
import { SettingsError, type SettingsProblem } from "../../../config/problem.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { eachCase } from "../each-case.ts";

interface Ranges {
  readonly segment?: string;
  readonly pods?: string;
  readonly services?: string;
  /** Of another hypervisor, with a routed fabric. */
  readonly elsewhere?: string;
}

const hypervisor = {
  name: "b",
  uri: "qemu+ssh://root@b.example.test/system",
  hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB",
  privateKeyFile: "/k",
  fabricAddress: "192.0.2.2",
};

const written = ({ segment, pods, services, elsewhere }: Ranges): Record<string, unknown> => ({
  windows: { image: { kind: "disk", path: "/w.qcow2" } },
  network: {
    ...(segment !== undefined && { cidr: segment }),
    ...(elsewhere !== undefined && { fabric: "routed" }),
  },
  cluster: {
    ...(pods !== undefined && { podCidr: pods }),
    ...(services !== undefined && { serviceCidr: services }),
  },
  ...(elsewhere !== undefined && {
    hypervisor: { fabricAddress: "192.0.2.1" },
    hypervisors: [{ ...hypervisor, cidr: elsewhere }],
  }),
  nodes: [{ name: "win-1" }],
});

function problemsOf(ranges: Ranges): readonly SettingsProblem[] {
  try {
    resolveSettings(written(ranges), { stack: "x", file: "Pulumi.x.yaml" });
    return [];
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    return error.problems;
  }
}

const settings: Readonly<Record<string, keyof Ranges>> = {
  "network.cidr": "segment",
  "cluster.podCidr": "pods",
  "cluster.serviceCidr": "services",
  "hypervisors.0.cidr": "elsewhere",
};

/** Settings whose ranges are refused, some with the usual proposals taken by their other ranges. */
const refused: Readonly<Record<string, Ranges>> = {
  "a segment in the pods' range": { segment: "10.244.7.0/24" },
  "a segment on Docker's own bridge": { segment: "172.17.5.0/24" },
  "a segment that is too small": { segment: "192.168.150.0/25" },
  "public addresses, with all usual segments in use by pods": {
    segment: "8.8.8.0/24",
    pods: "192.168.128.0/17",
  },
  "public addresses, with all private ones before Docker's own in use": {
    segment: "8.8.8.0/24",
    pods: "192.168.0.0/16",
    services: "172.16.0.0/16",
  },
  "pods in all usual ranges of Services": { services: "10.96.0.0/16", pods: "10.96.0.0/12" },
  "a segment in all usual ranges of pods": { segment: "10.244.0.0/14", pods: "10.244.0.0/16" },
  "Services in everything that begins with 10": { services: "10.0.0.0/12", pods: "10.0.0.0/9" },
  "pods that are too few, beside a large segment": {
    segment: "10.244.0.0/16",
    pods: "10.9.0.0/25",
  },
  "a hypervisor in the segment": { segment: "192.168.160.0/24", elsewhere: "192.168.160.0/24" },
};

describe("a range that is proposed", () => {
  eachCase("is accepted: %s", refused, (ranges) => {
    const proposals = problemsOf(ranges).flatMap(({ path, instead }) => {
      const [, range] = /e\.g\. (\d[\d./]+\d)\.$/.exec(instead) ?? [];
      const name = settings[path.join(".")];
      return range === undefined || name === undefined
        ? []
        : [{ path: path.join("."), name, range }];
    });
    assert.notEqual(proposals.length, 0);
    for (const { path, name, range } of proposals) {
      const left = problemsOf({ ...ranges, [name]: range }).filter(
        (problem) => problem.path.join(".") === path,
      );
      assert.deepEqual(left, [], `${path}: ${range}`);
    }
  });
});
