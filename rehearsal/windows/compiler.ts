/**
 * The compiler of C#. Nothing is compiled: what it makes is a file that holds its source, and what runs it is told by
 * `host/service-command.ts`.
 *
 * Source: https://learn.microsoft.com/powershell/module/microsoft.powershell.utility/add-type.
 */
import type { Cmdlet } from "../../powershell/commands.ts";
import { Unsupported } from "../../powershell/values.ts";

const addType: Cmdlet = {
  name: "Add-Type",
  parameters: {
    TypeDefinition: { type: "string", position: 0, mandatory: true },
    ReferencedAssemblies: { type: "string[]" },
    OutputAssembly: { type: "string" },
    OutputType: { type: "string", set: ["ConsoleApplication"] },
  },
  async run(call) {
    const path = call.text("OutputAssembly");
    if (path === undefined || call.text("OutputType") === undefined) {
      throw new Unsupported("Add-Type of anything but a program in a file");
    }
    const { files } = call.shell.host;
    const source = call.text("TypeDefinition") ?? "";
    await files.write(files.resolve(path), Buffer.from(`Not compiled, in a rehearsal:\n${source}`));
  },
};

export const compilerCmdlets: readonly Cmdlet[] = [addType];
