/** Something that keeps this process alive until it is stopped: a server, a program it has started. */
interface Running {
  stop(): Promise<void>;
}

const running = new Map<Running, string>();

/** To be called by what has been started; `stopped`, when it stops. */
export function started(what: string, thing: Running): void {
  running.set(thing, what);
}

export function stopped(thing: Running): void {
  running.delete(thing);
}

/** Stops what nobody has stopped, and says what that was. */
export async function stopLeftRunning(): Promise<string[]> {
  const left = [...running];
  await Promise.all(left.map(([thing]) => thing.stop()));
  return left.map(([, what]) => what);
}
