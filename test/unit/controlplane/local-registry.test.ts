import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { LocalRegistry } from "../../../components/controlplane/local-registry.ts";
import {
  isAsWanted,
  type RegistryContainer,
  registryRunArgs,
} from "../../../components/controlplane/registry-container.ts";
import { addressPlan, registryAddress } from "../../../config/address-plan.ts";
import { localRegistry } from "../../../config/local-registry.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";
import { controlPlaneFixture } from "./fixture-node.ts";
import { record } from "./recorded-resources.ts";
import { runAction } from "./run-action.ts";

const wanted: RegistryContainer = {
  name: "kindows-t-registry",
  lab: "kindows-t",
  id: "0123456789abcdef",
  network: "kindows-t",
  address: "192.168.150.254",
  image: localRegistry.image,
};

describe("the registry's address", () => {
  const { containerRange, cidr } = addressPlan("192.168.150.0/24");
  const cases: Readonly<Record<string, readonly [range: string, cidr: string]>> = {
    "192.168.150.254": [containerRange, cidr],
    "192.168.122.239": ["192.168.122.224/28", "192.168.122.0/24"],
  };
  eachCase("is %s", cases, ([range, segment], address) =>
    assert.equal(registryAddress(range, segment), address),
  );
});

describe("the registry's container", () => {
  const made = (image: string, address?: string) => ({
    State: { Running: true },
    Config: { Image: image },
    NetworkSettings: {
      Networks: { "kindows-t": { IPAMConfig: address ? { IPv4Address: address } : null } },
    },
  });
  const cases: Readonly<Record<string, readonly [ReturnType<typeof made>, boolean]>> = {
    "as it is": [made(wanted.image, wanted.address), true],
    "of another version": [made("docker.io/library/registry:2.8.3", wanted.address), false],
    "at another address": [made(wanted.image, "192.168.150.253"), false],
    "at any address": [made(wanted.image), false],
  };
  eachCase("is kept %s", cases, ([found, kept]) => assert.equal(isAsWanted(found, wanted), kept));

  it("has its port on this host alone, and its address, and comes back after a reboot", () => {
    const line = registryRunArgs(wanted).join(" ");
    for (const part of [
      "--publish 127.0.0.1:5001:5000",
      "--network kindows-t --ip 192.168.150.254",
      "--restart unless-stopped",
      "--label kindows.registry-of=kindows-t --label kindows.lab-id=0123456789abcdef",
      "--volume kindows-t-registry:/var/lib/registry",
    ]) {
      assert.ok(line.includes(part), `${part} in ${line}`);
    }
  });
});

