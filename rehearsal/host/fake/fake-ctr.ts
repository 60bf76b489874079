import type { Drive } from "../drive.ts";
import type { ProgramResult } from "../programs.ts";

/** Where containerd keeps what it has; the names of the images alone are enough here. */
const imagesFile = "C:\\ProgramData\\containerd\\root\\fake-images.txt";

/** Runs `ctr.exe --namespace k8s.io images`: `check --quiet`, `pull --local IMAGE`, `list`, or `remove --sync IMAGE...`. */
export async function runFakeCtr(
  drive: Drive,
  hasRegistries: boolean,
  args: readonly string[],
): Promise<ProgramResult> {
  const command = args.join(" ");
  const there = (await drive.readText(imagesFile)) ?? "";
  if (command === "--namespace k8s.io images check --quiet") {
    return { exitCode: 0, stdout: there, stderr: "" };
  }
  if (/^--namespace k8s\.io images list( --quiet)?$/.test(command)) {
    return { exitCode: 0, stdout: there, stderr: "" };
  }
  const removed = /^--namespace k8s\.io images remove --sync (.+)$/.exec(command)?.[1]?.split(" ");
  if (removed) {
    const left = there.split("\n").filter((each) => !removed.includes(each));
    await drive.write(imagesFile, left.join("\n"), true);
    return { exitCode: 0, stdout: `${removed.join("\n")}\n`, stderr: "" };
  }
  const image = /^--namespace k8s\.io images pull --local (\S+)$/.exec(command)?.[1];
  if (image === undefined) {
    return { exitCode: 1, stdout: "", stderr: `fake ctr.exe does not know '${command}'\n` };
  }
  if (!hasRegistries) {
    const stderr = `ctr: failed to resolve reference "${image}": dial tcp: lookup: no such host\n`;
    return { exitCode: 1, stdout: "", stderr };
  }
  await drive.write(imagesFile, `${there}${image}\n`, true);
  return { exitCode: 0, stdout: "done\n", stderr: "" };
}
