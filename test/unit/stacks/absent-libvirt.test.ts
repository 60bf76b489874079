import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { execa } from "execa";
import { absentLibvirt } from "../../../components/machine/libvirt/hypervisor-provider.ts";
import { eachCase } from "../each-case.ts";

/** A call of libvirt's protocol. */
function call(procedure: number, serial: number, payload = ""): Buffer {
  const body = Buffer.from(payload);
  const header = Buffer.alloc(28);
  // Length, program, version, procedure, type, serial, status.
  [28 + body.length, 0x20008086, 1, procedure, 0, serial, 0].forEach((word, index) =>
    header.writeUInt32BE(word, index * 4),
  );
  return Buffer.concat([header, body]);
}

const words = (packet: Buffer): number[] =>
  Array.from({ length: packet.length / 4 }, (_, index) => packet.readUInt32BE(index * 4));

async function connect(): Promise<net.Socket> {
  const uri = new URL(await absentLibvirt());
  assert.equal(uri.protocol, "qemu:");
  const client = net.connect(uri.searchParams.get("socket") ?? "");
  await once(client, "connect");
  return client;
}

async function answer(client: net.Socket): Promise<number[]> {
  const [packet] = (await once(client, "data")) as [Buffer];
  return words(packet);
}

describe("what stands in for a libvirt that is not there", () => {
  const steps: Readonly<Record<string, readonly [number, number[]]>> = {
    "how to log in": [66, [0]],
    "to be let in": [1, []],
    "to be let out": [2, []],
  };
  eachCase("answers a client that asks %s", steps, async ([procedure, payload]) => {
    const client = await connect();
    client.write(call(procedure, 7, "payload of any size"));
    assert.deepEqual(await answer(client), [
      ...[28 + payload.length * 4, 0x20008086, 1, procedure, 1, 7, 0],
      ...payload,
    ]);
    client.destroy();
  });

  it("says that it is libvirt 9.0.0 or later", async () => {
    const client = await connect();
    client.write(call(157, 1));
    const [high, low = 0] = (await answer(client)).slice(7);
    assert.equal(high, 0);
    assert.ok(low >= 9_000_000 && low < 10_000_000, String(low));
    client.destroy();
  });

  it("answers calls that come in pieces, and two at once", async () => {
    const client = await connect();
    const both = Buffer.concat([call(66, 1), call(1, 2)]);
    client.write(both.subarray(0, 10));
    await new Promise((resolve) => setTimeout(resolve, 50));
    let received = Buffer.alloc(0);
    client.on("data", (chunk: Buffer) => (received = Buffer.concat([received, chunk])));
    client.write(both.subarray(10));
    while (received.length < 60) await once(client, "data");
    assert.deepEqual([words(received)[5], words(received.subarray(32))[5]], [1, 2]);
    client.destroy();
  });

  it("does nothing else: whoever asks for more is cut off", async () => {
    const client = await connect();
    // DOMAIN_CREATE_XML
    client.write(call(10, 1));
    await once(client, "close");
  });

  it("leaves nothing behind, and keeps no process from ending", async () => {
    const module = path.resolve("components/machine/libvirt/hypervisor-provider.ts");
    const { stdout } = await execa(
      process.execPath,
      [
        ...["--import", "tsx", "--input-type=module", "--eval"],
        `import { absentLibvirt } from ${JSON.stringify(module)}; console.log(await absentLibvirt());`,
      ],
      { timeout: 300_000 },
    );
    const socket = new URL(stdout.trim()).searchParams.get("socket") ?? "";
    assert.match(socket, /kindows-libvirt-/);
    assert.ok(!existsSync(path.dirname(socket)), socket);
  });
});
