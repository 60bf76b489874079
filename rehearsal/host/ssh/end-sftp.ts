import type { SFTPWrapper } from "ssh2";

/** What ssh2's SFTP stream has inside, seen in 1.17. */
interface SftpInternals {
  readonly outgoing: { readonly id: number; readonly state: string };
  readonly _protocol: { exitStatus(channel: number, status: number): void };
}

/**
 * Ends an SFTP session as sftp-server does when its client has no more to say: exit status 0, then the channel closed.
 *
 * scp waits for that status, and ssh2 offers no way to send it from its SFTP stream.
 */
export function endSftp(sftp: SFTPWrapper): void {
  const { outgoing, _protocol: protocol } = sftp as unknown as SftpInternals;
  if (outgoing.state === "open") protocol.exitStatus(outgoing.id, 0);
  sftp.end();
}