describe("LocalRegistry", () => {
  it("is one container, and a ConfigMap by which tools find it, which goes with the cluster", async () => {
    const controlPlane = controlPlaneFixture();
    const { resources } = await record(
      () => "",
      (opts) => {
        const args = {
          lab: "kindows-t",
          labId: pulumi.output(wanted.id),
          network: pulumi.output("kindows-t"),
          address: pulumi.output(wanted.address),
          controlPlane,
        };
        return new LocalRegistry("registry", args, opts);
      },
    );
    const { inputs, opts } =
      resources.get("kindows:host:Action/registry") ?? assert.fail("no container");
    assert.deepEqual(JSON.parse((inputs["environment"] as { REGISTRY: string }).REGISTRY), wanted);
    // Its images would go with it.
    assert.deepEqual(inputs["triggers"], ["kindows-t"]);
    assert.equal(opts.deleteBeforeReplace, true);
    assert.match(String(inputs["read"]), /find-containers\.ts kindows-t-registry$/);
    const hosting =
      resources.get("kubernetes:core/v1:ConfigMap/registry-hosting") ?? assert.fail("no ConfigMap");
    const { metadata, data } = hosting.inputs as {
      metadata: { name: string; namespace: string };
      data: Record<string, string>;
    };
    assert.equal(`${metadata.namespace}/${metadata.name}`, "kube-public/local-registry-hosting");
    assert.match(data["localRegistryHosting.v1"] ?? "", /^host: "localhost:5001"\nhelp: "https:/);
    assert.equal(hosting.opts.deletedWith, controlPlane.resource);
  });
});

/** A Docker with such containers and volumes, which notes what it is told. */
function dockerWith(answers: Readonly<Record<string, string>>): {
  readonly PATH: string;
  readonly told: () => readonly string[];
} {
  const folder = newFolder();
  const log = path.join(folder, "log");
  const cases = Object.entries(answers).map(
    ([line, answer]) => `'${line}') cat <<'X'\n${answer}\nX\n;;`,
  );
  const script = `#!/bin/sh\necho "$*" >>${log}\ncase "$*" in\n${cases.join("\n")}\nesac\n`;
  writeFileSync(path.join(folder, "docker"), script, { mode: 0o755 });
  return {
    PATH: `${folder}:${process.env["PATH"] ?? ""}`,
    told: () => readFileSync(log, "utf8").trim().split("\n"),
  };
}

const inspected = (labels: object): string =>
  JSON.stringify([
    {
      State: { Running: true },
      Config: { Image: wanted.image, Labels: labels },
      NetworkSettings: { Networks: {} },
      Labels: labels,
    },
  ]);
const REGISTRY = JSON.stringify(wanted);

describe("running the registry", () => {
  const names = "ps --all --format {{.Names}}";
  const theirs = { "kindows.registry-of": "kindows-t", "kindows.lab-id": "fedcba9876543210" };

  it("leaves another lab's container alone", async () => {
    const { PATH, told } = dockerWith({
      [names]: wanted.name,
      [`inspect --type container ${wanted.name}`]: inspected(theirs),
    });
    const { stderr } = await runAction("controlplane/actions/run-registry", { PATH, REGISTRY });
    assert.match(stderr, /Docker's container kindows-t-registry is not this lab's/);
    assert.ok(!told().some((line) => /^(rm|run|start)/.test(line)));
  });

  it("leaves a volume alone that somebody else has made", async () => {
    const { PATH, told } = dockerWith({
      [names]: "",
      [`inspect --type volume ${wanted.name}`]: inspected({}),
    });
    const { stderr } = await runAction("controlplane/actions/run-registry", { PATH, REGISTRY });
    assert.match(stderr, /Docker's volume kindows-t-registry is not this lab's/);
    assert.ok(!told().some((line) => line.startsWith("run")));
  });
});

describe("removing the registry", () => {
  const containers = "ps --all --filter label=kindows.registry-of=kindows-t --format {{.Names}}";
  const volumes = "volume ls --quiet --filter label=kindows.registry-of=kindows-t";
  const removing = (told: readonly string[]): readonly string[] =>
    told.filter((line) => /^(rm|volume rm) /.test(line));

  it("takes its container and its images", async () => {
    const { PATH, told } = dockerWith({ [containers]: wanted.name, [volumes]: wanted.name });
    const { exitCode } = await runAction("controlplane/actions/remove-registry", {
      ...{ PATH, REGISTRY },
    });
    assert.equal(exitCode, 0);
    assert.deepEqual(removing(told()), [
      `rm --force --volumes ${wanted.name}`,
      `volume rm ${wanted.name}`,
    ]);
  });

  it("is fine where there is none", async () => {
    const { PATH, told } = dockerWith({ [containers]: "", [volumes]: "" });
    const { exitCode } = await runAction("controlplane/actions/remove-registry", {
      ...{ PATH, REGISTRY },
    });
    assert.equal(exitCode, 0);
    assert.deepEqual(removing(told()), []);
  });
});

describe("nodes in containers", () => {
  const cluster = "kindows-t";
  const nodes = ["kindows-t-control-plane", "kindows-t-external-load-balancer", "kindows-t-w"];
  const told = async (flag: string): Promise<readonly string[]> => {
    const listed = "ps --all --filter label=io.x-k8s.kind.cluster=kindows-t --format {{.Names}}";
    const docker = dockerWith({ [listed]: nodes.join("\n") });
    const REGISTRY = JSON.stringify({ cluster, controlPlanes: nodes.slice(0, 1), address: "a:1" });
    const action = `controlplane/actions/trust-registry${flag}`;
    const { exitCode, stderr } = await runAction(action, { PATH: docker.PATH, REGISTRY });
    assert.equal(exitCode, 0, stderr);
    return docker.told().filter((line) => line.startsWith("exec"));
  };

  it("get the registry's address where they have control planes", async () => {
    const [line, ...others] = await told("");
    assert.match(line ?? "", /control-plane sh -c mkdir .*certs\.d\/localhost:5001/);
    assert.deepEqual(others, []);
  });

  it("forget it all, but the load balancer, which never knew it", async () => {
    const lines = await told(" --none");
    assert.equal(lines.length, 2);
    assert.ok(lines.every((line) => / rm -rf /.test(line) && !line.includes("balancer")));
  });
});
