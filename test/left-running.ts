/** Something that keeps this process alive until it is stopped: a server, or a program that it has started. */
interface Running {
  stop(): Promise<void>;
}

const running = new Map<Running, string>();

/** Registers something that runs until it calls `stopped`. */
export function started(what: string, thing: Running): void {
  running.set(thing, what);
}

export function stopped(thing: Running): void {
  running.delete(thing);
}

/** Stops everything that still runs. @returns the names of what it stopped. */
export async function stopLeftRunning(): Promise<string[]> {
  const left = [...running];
  await Promise.all(left.map(([thing]) => thing.stop()));
  return left.map(([, what]) => what);
}
