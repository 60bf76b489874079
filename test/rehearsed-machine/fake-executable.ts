import * as z from "zod";
import { NotAProgram } from "../../rehearsal/host/programs.ts";

const executableSchema = z.strictObject({
  fake: z.enum([
    "containerd",
    "kubeadm",
    "kubelet",
    "kube-log-runner",
    "flanneld",
    "hybrid-overlay-node",
    "ctr",
  ]),
  version: z.string(),
});

/** What a fake program is: a file that says which program it stands for, and of which version. */
export type FakeExecutable = z.infer<typeof executableSchema>;

/** Content of a fake .exe file. */
export function fakeExecutable(fake: FakeExecutable["fake"], version: string): Buffer {
  return Buffer.from(`${JSON.stringify({ fake, version })}\n`);
}

/** Reads a fake .exe file; anything else is not a valid Win32 application here. */
export function readFakeExecutable(path: string, content: Buffer | undefined): FakeExecutable {
  if (!content) throw new Error(`The system cannot find the file specified: ${path}`);
  let value: unknown;
  try {
    value = JSON.parse(content.toString("utf8"));
  } catch {
    value = undefined;
  }
  const executable = executableSchema.safeParse(value);
  if (!executable.success) throw new NotAProgram(`${path} is not a valid Win32 application.`);
  return executable.data;
}
