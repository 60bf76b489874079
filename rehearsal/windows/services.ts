/**
 * Windows' service manager, as scripts see it.
 *
 * Sources: https://learn.microsoft.com/powershell/module/microsoft.powershell.management (Get-Service, New-Service),
 * https://learn.microsoft.com/dotnet/api/system.serviceprocess.servicecontroller,
 * https://learn.microsoft.com/windows/win32/cimwin32prov/win32-service,
 * https://learn.microsoft.com/windows-server/administration/windows-commands/sc-failure.
 */
import { cmdlets, type Cmdlet } from "../powershell/commands.ts";
import { convert, toText } from "../powershell/convert.ts";
import { raised, type Types } from "../powershell/types.ts";
import { NetObject, type Value } from "../powershell/values.ts";
import { ServiceError } from "../machine/service-manager.ts";
import type { Service } from "../machine/state.ts";
import type { WindowsMachine } from "../machine/windows-machine.ts";
import type { CimClass } from "./cim.ts";
import { refuse } from "./objects.ts";
import type { SystemProgram } from "./system-programs.ts";

const failure = "Microsoft.PowerShell.Commands.ServiceCommandException";

/** A service at the time of the last Refresh(). */
interface ServiceSnapshot {
  readonly name: string;
  service: Service;
  isRunning: boolean;
}

type Controller = NetObject<ServiceSnapshot>;

const sshd = {
  displayName: "OpenSSH SSH Server",
  description: "",
  commandLine: "C:\\Program Files\\OpenSSH\\sshd.exe",
  dependsOn: [],
  restarts: true,
} as const satisfies Omit<Service, "startType">;

const vmms = {
  ...sshd,
  displayName: "Hyper-V Virtual Machine Management",
  commandLine: "C:\\Windows\\system32\\vmms.exe",
  startType: "auto",
} as const satisfies Service;

const hns = {
  ...sshd,
  displayName: "Host Network Service",
  commandLine: "C:\\Windows\\system32\\svchost.exe -k NetSvcs -p",
  startType: "manual",
} as const satisfies Service;

/** Windows' own services, which are not in the model's service manager. */
function ownServices(machine: WindowsMachine): readonly ServiceSnapshot[] {
  const { sshdStartType: startType, isSshdListening, state } = machine;
  const hasHns = state.features.Containers === "Installed";
  return [
    { name: "sshd", service: { ...sshd, startType }, isRunning: isSshdListening },
    ...(hasHns ? [{ name: "hns", service: hns, isRunning: machine.hns.isRunning }] : []),
    ...(state.hyperV ? [{ name: "vmms", service: vmms, isRunning: state.hyperV.runs }] : []),
  ];
}

function allNames(machine: WindowsMachine): string[] {
  return [...machine.services.names(), ...ownServices(machine).map(({ name }) => name)];
}

const startTypes = { auto: "Automatic", manual: "Manual", disabled: "Disabled" } as const;

async function snapshot(
  machine: WindowsMachine,
  name: string,
): Promise<ServiceSnapshot | undefined> {
  const own = ownServices(machine).find((each) => each.name === name.toLowerCase());
  const service = machine.services.get(name);
  return own ?? (service && { name, service, isRunning: await machine.services.isRunning(name) });
}

export function defineServiceTypes(
  types: Types,
  machine: WindowsMachine,
  changing: (what: string) => Promise<void>,
): void {
  const { services } = machine;
  const namespace = "System.ServiceProcess";
  const status = types.define({
    name: `${namespace}.ServiceControllerStatus`,
    enumeration: { Stopped: 1, StartPending: 2, StopPending: 3, Running: 4 },
  });
  const startMode = types.define({
    name: `${namespace}.ServiceStartMode`,
    enumeration: { Automatic: 2, Manual: 3, Disabled: 4 },
  });
  types.define({ name: failure, base: "System.SystemException" });
  const order = async (name: string, what: "start" | "stop"): Promise<void> => {
    await changing(`${what} the service ${name}`);
    if (name.toLowerCase() === "sshd") {
      if (what === "stop") machine.stopSshd();
      else await machine.startSshd();
      return;
    }
    if (name.toLowerCase() === "hns") return machine.hns[what]();
    try {
      await services[what](name);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const { exception } = raised("System.ComponentModel.Win32Exception", reason);
      const message = `Cannot ${what} service ${name} on computer '.'.`;
      throw raised("System.InvalidOperationException", message, { inner: exception });
    }
  };
  types.define({
    name: `${namespace}.ServiceController`,
    properties: {
      Name: ({ state }: Controller) => state.name,
      DisplayName: ({ state }: Controller) => state.service.displayName,
      Status: ({ state }: Controller) => convert(state.isRunning ? "Running" : "Stopped", status),
      StartType: ({ state }: Controller) => convert(startTypes[state.service.startType], startMode),
    },
    methods: {
      "Start()": ({ state }: Controller) => order(state.name, "start"),
      "Stop()": ({ state }: Controller) => order(state.name, "stop"),
      "Refresh()": async ({ state }: Controller) => {
        Object.assign(state, await snapshot(machine, state.name));
      },
      "ToString()": ({ state }: Controller) => state.name,
    },
  });
}

