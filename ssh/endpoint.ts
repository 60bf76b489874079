import { existsSync } from "node:fs";
import ssh2 from "ssh2";
import type { AuthenticationType, ConnectConfig, ParsedKey } from "ssh2";
import { fingerprintOf } from "./host-key.ts";

/** How to reach one SSH server. */
export interface SshEndpoint {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string | undefined;
  /** Private key; secret. Undefined: a password or the agent of SSH_AUTH_SOCK logs in. */
  readonly privateKey?: string | undefined;
  /** Passphrase of the key; secret. */
  readonly privateKeyPassword?: string | undefined;
  readonly agentSocketPath?: string | undefined;
  /** The only host key accepted, as in authorized_keys; any is accepted where it is not set. */
  readonly hostKey?: string | undefined;
  /** Failed attempts that are borne where it is dialled; -1: any number. Default: none. */
  readonly dialErrorLimit?: number;
  /** Seconds until it accepts the TCP connection, in one attempt; 0: as long as the system tries. Default: 15. */
  readonly perDialTimeout?: number;
  /** How long it may answer nothing at all before the connection counts as lost, in seconds. Default: 120. */
  readonly silentSeconds?: number;
}

/** A server with the one host key that it may have. */
export type PinnedEndpoint = SshEndpoint & { readonly hostKey: string };

/** The server is another one: its host key is not the pinned one. */
export class HostKeyRefused extends Error {}

/** Longest wait for the handshake and the login, once connected: a machine that boots may be slow. */
const HANDSHAKE_MILLISECONDS = 30_000;

/** How often a silent server is asked whether it is there still. */
const KEEPALIVE_SECONDS = 15;

/**
 * Settings for one attempt to log in, over a connection that stands.
 * @param refused called with the reason when the server's host key is not the pinned one
 * @throws when a key cannot be read: trying again would not help
 */
export function connectConfig(
  endpoint: SshEndpoint,
  refused: (reason: HostKeyRefused) => void,
): ConnectConfig {
  const agent = endpoint.agentSocketPath ?? usableAgent();
  const methods: AuthenticationType[] = ["none"];
  if (endpoint.privateKey !== undefined) methods.push("publickey");
  if (endpoint.password !== undefined) methods.push("password", "keyboard-interactive");
  if (agent !== undefined) methods.push("agent");
  requirePrivateKey(endpoint);
  return {
    username: endpoint.user,
    password: endpoint.password,
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

/** The agent of the user's session; the official plugin uses it too, but fails where it is gone. */
function usableAgent(): string | undefined {
  const socket = process.env["SSH_AUTH_SOCK"];
  return socket !== undefined && socket !== "" && existsSync(socket) ? socket : undefined;
}

function requirePrivateKey(endpoint: SshEndpoint): void {
  if (endpoint.privateKey === undefined) return;
  const parsed = ssh2.utils.parseKey(endpoint.privateKey, endpoint.privateKeyPassword);
  if (parsed instanceof Error) {
    throw new Error(
      `connection.privateKey for ${endpoint.host} cannot be read: ${parsed.message} (expected: an OpenSSH or PEM private key; privateKeyPassword where it is encrypted)`,
    );
  }
}

function pinnedHostKey(
  endpoint: SshEndpoint,
  refused: (reason: HostKeyRefused) => void,
): Pick<ConnectConfig, "hostVerifier" | "algorithms"> {
  if (endpoint.hostKey === undefined) return {};
  const pinned = ssh2.utils.parseKey(endpoint.hostKey);
  if (pinned instanceof Error) {
    throw new Error(
      `connection.hostKey for ${endpoint.host} cannot be read: ${pinned.message} (expected: one line like "ssh-ed25519 AAAA...")`,
    );
  }
  const expected = pinned.getPublicSSH();
  return {
    algorithms: { serverHostKey: hostKeyAlgorithms(pinned) },
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

/** Signature algorithms for the pinned key: with any other the server would show another of its keys. */
function hostKeyAlgorithms(key: ParsedKey): ("ssh-rsa" | "ssh-ed25519")[] {
  const names = key.type === "ssh-rsa" ? ["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"] : [key.type];
  return names as ("ssh-rsa" | "ssh-ed25519")[];
}
