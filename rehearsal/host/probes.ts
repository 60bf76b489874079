import { request } from "node:https";
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

/** Time of a server by the Date header of its answer to `HEAD https://host:port/healthz`; undefined without one. */
export async function serverTime(
  host: string,
  port: number,
  timeoutSeconds: number,
): Promise<Date | undefined> {
  return new Promise((resolve) => {
    // As the script: with a wrong clock no certificate could be judged. So no authority has to be known, and reading
    // Node.js' own hundred and fifty costs an emulated CPU half a second.
    const trust = { rejectUnauthorized: false, ca: [] };
    const options = { host, port, path: "/healthz", method: "HEAD", ...trust };
    const asked = request({ ...options, timeout: timeoutSeconds * 1000 }, (answer) => {
      answer.resume();
      const time = Date.parse(answer.headers.date ?? "");
      resolve(Number.isNaN(time) ? undefined : new Date(time));
    });
    asked.once("timeout", () => asked.destroy());
    asked.once("error", () => resolve(undefined));
    asked.once("close", () => resolve(undefined));
    asked.end();
  });
}
