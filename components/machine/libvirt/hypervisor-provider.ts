import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import * as libvirt from "@pulumi/libvirt";
import * as pulumi from "@pulumi/pulumi";
import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
import { isPreviewAnywhere } from "../../preview-anywhere.ts";

/** The libvirt provider of one hypervisor, by its URI in the settings. */
export function hypervisorProvider(
  name: string,
  uri: string,
  opts?: pulumi.ResourceOptions,
): libvirt.Provider {
  return new libvirt.Provider(
    name,
    { uri: hypervisorUri(uri) },
    // The bridge reports its own version as an input that is never stored.
    { ...opts, ignoreChanges: ["version"] },
  );
}

/**
 * It connects as soon as it knows where to, also for a preview, which then fails where there is no libvirt; and one
 * that does not know compares nothing: to the engine every machine would be another one, and all that was done on it be done
 * again. So it is given a libvirt that only lets it in. Where that is is nobody's business, and another place each time.
 */
function hypervisorUri(uri: string): pulumi.Input<string> {
  if (isPreviewAnywhere()) return pulumi.secret(absentLibvirt());
  if (!isDryRun() || uri !== "qemu:///system") return uri;
  // The first `pulumi up` on a host shows its plan before it installs libvirt, or starts a stopped one.
  return pulumi
    .output(nobodyListens(systemSocket))
    .apply((isAbsent) => (isAbsent ? pulumi.secret(absentLibvirt()) : pulumi.output(uri)));
}

/** A libvirt that was killed leaves its socket. */
function nobodyListens(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const client = net.connect(socket, () => {
      client.destroy();
      resolve(false);
    });
    client.once("error", ({ code }: NodeJS.ErrnoException) => {
      resolve(code === "ENOENT" || code === "ECONNREFUSED");
    });
  });
}

/** Where the provider connects to for `qemu:///system`. */
const systemSocket = "/var/run/libvirt/libvirt-sock";

/** libvirt's protocol (src/rpc/virnetprotocol.x): sizes in bytes, and numbers of what is asked. */
const headerSize = 28;
const [reply, ok] = [1, 0];

/** As Debian 12 has it: 1000000 * major + 1000 * minor + release. */
const version = Buffer.alloc(8);
version.writeBigUInt64BE(9_000_000n);

/** `CONNECT_OPEN`, `CONNECT_CLOSE`, `AUTH_LIST`, `CONNECT_GET_LIB_VERSION` (src/remote/remote_protocol.x). */
const answered = new Map([
  [1, Buffer.alloc(0)],
  [2, Buffer.alloc(0)],
  // No way of logging in is asked for.
  [66, Buffer.alloc(4)],
  [157, version],
]);

let listening: Promise<string> | undefined;

/**
 * Stands in for a libvirt that is not there, for a preview: a provider that connects to it compares what is asked for
 * with the stack's state, and changes nothing. Whatever it asks for but to be let in ends the connection.
 *
 * It ends with this process, without keeping it, and there is one for all who connect.
 *
 * @returns URI to connect to.
 */
function absentLibvirt(): Promise<string> {
  return (listening ??= listen());
}

async function listen(): Promise<string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kindows-libvirt-"));
  process.once("exit", () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const socket = path.join(folder, "socket");
  const server = net.createServer((client) => {
    client.unref();
    client.on("error", () => client.destroy());
    let received = Buffer.alloc(0);
    client.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      for (let size = sizeOf(received); size <= received.length; size = sizeOf(received)) {
        const call = received.subarray(0, size);
        received = received.subarray(size);
        const answer = answered.get(call.readUInt32BE(12));
        if (answer === undefined) {
          client.destroy();
          return;
        }
        client.write(replyTo(call, answer));
      }
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, resolve);
  });
  server.unref();
  return `qemu:///system?socket=${socket}`;
}

/** Bytes of the first packet, its length included; more than any where that is not here yet. */
function sizeOf(received: Buffer): number {
  return received.length < headerSize ? Infinity : received.readUInt32BE(0);
}

/** The call's own header, as a reply to it. */
function replyTo(call: Buffer, answer: Buffer): Buffer {
  const header = Buffer.from(call.subarray(0, headerSize));
  header.writeUInt32BE(headerSize + answer.length, 0);
  header.writeUInt32BE(reply, 16);
  header.writeUInt32BE(ok, 24);
  return Buffer.concat([header, answer]);
}
