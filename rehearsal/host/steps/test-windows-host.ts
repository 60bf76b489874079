import type { StepContext, StepOutcome } from "../step.ts";
import { StepError } from "../step-error.ts";
import { utcSeconds } from "../windows-host.ts";

/** Checks what Test-WindowsHost.ps1 checks; the edition and the sshd service are right by construction. */
export async function testWindowsHost({ host, parameters }: StepContext): Promise<StepOutcome> {
  const { productName, edition, build, revision, evaluationEnds } = host.version;
  const name = host.computerName;
  const freeDiskGiB = await host.hardware.freeDiskGiB();
  const { memoryMiB } = host.hardware;
  const wantedName = parameters.text("ComputerName");
  const minimumBuild = parameters.integer("MinimumBuild");
  const minimumRevision = parameters.integer("MinimumRevision");
  const minimumDisk = parameters.integer("MinimumFreeDiskGiB");
  const minimumMemory = parameters.integer("MinimumMemoryMiB");

  const problems: string[] = [];
  if (name.toLowerCase() !== wantedName.toLowerCase()) {
    problems.push(`the computer is named ${name}, expected was ${wantedName}`);
  }
  if (evaluationEnds !== "" && Date.parse(evaluationEnds) < Date.now()) {
    problems.push(
      "its evaluation licence has ended: Windows shuts down every hour (slmgr /rearm, or a new image)",
    );
  }
  if (parameters.text("PodNetwork") === "calico" && build >= 26100) {
    problems.push(
      `build ${build} is Windows Server 2025, which Calico does not support (projectcalico/calico#11691)`,
    );
  }
  if (build < minimumBuild) problems.push(`build ${build} is older than ${minimumBuild}`);
  if (build === minimumBuild && revision < minimumRevision) {
    problems.push(
      `revision ${build}.${revision} is older than ${build}.${minimumRevision} (install the latest cumulative update)`,
    );
  }
  if (freeDiskGiB < minimumDisk) {
    problems.push(`drive C: has ${freeDiskGiB} GiB free, ${minimumDisk} GiB are needed`);
  }
  // A machine given exactly this much reports a little less.
  if (memoryMiB < minimumMemory - 64) {
    problems.push(`memory is ${memoryMiB} MiB, ${minimumMemory} MiB are needed`);
  }
  if (problems.length > 0) {
    throw new StepError(
      "HostUnsuitable",
      `This machine cannot become a node: ${problems.join("; ")}.`,
      "Change the machine or its image, or the limits in the settings of the node.",
    );
  }
  return {
    changed: false,
    facts: {
      computerName: name,
      productName: `${productName} (rehearsal)`,
      edition,
      build: `10.0.${build}`,
      revision,
      freeDiskGiB,
      memoryMiB,
      powerShell: "5.1",
      evaluationEnds,
      rebootPending: host.settings.rebootPending.join(", "),
      lastBootUpTime: host.lastBootUpTime,
      utc: utcSeconds(new Date()),
    },
  };
}
