import type { StepContext, StepOutcome } from "../step.ts";
import { StepError } from "../step-error.ts";
import { installArchivedProgram, setEncodedFile } from "./archived-program.ts";
import { moveFileIntoPlace, removeReplacedFiles } from "./file-placement.ts";
import {
  flanneldCommandLine,
  registerFlanneldService,
  setFlanneldNode,
  startUsedFlanneld,
} from "./flanneld-service.ts";

const plugins = "C:\\opt\\cni\\bin";
const folders = [
  plugins,
  "C:\\etc\\cni\\net.d",
  "C:\\etc\\kube-flannel",
  "C:\\run\\flannel",
  "C:\\var\\log\\flanneld",
];

/** Puts Flannel's programs and files in place and registers its service, stopped. */
export async function installFlannel(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  if (!(await host.drive.isFile("C:\\k\\kube-log-runner.exe"))) {
    throw new StepError(
      "KubernetesMissing",
      "There is no C:\\k\\kube-log-runner.exe.",
      "Run Install-Kubernetes first.",
    );
  }
  for (const folder of folders) await host.drive.makeFolder(folder);

  const flanneldFrom = await installArchivedProgram(context, {
    parameter: "Daemon",
    folder: "C:\\k",
    name: "flannel",
    files: { "flanneld.exe": "flanneld.exe" },
    service: "flanneld",
  });
  const pluginFrom = await installArchivedProgram(context, {
    parameter: "Plugin",
    folder: plugins,
    name: "flannel-plugin",
    files: { "flannel-amd64.exe": "flannel.exe" },
  });
  await context.checkpoint();
  const cniPluginsFrom = await installArchivedProgram(context, {
    parameter: "CniPlugins",
    folder: plugins,
    name: "cni-plugins",
    files: {
      "host-local.exe": "host-local.exe",
      "win-bridge.exe": "win-bridge.exe",
      "win-overlay.exe": "win-overlay.exe",
    },
  });
  const serviceHost = await installFlanneldHost(context);
  await removeReplacedFiles(host, "C:\\k");
  await removeReplacedFiles(host, plugins);
  let changed =
    serviceHost !== "installed" ||
    [flanneldFrom, pluginFrom, cniPluginsFrom].some((from) => from !== "installed");

  const netConf = "C:\\etc\\kube-flannel\\net-conf.json";
  const cniConf = "C:\\etc\\cni\\net.d\\10-flannel.conflist";
  if (await setEncodedFile(context, netConf, parameters.text("NetConf"), "flanneld"))
    changed = true;
  if (await setEncodedFile(context, cniConf, parameters.text("CniConf"))) changed = true;
  const commandLine = flanneldCommandLine(parameters.text("NodeIp"));
  if (await registerFlanneldService(host, commandLine)) changed = true;
  await host.services.change("flanneld", { restarts: true });
  if (await setFlanneldNode(host, parameters.text("NodeName"))) changed = true;
  await startUsedFlanneld(context);
  return { changed, facts: { flanneldFrom, pluginFrom, cniPluginsFrom, serviceHost } };
}

/** No compiler is rehearsed: a file stands for what it would make of the script's source. */
async function installFlanneldHost({ host }: StepContext): Promise<"installed" | "compiled"> {
  const { drive, services } = host;
  const program = "C:\\k\\flanneld-service.exe";
  const markPath = "C:\\k\\flanneld-service.sha256";
  const mark = "of the source in lib/FlanneldHost.ps1";
  if ((await drive.readText(markPath)) === mark && (await drive.isFile(program))) {
    return "installed";
  }
  await drive.write(`${program}.new.exe`, "compiled, in a rehearsal\n");
  if (services.get("flanneld")) await services.stop("flanneld");
  await moveFileIntoPlace(host, `${program}.new.exe`, program);
  await drive.write(markPath, mark);
  return "compiled";
}