export function serviceCmdlets(machine: WindowsMachine): readonly Cmdlet[] {
  const { services } = machine;
  const service =
    "[-Name] <string> [-BinaryPathName] <string> [-DisplayName <string>] [-Description <string>] " +
    "[-StartupType {Automatic | Manual | Disabled}] [-DependsOn <string[]>]";
  return cmdlets(
    {
      async "Get-Service [[-Name] <string[]>]"(call) {
        const type = call.shell.types.get("System.ServiceProcess.ServiceController");
        for (const name of call.texts("Name") ?? allNames(machine).sort()) {
          const seen = await snapshot(machine, name);
          if (seen) {
            await call.emit(new NetObject(type, seen));
          } else {
            const message = `Cannot find any service with service name '${name}'.`;
            await refuse(call, message, "NoServiceFoundForGivenName", failure);
          }
        }
      },
      async "Restart-Service [-Name] <string>"(call) {
        const name = call.text("Name") ?? "";
        await services.stop(name);
        await services.start(name);
      },
      async [`New-Service ${service}`](call) {
        const name = call.text("Name") ?? "";
        const type = call.shell.types.get("System.ServiceProcess.ServiceController");
        if (await snapshot(machine, name)) {
          const message = `Service '${name} (${name})' cannot be created due to the following error: The specified service already exists`;
          return refuse(call, message, "CouldNotNewService", failure);
        }
        await services.configure(name, {
          commandLine: call.text("BinaryPathName") ?? "",
          displayName: call.text("DisplayName") ?? name,
          description: call.text("Description") ?? "",
          startType: startTypeOf(call.text("StartupType") ?? "Automatic"),
          dependsOn: call.texts("DependsOn") ?? [],
          restarts: false,
        });
        await call.emit(new NetObject(type, (await snapshot(machine, name)) as ServiceSnapshot));
      },
    },
    "Microsoft.PowerShell.Commands",
  );
}

function startTypeOf(mode: string): Service["startType"] {
  return mode.toLowerCase().replace("automatic", "auto") as Service["startType"];
}

export function serviceClass(machine: WindowsMachine): CimClass {
  const { services } = machine;
  return {
    instances: async () => {
      const seen: Record<string, Value>[] = [];
      for (const name of allNames(machine)) {
        const found = await snapshot(machine, name);
        if (found) {
          const { service } = found;
          seen.push({
            Name: name,
            DisplayName: service.displayName,
            Description: service.description,
            PathName: service.commandLine,
            StartMode: startTypes[service.startType].replace("Automatic", "Auto"),
            State: found.isRunning ? "Running" : "Stopped",
          });
        }
      }
      return seen;
    },
    methods: {
      async Change(instance, args) {
        const path = args.get("PathName");
        const mode = args.get("StartMode");
        await services.change(toText(instance.get("Name") ?? null), {
          ...(path === undefined ? {} : { commandLine: toText(path) }),
          ...(mode === undefined ? {} : { startType: startTypeOf(toText(mode)) }),
        });
        return 0;
      },
      async Delete(instance) {
        await services.remove(toText(instance.get("Name") ?? null));
        return 0;
      },
    },
  };
}

/** `sc.exe failure` and `sc.exe failureflag` set what happens when a service ends by itself. */
export const sc: SystemProgram = async ({ services }, [verb = "", name = "", ...options]) => {
  try {
    if (verb === "failure") {
      const actions = options[options.indexOf("actions=") + 1] ?? "";
      await services.change(name, { restarts: actions !== "" });
    } else if (verb !== "failureflag" || !services.get(name)) {
      throw new ServiceError("The specified service does not exist as an installed service.");
    }
    return { exitCode: 0, stdout: "[SC] ChangeServiceConfig2 SUCCESS\r\n", stderr: "" };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const stdout = `[SC] OpenService FAILED 1060:\r\n\r\n${error.message}\r\n`;
    return { exitCode: 1060, stdout, stderr: "" };
  }
};
