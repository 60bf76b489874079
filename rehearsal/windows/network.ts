/**
 * Network connections, addresses and names.
 *
 * Sources: https://learn.microsoft.com/dotnet/api/system.net.sockets.tcpclient,
 * https://learn.microsoft.com/dotnet/api/system.net.dns.
 */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { badFormat } from "../powershell/dotnet/exceptions.ts";
import * as is from "../powershell/types.ts";
import { raised, type Types } from "../powershell/types.ts";
import { NetObject, nothing, Unsupported, type NetType } from "../powershell/values.ts";
import type { WindowsMachine } from "../machine/windows-machine.ts";
import { task } from "./tasks.ts";

/** Seconds after which Windows gives up an unanswered connection attempt. */
const connectSeconds = 21;

export function defineNetworkTypes(types: Types, { programs, time }: WindowsMachine): void {
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

/** What names need of a machine. */
export interface NamedMachine {
  readonly computerName: string;
  /** IPv4 addresses of a name. Default: no name resolves. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

/** Names are resolved by the Linux underneath, as for programs. */
export function defineNameTypes(types: Types, { computerName, resolve }: NamedMachine): void {
  type Address = NetObject<ReturnType<typeof ipaddr.parse>>;
  const address = (text: string): Address => {
    if (!ipaddr.isValid(text)) throw badFormat("An invalid IP address was specified.");
    return new NetObject(addressType, ipaddr.parse(text));
  };
  const addressType: NetType = types.define({
    name: "System.Net.IPAddress",
    methods: {
      "GetAddressBytes()": ({ state }: Address) => is.bytes(Buffer.from(state.toByteArray())),
      "ToString()": ({ state }: Address) => state.toString(),
    },
    staticMethods: { "Parse(string)": (text: string) => address(text) },
  });
  const uri = types.define({
    name: "System.Uri",
    constructors: {
      "(string)": (written: string) => {
        if (!/^[a-z][a-z\d+.-]+:\/\//i.test(written)) throw new Unsupported(`the URI ${written}`);
        if (!URL.canParse(written)) {
          const message = "Invalid URI: The hostname could not be parsed.";
          throw raised("System.UriFormatException", message);
        }
        return new NetObject(uri, new URL(written));
      },
    },
    properties: {
      DnsSafeHost: ({ state }: NetObject<URL>) => state.hostname.replace(/^\[(.*)\]$/, "$1"),
    },
  });
  types.define({
    name: "System.Net.Dns",
    staticMethods: {
      "GetHostName()": () => computerName,
      "GetHostAddresses(string)": async (name: string) => {
        const found = isIP(name) === 0 ? ((await resolve?.(name)) ?? []) : [name];
        if (found.length === 0) {
          throw raised("System.Net.Sockets.SocketException", "No such host is known");
        }
        return is.array(found.map(address), types.array(addressType));
      },
    },
  });
}
