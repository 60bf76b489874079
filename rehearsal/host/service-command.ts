import { splitArguments } from "./cmd/shell.ts";

/** What really works behind a service's command line. */
export interface WorkingProgram {
  readonly exe: string;
  readonly args: readonly string[];
  /** Where kube-log-runner would write the program's output. */
  readonly logFile: string | undefined;
  /** Every executable Windows would need: the wrapper's too. */
  readonly files: readonly string[];
}

/** Arguments that show a program that the service manager started it. */
const serviceFlags = ["--windows-service", "--run-service"];

/**
 * Takes off a service's command line what only makes sense under Windows' own service manager: kube-log-runner in front
 * and the flags that make a program talk to that manager. Wine's can't be the parent of a Go service.
 */
export function workingProgram(commandLine: string): WorkingProgram {
  const words = splitArguments(commandLine);
  const files: string[] = [];
  let logFile: string | undefined;
  let index = 0;
  // The native service around one that is none (lib/Flannel.ps1).
  if (/(^|[\\/])flanneld-service\.exe$/i.test(words[0] ?? "")) {
    files.push(words[index++] ?? "");
  }
  if (/(^|[\\/])kube-log-runner(\.exe)?$/i.test(words[index] ?? "")) {
    files.push(words[index] ?? "");
    for (index++; words[index]?.startsWith("-"); index++) {
      logFile = /^--?log-file=(.+)$/.exec(words[index] ?? "")?.[1] ?? logFile;
    }
  }
  const exe = words[index];
  if (exe === undefined)
    throw new Error(`The service's command line names no program: ${commandLine}`);
  files.push(exe);
  const args = words
    .slice(index + 1)
    .filter((word) => !serviceFlags.includes(word.replace(/=true$/, "")));
  return { exe, args, logFile, files };
}
