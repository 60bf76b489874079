import type { StepContext, StepOutcome } from "../step.ts";
import { StepError } from "../step-error.ts";
import { startContainerd } from "./containerd-service.ts";
import { runNative } from "./native-command.ts";

const ctr = "C:\\Program Files\\containerd\\ctr.exe";
const inNamespace = ["--namespace", "k8s.io", "images"];

/**
 * Pulls what is not there whole. The guest's containerd comes without ctr.exe and could unpack nothing for Windows: there
 * each image is missing, and the result says so. What the CRI server in front of it "pulls" is no image.
 */
export async function addContainerImage(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  const wanted = parameters.text("Images").split(",").filter(Boolean);
  if (!host.services.get("containerd")) {
    throw new StepError(
      "ContainerdMissing",
      "There is no service containerd.",
      "Run Install-Containerd first.",
    );
  }
  await startContainerd(context);
  await context.checkpoint();
  const present: string[] = [];
  const pulled: string[] = [];
  const missing: string[] = [];
  const reasons: string[] = [];
  if (await host.drive.isFile(ctr)) {
    const there = await wholeImages(context);
    for (const image of wanted) {
      if (there.includes(image)) {
        present.push(image);
        continue;
      }
      const problem = await pull(context, image, parameters.integer("TimeoutSeconds"));
      if (problem === undefined) {
        pulled.push(image);
      } else {
        missing.push(image);
        reasons.push(`${image}: ${problem}`);
      }
    }
  } else {
    missing.push(...wanted);
    reasons.push(`there is no ${ctr}`);
  }
  const warning =
    missing.length === 0
      ? ""
      : `${missing.length} of ${wanted.length} container images were not pulled, so each node pulls them: ${reasons.join("; ")}`;
  return { changed: pulled.length > 0, facts: { present, pulled, missing, warning } };
}

async function wholeImages(context: StepContext): Promise<string[]> {
  const list = await runNative(context, {
    exe: ctr,
    args: [...inNamespace, "check", "--quiet"],
    timeoutSeconds: 60,
    remedy: "Look at C:\\var\\log\\containerd\\containerd.log.",
  });
  return list.split(/\s+/).filter(Boolean);
}

/** @returns why it could not be pulled; undefined when it was. */
async function pull(
  context: StepContext,
  image: string,
  timeoutSeconds: number,
): Promise<string | undefined> {
  try {
    await runNative(context, {
      exe: ctr,
      args: [...inNamespace, "pull", "--local", image],
      timeoutSeconds,
      remedy: "A node pulls it by itself.",
    });
    return undefined;
  } catch (error) {
    if (error instanceof StepError && /^Command(Failed|TimedOut)$/.test(error.code)) {
      return error.message.replaceAll(/\s+/g, " ").slice(-300);
    }
    throw error;
  }
}
