/**
 * What a machine reaches over its network.
 *
 * Source: https://learn.microsoft.com/dotnet/api/system.net.sockets.tcpclient.
 */
import { task } from "../../powershell/dotnet/processes.ts";
import { raised, type Types } from "../../powershell/types.ts";
import { NetObject, nothing } from "../../powershell/values.ts";
import type { WindowsHost } from "../host/windows-host.ts";

/** Seconds after which Windows gives up a connection that nobody answers. */
const connectSeconds = 21;

export function defineNetworkTypes(types: Types, { programs, time }: WindowsHost): void {
  const client = types.define({
    name: "System.Net.Sockets.TcpClient",
    constructors: { "()": () => new NetObject(client, null) },
    methods: {
      "ConnectAsync(string, int)": (_: NetObject<null>, name: string, port: number) =>
        task(
          types,
          time
            .busy(() => programs.connect(name, port, connectSeconds))
            .then((problem) => {
              if (problem !== undefined) {
                throw raised("System.Net.Sockets.SocketException", problem);
              }
              return nothing;
            }),
        ),
      "Dispose()": () => undefined,
    },
  });
}
