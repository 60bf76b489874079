import * as z from "zod";
import { NotAProgram } from "../programs.ts";

const executableSchema = z.strictObject({
  hollow: z.enum(["containerd", "kubeadm", "kubelet", "kube-log-runner", "flanneld", "ctr"]),
  version: z.string(),
});

/** What a hollow program is: a file that says which program it stands for, and of which version. */
export type HollowExecutable = z.infer<typeof executableSchema>;

/** Content of a hollow .exe file. */
export function hollowExecutable(hollow: HollowExecutable["hollow"], version: string): Buffer {
  return Buffer.from(`${JSON.stringify({ hollow, version })}\n`);
}

/** Reads a hollow .exe file; anything else is not a valid Win32 application here. */
export function readHollowExecutable(path: string, content: Buffer | undefined): HollowExecutable {
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
