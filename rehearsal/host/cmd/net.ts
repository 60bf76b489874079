import type { CommandIo } from "../run-script.ts";
import { ServiceError } from "../service-manager.ts";
import type { WindowsHost } from "../windows-host.ts";
import { splitArguments } from "./argv.ts";

/** What `net helpmsg` has for each refusal. */
const refusals = {
  2182: "The requested service has already been started.",
  2185: "The service name is invalid.",
  3521: "The service is not started.",
} as const;

/** `net start <service>` and `net stop <service> [/y]`, with Windows' own words; nothing else of it is rehearsed. */
export async function net(host: WindowsHost, rest: string, io: CommandIo): Promise<number> {
  const words = splitArguments(rest);
  const [verb = "", name = ""] = words.filter((word) => !word.startsWith("/"));
  const service = host.services.get(name);
  switch (verb.toLowerCase()) {
    case "start":
      if (service === undefined) return refuse(io, 2185);
      if (await host.services.isRunning(name)) return refuse(io, 2182);
      return started(host, name, service.displayName, io);
    case "stop":
      if (service === undefined) return refuse(io, 2185);
      if (!(await host.services.isRunning(name))) return refuse(io, 3521);
      return stopped(host, name, service.displayName, io, words.includes("/y"));
    default:
      io.err("The rehearsal host knows net start <service> and net stop <service> [/y] only.\n");
      return 1;
  }
}

async function started(
  host: WindowsHost,
  name: string,
  shown: string,
  io: CommandIo,
): Promise<number> {
  io.out(`The ${shown} service is starting.\n`);
  try {
    await host.services.start(name);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    io.out(`The ${shown} service could not be started.\n`);
    io.err(`${error.message}\n`);
    return 2;
  }
  io.out(`The ${shown} service was started successfully.\n`);
  return 0;
}

async function stopped(
  host: WindowsHost,
  name: string,
  shown: string,
  io: CommandIo,
  withOthers: boolean,
): Promise<number> {
  const others = host.services
    .names()
    .filter((other) => host.services.get(other)?.dependsOn.includes(name));
  const running = await Promise.all(others.map((other) => host.services.isRunning(other)));
  const dependent = others.filter((_other, index) => running[index]);
  if (dependent.length > 0 && !withOthers) {
    io.out(
      `The following services are dependent on the ${shown} service.\n` +
        `Stopping the ${shown} service will also stop these services.\n\n   ${dependent.join("\n   ")}\n\n`,
    );
    io.err("No valid response was provided.\n");
    return 2;
  }
  io.out(`The ${shown} service is stopping.\n`);
  await host.services.stop(name);
  io.out(`The ${shown} service was stopped successfully.\n`);
  return 0;
}

function refuse(io: CommandIo, code: keyof typeof refusals): number {
  io.err(`${refusals[code]}\n\nMore help is available by typing NET HELPMSG ${code}.\n`);
  return 2;
}
