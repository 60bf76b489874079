import type { Duplex } from "node:stream";
import { LocalPort } from "../../../host/local-port.ts";
import { NoAnswer } from "../../../host/bounded.ts";
import { messageOf } from "../../../host/failure.ts";
import {
  dialCauseOf,
  DialFailed,
  dialHops,
  openFrom,
  retryPolicy,
  type SshConnection,
} from "../../../host/ssh/dial.ts";
import { explainAccess } from "../dial-machine.ts";
import type { SshAccess } from "../ssh-access.ts";

const dialSeconds = 60;

/** A port of this host that leads to the last of several bastions. */
export interface ForwardArgs {
  /** Port on 127.0.0.1. */
  readonly port: number;
  /** The bastions before the last one, in order; each host key is pinned. */
  readonly through: readonly SshAccess[];
  /** The last bastion. Clients of the port log in to it, and check its host key. */
  readonly last: SshAccess;
  /** Names of the machines behind it, for errors. */
  readonly machines: readonly string[];
}

/**
 * Forwards a port of this host to a bastion behind other bastions, for programs that support only one bastion, such as
 * Pulumi's command plugin. The other bastions are dialled at the first connection. All connections share that route. It
 * is dialled again if it is lost.
 *
 * It does not keep the process running.
 */
export class BastionForward {
  readonly #local: LocalPort;
  #dialled: Promise<SshConnection> | undefined;
  #lastReported: string | undefined;

  private constructor(
    private readonly args: ForwardArgs,
    private readonly report: (line: string) => void,
  ) {
    this.#local = new LocalPort({
      what: `${args.last.user}@${args.last.host}:${args.last.port} for ${args.machines.join(", ")}`,
      instead:
        "End the program that uses it, or write another port as forwardPort beside these bastions (kindows:login or kindows:nodes)",
      open: () => this.#channel(),
      failed: (error) => this.#reportFailure(error),
    });
  }

  /**
   * @param report receives the reason a connection was refused, once per reason.
   * @throws if the port is in use.
   */
  static async open(args: ForwardArgs, report: (line: string) => void): Promise<BastionForward> {
    const forward = new BastionForward(args, report);
    await forward.#local.listen(args.port);
    return forward;
  }

  get port(): number {
    return this.#local.port;
  }

  async close(): Promise<void> {
    const ended = this.#local.close();
    await this.#disconnect(this.#dialled);
    await ended;
  }

  /** Opens a connection to the last bastion. */
  async #channel(): Promise<Duplex> {
    const { last, through } = this.args;
    const dialled = this.#hops();
    const hops = await dialled;
    const signal = AbortSignal.timeout(dialSeconds * 1000);
    return openFrom(hops.client, { ...last, ...retryPolicy }, signal).catch((error: unknown) => {
      // The route may be dead without an error: the next connection dials it again.
      if (error instanceof NoAnswer) void this.#disconnect(dialled);
      const what = `Dial hop ${through.length + 1} ${last.host}:${last.port}`;
      throw new DialFailed(what, through.length, messageOf(error), dialCauseOf(error));
    });
  }

  /** The connection to the bastion before the last one. */
  #hops(): Promise<SshConnection> {
    if (this.#dialled !== undefined) return this.#dialled;
    const signal = AbortSignal.timeout(dialSeconds * 1000);
    const dialled = dialHops(this.args.through, { signal, progress: () => undefined });
    this.#dialled = dialled;
    dialled.then(
      (hops) => {
        this.#lastReported = undefined;
        hops.client.once("close", () => void this.#disconnect(dialled));
      },
      () => void this.#disconnect(dialled),
    );
    return dialled;
  }

  /** Closes the route, so that the next connection dials it again. */
  async #disconnect(dialled: Promise<SshConnection> | undefined): Promise<void> {
    if (this.#dialled === dialled) this.#dialled = undefined;
    (await dialled?.catch(() => undefined))?.close();
  }

  #reportFailure(error: unknown): void {
    const { through, last, machines } = this.args;
    const name = machines.join(", ");
    const route = { name, through: [...through], bastion: last, server: last };
    const why = messageOf(explainAccess(error, route));
    if (why !== this.#lastReported) this.report(`${name}: ${why}`);
    this.#lastReported = why;
  }
}
