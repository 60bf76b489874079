import type { Duplex } from "node:stream";
import { LocalPort } from "../../../host/local-port.ts";
import { dialHops, openFrom, retryPolicy, type SshConnection } from "../../../ssh/dial.ts";
import { explainAccess } from "../dial-machine.ts";
import type { SshAccess } from "../ssh-access.ts";

const dialSeconds = 60;

/** By which way a port of this host leads to the last of several bastions. */
export interface ForwardArgs {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Bastions before the last, in their order; each host key is pinned. */
  readonly through: readonly SshAccess[];
  /** The last one: who connects to the port logs in there, and checks its host key. */
  readonly last: SshAccess;
  /** Machines behind it, as errors name them. */
  readonly machines: readonly string[];
}

/**
 * A port of this host that leads to a bastion behind others, for programs that go by one only, such as Pulumi's command
 * plugin. The others are dialled when somebody connects, once for all, and again when that connection was lost.
 *
 * Keeps no process running, and ends with it.
 */
export class BastionForward {
  readonly #local: LocalPort;
  #dialled: Promise<SshConnection> | undefined;
  #lastReported: string | undefined;

  private constructor(
    private readonly args: ForwardArgs,
    private readonly tell: (line: string) => void,
  ) {
    this.#local = new LocalPort({
      what: `${args.last.user}@${args.last.host}:${args.last.port} for ${args.machines.join(", ")}`,
      instead:
        "End that, or write another port as forwardPort beside these bastions (kindows:login or kindows:nodes)",
      open: () => this.#channel(),
      failed: (message) => this.#report(message),
    });
  }

  /**
   * @param tell is told why nobody is led on, once for the same reason.
   * @throws when the port is somebody else's.
   */
  static async open(args: ForwardArgs, tell: (line: string) => void): Promise<BastionForward> {
    const forward = new BastionForward(args, tell);
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

  /** A connection to the last one. */
  async #channel(): Promise<Duplex> {
    const { last, through } = this.args;
    const dialled = this.#hops();
    const hops = await dialled;
    const signal = AbortSignal.timeout(dialSeconds * 1000);
    return openFrom(hops.client, { ...last, ...retryPolicy }, signal).catch((error: unknown) => {
      const { message } = error as Error;
      // The way itself may be dead without anybody having said so: the next one gets a new one.
      if (message.startsWith("no answer")) void this.#disconnect(dialled);
      throw new Error(`Dial hop ${through.length + 1} ${last.host}:${last.port}: ${message}`);
    });
  }

  /** The connection to the one before the last. */
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

  /** Has the next one dial again. */
  async #disconnect(dialled: Promise<SshConnection> | undefined): Promise<void> {
    if (this.#dialled === dialled) this.#dialled = undefined;
    (await dialled?.catch(() => undefined))?.close();
  }

  #report(message: string): void {
    const { through, last, machines } = this.args;
    const name = machines.join(", ");
    const why = explainAccess(message, {
      name,
      through: [...through],
      bastion: last,
      place: last,
    });
    if (why !== this.#lastReported) this.tell(`${name}: ${why}`);
    this.#lastReported = why;
  }
}
