import path from "node:path";
import * as pulumi from "@pulumi/pulumi";

import { bakeOf, bakeText, nodeImages } from "../../images/windows/bake.ts";
import { sealedAnswerFile, sealedAnswerFileText } from "../../images/windows/answer-file.ts";
import { wayOutPort } from "../../images/windows/builder/way-out.ts";
import { sealCommand } from "../../images/windows/builder/seal-image.ts";
import { imageScripts } from "../../images/windows/scripts-folder.ts";
import { examineCertificates } from "../../components/node/ca-certificates.ts";
import { defaultRequirements } from "../../components/windows/host-requirements.ts";
import type { Parameters } from "../../host/ssh/windows-command.ts";
import { defaultSetup } from "../../components/windows/node-setup.ts";
import {
  defaultTimeouts,
  type JoiningNode,
  type Script,
  scriptSeconds,
} from "../../components/windows/node-step.ts";
import { programNames, type WindowsSoftware } from "../../components/windows/software.ts";
import { remoteFolderOf, stepFolders } from "../../components/windows/step-folders.ts";
import { stageHome } from "../../components/windows/stage-home.ts";
import { homeSource, unpackCommand } from "../../components/windows/steps-copy.ts";
import { stepsSource } from "../../components/node/steps-folder.ts";
import {
  addContainerImage,
  exportNodeLog,
  nodeSteps,
  pullSeconds,
  reset,
} from "../../components/windows/steps.ts";
import type { Settings } from "../../config/settings.ts";
import { projectRoot } from "../../toolchain/project.ts";

/** What only the runner knows. The driver puts it into the steps' values. */
export const unknowns = { computer: "@COMPUTER@", address: "@ADDRESS@", gateway: "@GATEWAY@" };

/** Of TEST-NET-2 (RFC 5737), so that nobody loses a route. */
const testRange = "198.51.100.0/24";

/** Of a CA that nobody has: its key is in the repository. */
const testCertificate = path.join(projectRoot, "test/unit/controlplane/fixtures/ca-rsa.pem");

/** A script as the program runs it. */
export interface PlannedRun {
  readonly script: { readonly name: string; readonly parameters: Parameters };
  /** Folder of the script on the machine. */
  readonly folder: string;
  readonly values: Readonly<Record<string, string | number>>;
  /** Standard input. Default: none. */
  readonly stdin?: string;
  readonly seconds: number;
}

export interface RunnerPlan {
  /** Unpacks the steps that were copied to C:\kindows. */
  readonly unpack: string;
  /** In the order of `up`. */
  readonly steps: readonly PlannedRun[];
  readonly reset: PlannedRun;
  /** Checks the build, bakes and seals, as the image's builder does it over SSH. */
  readonly seal: string;
  readonly sealSeconds: number;
  readonly wayOutPort: number;
  readonly registries: readonly string[];
}

/**
 * Steps that a hosted runner cannot have: a join needs a cluster, and the pods' network cuts the connection to the
 * runner for good where its address is not brought back.
 */
const leftOut = [
  "Join-Node",
  "Add-ExternalNetwork",
  "Confirm-ExternalNetwork",
  "Install-HybridOverlay",
];

/** The steps with the values that the program gives them, for a node with Flannel that needs everything. */
export async function plannedSteps(software: WindowsSoftware): Promise<RunnerPlan["steps"]> {
  const known = Object.fromEntries(
    programNames.map((name) => [name, software[name]?.sha256 ?? ""]),
  );
  const node = {
    machine: { name: unknowns.computer, address: unknowns.address },
    nodeIp: pulumi.output(unknowns.address),
    controlPlane: {
      podCidr: "10.244.0.0/16",
      serviceCidr: "10.96.0.0/16",
      hostsEntries: pulumi.output([{ address: "192.0.2.1", name: "kindows-test-control-plane" }]),
    },
    software,
    requirements: { ...defaultRequirements, minimumFreeDiskGiB: 5 },
    timeouts: defaultTimeouts,
    setup: {
      ...defaultSetup,
      podNetwork: { kind: "flannel", backend: "vxlan", nodeCidr: "192.0.2.0/24" },
      proxy: { http: "", https: "http://proxy.invalid:3128", noProxy: "localhost,.svc" },
      registryMirrors: { "docker.io": ["https://mirror.invalid"] },
      defenderExclusions: true,
      automaticUpdates: false,
      dnsServers: ["8.8.8.8"],
      certificates: examineCertificates([[0, testCertificate]]).certificates,
    },
    routes: pulumi.output([{ range: testRange, nextHop: unknowns.gateway }]),
    checksums: () => pulumi.output(known),
  } as unknown as JoiningNode;
  const folders = stepFolders(stepsSource);
  const planned = (
    { name, parameters, seconds }: Script,
    values: PlannedRun["values"],
    stdin?: pulumi.Inputs,
  ): PlannedRun => ({
    script: { name, parameters },
    folder: remoteFolderOf(folders, { name }),
    values,
    ...(stdin && { stdin: JSON.stringify(stdin) }),
    seconds: scriptSeconds({ seconds }),
  });
  const runs: PlannedRun[] = [];
  for (const step of nodeSteps) {
    const values = leftOut.includes(step.name) ? undefined : step.values(node);
    if (values !== undefined) runs.push(planned(step, await valueOf(values), step.stdin?.(node)));
    if (step.name === "Install-Containerd") {
      const values = { Images: software.pauseImage, Proxy: "", TimeoutSeconds: pullSeconds };
      runs.push(planned(addContainerImage, values));
    }
  }
  // A reboot would end the job, and the feature is there.
  const patient = runs.map((run) =>
    run.script.name === "Enable-ContainersFeature"
      ? { ...run, values: { ...run.values, RebootDelaySeconds: 600 } }
      : run,
  );
  return [...patient, planned(exportNodeLog, { TailKiB: 64 })];
}

/** The plan, and the folder to copy to C:\kindows first. */
export async function runnerPlan(
  software: WindowsSoftware,
  settings: Pick<Settings, "windows" | "cluster" | "cni">,
): Promise<{ readonly plan: RunnerPlan; readonly home: string }> {
  const folders = stepFolders(stepsSource);
  const { folder, archive } = stageHome(homeSource, folders.values());
  const { script, values } = reset;
  const plan: RunnerPlan = {
    unpack: unpackCommand(archive),
    steps: await plannedSteps(software),
    reset: {
      script: { name: script.name, parameters: script.parameters },
      folder: remoteFolderOf(folders, script),
      values,
      seconds: scriptSeconds(script),
    },
    seal: sealCommand,
    sealSeconds: 1500 + pullSeconds,
    wayOutPort,
    registries: [...new Set(nodeImages(settings, software))],
  };
  return { plan, home: path.resolve(projectRoot, folder) };
}

/** What the image's CD has in its folder, without keys: those are made on the runner. */
export function discFiles(
  software: WindowsSoftware,
  settings: Pick<Settings, "windows" | "cluster" | "cni">,
): {
  readonly texts: Readonly<Record<string, string>>;
  readonly files: ReadonlyMap<string, string>;
} {
  return {
    texts: {
      [sealedAnswerFile]: sealedAnswerFileText("en-US", undefined),
      "bake.json": bakeText(bakeOf(software, nodeImages(settings, software))),
    },
    files: imageScripts(),
  };
}

/** The value of an output outside of a Pulumi program. */
async function valueOf(values: pulumi.Input<object>): Promise<PlannedRun["values"]> {
  const output = pulumi.output(values) as unknown as { promise(): Promise<PlannedRun["values"]> };
  return output.promise();
}
