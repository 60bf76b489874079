/**
 * The C# compiler. Nothing is compiled: the output file contains the source, and `machine/service-manager.ts` knows what the
 * program does.
 *
 * Source: https://learn.microsoft.com/powershell/module/microsoft.powershell.utility/add-type.
 */
import { cmdlets, type Cmdlet } from "../powershell/commands.ts";
import { Unsupported } from "../powershell/values.ts";
import type { WindowsMachine } from "../machine/windows-machine.ts";
import { hostNetworkType } from "./host-networks.ts";

export function compilerCmdlets(
  machine: WindowsMachine,
  changing: (what: string) => Promise<void>,
): readonly Cmdlet[] {
  const program =
    "[[-TypeDefinition] <string>] [-ReferencedAssemblies <string[]>] [-OutputAssembly <string>] " +
    "[-OutputType {ConsoleApplication}]";
  const member = "[-MemberDefinition <string>] [-Namespace <string>] [-Name <string>] [-PassThru]";
  return cmdlets({
    async [`Add-Type ${program} ${member}`](call) {
      const { files } = call.shell.host;
      const definition = call.text("MemberDefinition") ?? "";
      if (
        /DllImport\("vmcompute\.dll"\)\]\s+public static extern void HNSCall\(/.test(definition)
      ) {
        const name = `${call.text("Namespace") ?? ""}.${call.text("Name") ?? ""}`;
        const type = hostNetworkType(call.shell.types, machine, changing, name);
        if (call.flag("PassThru")) {
          await call.emit(type);
        }
        return;
      }
      const path = call.text("OutputAssembly");
      if (path === undefined || call.text("OutputType") === undefined) {
        throw new Unsupported("Add-Type of anything but a program in a file, and HNSCall");
      }
      const source = call.text("TypeDefinition") ?? "";
      await files.write(
        files.resolve(path),
        Buffer.from(`Not compiled, in a rehearsal:\n${source}`),
      );
    },
  });
}
