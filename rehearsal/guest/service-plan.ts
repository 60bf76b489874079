/** One process of a service. */
export interface ServiceProcess {
  readonly exe: string;
  readonly args: readonly string[];
  /** File on C:, Windows style, for its output; undefined drops it. */
  readonly logFile: string | undefined;
}

/** The CRI server of the rehearsal, put there by the image. */
export const criServer = "C:\\rehearsal\\rehearsal-cri.exe";

/** Folder of the images whose HostProcess containers really run; rehearsal/cri/programs.go knows the same images. */
const runnableImages = "C:\\rehearsal\\images";

/** Where it keeps its pods, and where it writes what it does. */
const criState = "C:\\rehearsal\\cri.json";
const criLog = "C:\\var\\log\\containerd\\rehearsal-cri.log";
/** Made by it when it serves its pipe. */
export const criReadyFile = "C:\\rehearsal\\cri.ready";

/** The pipe that kubelet and kubeadm use; on Windows it is containerd's own. */
export const criPipe = "containerd-containerd";
const containerdPipe = "rehearsal-containerd";

/**
 * Processes that make up a service.
 *
 * containerd gets the CRI server in front: that one serves containerd's usual pipe, containerd.exe another, since
 * containerd cannot run containers without Windows' own part. It gets the boot time, so that pods of an earlier boot have
 * ended.
 */
export function serviceProcesses(
  exe: string,
  args: readonly string[],
  logFile: string | undefined,
  bootTime: Date,
): readonly [ServiceProcess, ...ServiceProcess[]] {
  if (!/(^|[\\/])containerd\.exe$/i.test(exe)) return [{ exe, args, logFile }];
  return [
    {
      exe,
      args: [...args, "--address", `\\\\.\\pipe\\${containerdPipe}`],
      // It writes that file itself only as a real service.
      logFile: logFile ?? valueOf(args, "--log-file"),
    },
    {
      exe: criServer,
      args: [
        `-listen=${criPipe}`,
        `-containerd=${containerdPipe}`,
        `-state=${criState}`,
        `-ready=${criReadyFile}`,
        `-images=${runnableImages}`,
        `-boot=${bootTime.toISOString()}`,
      ],
      logFile: criLog,
    },
  ];
}

/** What follows a flag on a command line. */
function valueOf(args: readonly string[], flag: string): string | undefined {
  const index = args.indexOf(flag);
  return index < 0 ? undefined : args[index + 1];
}
