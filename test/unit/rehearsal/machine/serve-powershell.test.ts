import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";

import { quoteArgument } from "../../../../rehearsal/machine/cmd/arguments.ts";
import { servePowerShell } from "../../../../rehearsal/machine/serve-powershell.ts";
import { hostFor } from "./step-runner.ts";

const start = "powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass";

describe("PowerShell for programs of a rehearsed machine", () => {
  const machine = hostFor("each");
  let server: Server;

  beforeEach(async () => {
    server = await servePowerShell(machine.windows, () => undefined, 0);
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
    await machine.windows.drive.write(
      "C:\\start.ps1",
      'param([string] $Name)\n"$Name on $env:NODENAME"\n[Console]::Error.WriteLine("oops")\nexit 7\n',
    );
    const socket = ask(`${start} -File C:\\start.ps1 -Name flannel`, "NODENAME=win-1");
    assert.deepEqual(await answer(socket), { o: "flannel on win-1\n", e: "oops\r\n", x: 7 });
  });

  it("opens and closes a port for netsh.exe, and refuses what it does not know", async () => {
    const rule = "netsh advfirewall firewall add rule name=verify dir=in action=allow protocol=TCP";
    assert.deepEqual(await answer(ask(`${rule} localport=8080`)), {
      o: "Ok.\r\n\r\n",
      e: "",
      x: 0,
    });
    const ports = (): readonly number[] =>
      Object.values(machine.windows.state.firewallRules).map(({ port }) => port);
    assert.deepEqual(ports(), [22, 8080]);
    const refused = await answer(ask("C:\\windows\\system32\\netsh.exe winsock reset"));
    assert.equal(refused.x, 70);
    assert.match(refused.e, /netsh winsock reset/);
  });

  it("runs a text as flanneld gives it: routes of the machine, and forwarding", async () => {
    const flags = "-NoLogo -NoProfile -NonInteractive";
    const wrapped = (text: string): string =>
      `$ErrorActionPreference="Stop";try { ${text} } catch { Write-Host $_; os.Exit(-1) }`;
    const run = (text: string): ReturnType<typeof answer> =>
      answer(ask(`powershell.exe ${flags} -Command ${quoteArgument(wrapped(text))}`));
    const index = machine.programs.adapterIndex();
    const forward = (of: number): ReturnType<typeof answer> =>
      run(`Set-NetIPInterface -ifIndex ${of} -AddressFamily IPv4 -Forwarding Enabled`);
    assert.deepEqual(await forward(index), { o: "", e: "", x: 0 });
    const other = await forward(index + 1);
    assert.match(other.o, /^No matching MSFT_NetIPInterface objects found/);
    assert.notEqual(other.x, 0);

    const range = `-InterfaceIndex ${index} -DestinationPrefix 10.244.2.0/24`;
    const properties = "Select-Object -Property IfIndex,DestinationPrefix,NextHop";
    const listed = (of: string) =>
      run(wrapped(`ConvertTo-Json (@(Get-NetRoute ${of} | ${properties}))`));
    assert.notEqual((await listed(range)).x, 0, "there is none");
    const made = await run(`New-NetRoute ${range} -NextHop  192.168.150.12`);
    assert.equal(made.x, 0, made.e);
    // The object's own names, which flanneld reads in any case.
    const route = { ifIndex: index, DestinationPrefix: "10.244.2.0/24", NextHop: "192.168.150.12" };
    for (const of of [range, ""]) {
      const [first] = JSON.parse((await listed(of)).o) as object[];
      assert.deepEqual(first, route);
    }
    const removed = await run(
      `Remove-NetRoute ${range} -NextHop 192.168.150.12 -Verbose -Confirm:$false`,
    );
    assert.equal(removed.x, 0, removed.e);
    assert.deepEqual(machine.programs.routes, []);
  });

  it("runs a text without -Command, and shows one object of texts as a table, as Calico's install.exe reads it", async () => {
    const names = ["WindowsVersion", "OsBuildNumber", "OsHardwareAbstractionLayer"];
    const text = quoteArgument(`Get-ComputerInfo | select ${names.join(", ")}`);
    const { o, e, x } = await answer(ask(`powershell.exe -NoProfile -NonInteractive ${text}`));
    const [blank, header, , values = ""] = o.split("\r\n");
    assert.deepEqual([blank, header?.split(/\s+/), e, x], ["", names, "", 0]);
    assert.deepEqual(values.split(/\s+/).slice(0, 2), ["2009", "20348"]);
    assert.match(values, / 10\.0\.20348\.\d+ *$/);
  });

  it("says what it can't run", async () => {
    const command = await answer(ask(`${start} -EncodedCommand RwBlAHQA`));
    assert.deepEqual([command.o, command.x], ["", 70]);
    assert.match(command.e, /^rehearsed: .* not: powershell\.exe .*-EncodedCommand RwBlAHQA\n$/);
    await machine.windows.drive.write("C:\\start.ps1", "Get-Everything\n");
    const script = await answer(ask(`${start} -File C:\\start.ps1`));
    assert.deepEqual([script.o, script.x], ["", 70]);
    assert.match(script.e, /does not support the command Get-Everything\n$/);
  });

  it("ends a script whose program is gone", async () => {
    const script = "while ($true) { Start-Sleep -Seconds 1; 'waits' }\n";
    await machine.windows.drive.write("C:\\start.ps1", script);
    const socket = ask(`${start} -File C:\\start.ps1`);
    await once(socket, "data");
    socket.destroy();
    // Or virtual time would go on for ever, and with it this test.
    await new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()));
    });
  });
});
