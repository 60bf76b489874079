import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";

import { servePowerShell } from "../../../../rehearsal/machine/serve-powershell.ts";
import { hostFor } from "./step-runner.ts";

const start = "powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass";

describe("PowerShell for programs of a rehearsed machine", () => {
  const host = hostFor("each");
  let server: Server;

  beforeEach(async () => {
    server = await servePowerShell(host.windows, () => undefined, 0);
  });
  afterEach(() => server.close());

  const ask = (commandLine: string, ...variables: readonly string[]): Socket => {
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, "127.0.0.1");
    socket.write(`${[commandLine, "C:\\", ...variables].join("\x1f")}\0`);
    return socket;
  };

  /** What powershell.c would write, and its exit code. */
  const answer = async (socket: Socket): Promise<{ o: string; e: string; x: number }> => {
    const data = await buffer(socket);
    const seen = { o: "", e: "", x: -1 };
    for (let at = 0; at < data.length;) {
      const stream = data.toString("latin1", at, at + 1) as keyof typeof seen;
      const length = data.readUInt32LE(at + 1);
      at += 5;
      if (stream === "x") seen.x = length;
      else seen[stream] += data.toString("utf8", at, (at += length));
    }
    return seen;
  };

  it("runs a script with its arguments and the container's variables; output and exit code come back", async () => {
    await host.windows.drive.write(
      "C:\\start.ps1",
      'param([string] $Name)\n"$Name on $env:NODENAME"\n[Console]::Error.WriteLine("oops")\nexit 7\n',
    );
    const socket = ask(`${start} -File C:\\start.ps1 -Name flannel`, "NODENAME=win-1");
    assert.deepEqual(await answer(socket), { o: "flannel on win-1\n", e: "oops\r\n", x: 7 });
  });

  it("says what it can't run", async () => {
    const command = await answer(ask(`${start} -Command Get-Date`));
    assert.deepEqual([command.o, command.x], ["", 70]);
    assert.match(command.e, /^rehearsed: .* not: powershell\.exe .*-Command Get-Date\n$/);
    await host.windows.drive.write("C:\\start.ps1", "Get-Everything\n");
    const script = await answer(ask(`${start} -File C:\\start.ps1`));
    assert.deepEqual([script.o, script.x], ["", 70]);
    assert.match(script.e, /does not support the command Get-Everything\n$/);
  });

  it("ends a script whose program is gone", async () => {
    const script = "while ($true) { Start-Sleep -Seconds 1; 'waits' }\n";
    await host.windows.drive.write("C:\\start.ps1", script);
    const socket = ask(`${start} -File C:\\start.ps1`);
    await once(socket, "data");
    socket.destroy();
    // Or virtual time would go on for ever, and with it this test.
    await new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()));
    });
  });
});
