import type { Client } from "ssh2";
import { closeClient, dialHop, type Dialling } from "./dial.ts";
import type { SshEndpoint } from "./endpoint.ts";

/** A server on the way, and what logs in there. */
export type Hop = Omit<SshEndpoint, keyof typeof patience> & { readonly hostKey: string };

/** Failed attempts that are borne on the way, and seconds for each. */
export const patience = { dialErrorLimit: 3, perDialTimeout: 10 };

/** Connections one in the other. */
export interface DialledHops {
  /** To the last server. */
  readonly client: Client;
  /** Ends all of them. */
  close(): void;
}

/**
 * Logs in to servers one behind the other, each from the one before it; to the first from here.
 *
 * @param background whether this process may end while they are open.
 * @throws an error that begins with `Dial hop NUMBER`, counted from 1.
 */
export async function dialHops(
  hops: readonly [Hop, ...Hop[]],
  operation: Dialling,
  background = false,
): Promise<DialledHops> {
  const clients: Client[] = [];
  const close = (): void => {
    for (const client of clients.toReversed()) closeClient(client);
  };
  try {
    const [first, ...others] = hops;
    const dialled = (hop: Hop, from?: Client): Promise<Client> =>
      dialHop(`Dial hop ${clients.length + 1}`, { ...hop, ...patience }, operation, {
        ...{ from, background },
      });
    let client = await dialled(first);
    clients.push(client);
    for (const hop of others) {
      client = await dialled(hop, client);
      clients.push(client);
    }
    return { client, close };
  } catch (error) {
    close();
    throw error;
  }
}
