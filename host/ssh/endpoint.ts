import { existsSync } from "node:fs";
import ssh2 from "ssh2";
import type { AuthenticationType, ConnectConfig } from "ssh2";
import { hostKeyAlgorithms, withoutSha1 } from "./algorithms.ts";
import { fingerprintOf } from "./host-key.ts";

export interface SshEndpoint {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Private key; secret. Without one, and only then, the agent of SSH_AUTH_SOCK logs in. */
  readonly privateKey?: string | undefined;
  readonly privateKeyPassword?: string | undefined;
  /** The only accepted host key, as in authorized_keys. */
  readonly hostKey: string;
  /** Allowed failed attempts; -1: unlimited. Default: none. */
  readonly dialErrorLimit?: number;
  /** Seconds for one TCP connection attempt; 0: the system's limit. Default: 15. */
  readonly perDialTimeout?: number;
  /** Seconds of silence after which the connection counts as lost. Default: 120. */
  readonly silentSeconds?: number;
}

export class HostKeyRefused extends Error {}

/** A private key is malformed, or locked. Nothing was dialled. */
export class PrivateKeyUnreadable extends Error {
  constructor(
    /** The server that it is for. */
    readonly host: string,
    readonly reason: string,
  ) {
    super(
      `connection.privateKey for ${host} cannot be read: ${reason} (expected: an OpenSSH or PEM private key; privateKeyPassword if it is encrypted)`,
    );
  }
}

/** Longest wait for handshake and login after connecting, because a booting machine may be slow. */
const HANDSHAKE_MILLISECONDS = 30_000;

const KEEPALIVE_SECONDS = 15;

/**
 * @param refused receives the reason if the host key is not the pinned one.
 * @throws PrivateKeyUnreadable, or an error for the pinned host key; no retry would change that.
 */
export function connectConfig(
  endpoint: SshEndpoint,
  refused: (reason: HostKeyRefused) => void,
): ConnectConfig {
  // An agent's keys are none of a server's business that has a key of its own.
  const agent = endpoint.privateKey === undefined ? usableAgent() : undefined;
  const methods: AuthenticationType[] = ["none"];
  if (endpoint.privateKey !== undefined) methods.push("publickey");
  if (agent !== undefined) methods.push("agent");
  requirePrivateKey(endpoint);
  return {
    username: endpoint.user,
    privateKey: endpoint.privateKey,
    passphrase: endpoint.privateKeyPassword,
    agent,
    authHandler: methods,
    readyTimeout: HANDSHAKE_MILLISECONDS,
    keepaliveInterval: KEEPALIVE_SECONDS * 1000,
    keepaliveCountMax: Math.ceil((endpoint.silentSeconds ?? 120) / KEEPALIVE_SECONDS),
    ...pinnedHostKey(endpoint, refused),
  };
}

/** The agent of the user's session, if it exists. */
function usableAgent(): string | undefined {
  const socket = process.env["SSH_AUTH_SOCK"];
  return socket !== undefined && socket !== "" && existsSync(socket) ? socket : undefined;
}

function requirePrivateKey(endpoint: SshEndpoint): void {
  if (endpoint.privateKey === undefined) return;
  const parsed = ssh2.utils.parseKey(endpoint.privateKey, endpoint.privateKeyPassword);
  if (parsed instanceof Error) throw new PrivateKeyUnreadable(endpoint.host, parsed.message);
}

function pinnedHostKey(
  endpoint: SshEndpoint,
  refused: (reason: HostKeyRefused) => void,
): Pick<ConnectConfig, "hostVerifier" | "algorithms"> {
  const pinned = ssh2.utils.parseKey(endpoint.hostKey);
  if (pinned instanceof Error) {
    throw new Error(
      `connection.hostKey for ${endpoint.host} cannot be read: ${pinned.message} (expected: one line like "ssh-ed25519 AAAA...")`,
    );
  }
  const expected = pinned.getPublicSSH();
  return {
    algorithms: { ...withoutSha1, serverHostKey: hostKeyAlgorithms(pinned) },
    hostVerifier: (offered: Buffer) => {
      if (offered.equals(expected)) return true;
      refused(
        new HostKeyRefused(
          `${endpoint.host} shows the host key ${fingerprintOf(offered)}, but the settings pin ${fingerprintOf(expected)}`,
        ),
      );
      return false;
    },
  };
}
