import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import * as libvirt from "@pulumi/libvirt";
import * as pulumi from "@pulumi/pulumi";
import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
import { isPreviewAnywhere } from "../../preview-anywhere.ts";

/** The libvirt provider of a hypervisor. */
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
 * The provider connects as soon as its URI is known, even in a preview, which would fail without libvirt. If the URI
 * were unknown, the provider would compare nothing, and the preview would show that all machines are replaced. So in a
 * preview without libvirt, the provider is given the URI of a stand-in. The URI is a secret, because it differs each
 * time and is not to be shown.
 */
function hypervisorUri(uri: string): pulumi.Input<string> {
  if (isPreviewAnywhere()) return pulumi.secret(absentLibvirt());
  if (!isDryRun() || uri !== "qemu:///system") return uri;
  // The preview of the first `pulumi up` on a host runs before libvirt is installed or started.
  return pulumi
    .output(nobodyListens(systemSocket))
    .apply((isAbsent) => (isAbsent ? pulumi.secret(absentLibvirt()) : pulumi.output(uri)));
}

/** Whether nothing listens on the socket. A libvirt that was killed leaves the socket behind. */
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

/** The socket to which the provider connects for `qemu:///system`. */
const systemSocket = "/var/run/libvirt/libvirt-sock";

/** libvirt's RPC protocol (src/rpc/virnetprotocol.x): the size of a header in bytes, and the values for a reply. */
const headerSize = 28;
const [reply, ok] = [1, 0];

/** libvirt 9.0.0, as in Debian 12: 1000000 * major + 1000 * minor + release. */
const version = Buffer.alloc(8);
version.writeBigUInt64BE(9_000_000n);

/**
 * Replies to `CONNECT_OPEN`, `CONNECT_CLOSE`, `AUTH_LIST` and `CONNECT_GET_LIB_VERSION` (src/remote/remote_protocol.x).
 */
const answered = new Map([
  [1, Buffer.alloc(0)],
  [2, Buffer.alloc(0)],
  // No authentication is required.
  [66, Buffer.alloc(4)],
  [157, version],
]);

let listening: Promise<string> | undefined;

/**
 * Starts a stand-in for a missing libvirt, for previews. A provider that is connected to it compares the program with
 * the stack's state. Any call other than those for connecting closes the connection.
 *
 * There is one stand-in per process, which does not keep the process running.
 *
 * @returns the URI to connect to.
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

/** Size of the first packet in bytes, including its header; infinite if the header is not complete yet. */
function sizeOf(received: Buffer): number {
  return received.length < headerSize ? Infinity : received.readUInt32BE(0);
}

/** Makes a reply, whose header is that of the call with another type and status. */
function replyTo(call: Buffer, answer: Buffer): Buffer {
  const header = Buffer.from(call.subarray(0, headerSize));
  header.writeUInt32BE(headerSize + answer.length, 0);
  header.writeUInt32BE(reply, 16);
  header.writeUInt32BE(ok, 24);
  return Buffer.concat([header, answer]);
}
