/** System.Console: what a script writes itself. */
import { toText } from "../../powershell/convert.ts";
import { newLine } from "../../powershell/dotnet/encoding.ts";
import type { Host } from "../../powershell/host.ts";
import type { Types } from "../../powershell/types.ts";
import { NetObject, type Value } from "../../powershell/values.ts";

export function defineConsoleTypes(types: Types, host: Host): void {
  type Writer = NetObject<(text: string) => void>;
  const writer = types.define({
    name: "System.IO.TextWriter",
    methods: {
      "WriteLine(object)": ({ state }: Writer, value: Value) =>
        void state(toText(value) + newLine(host)),
    },
  });
  types.define({
    name: "System.Console",
    staticProperties: {
      Out: () => new NetObject(writer, host.output),
      Error: () => new NetObject(writer, host.error),
    },
  });
}
