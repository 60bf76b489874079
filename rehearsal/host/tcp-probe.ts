import { connect } from "node:net";

/** Tries one TCP connection; what went wrong, or undefined when it was accepted in time. */
export async function tcpProbe(
  host: string,
  port: number,
  timeoutSeconds: number,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const finish = (problem: string | undefined): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(timeoutSeconds * 1000, () => finish(`no answer within ${timeoutSeconds} s`));
    socket.once("connect", () => finish(undefined));
    socket.once("error", (error) => finish(error.message));
  });
}
