/** A child process, as far as signals are concerned. */
export interface Signalled {
  kill(signal: NodeJS.Signals): boolean;
}

/** What the engine gets for a signal; it would die of a SIGHUP at once. */
const passedOn = { SIGINT: "SIGINT", SIGTERM: "SIGTERM", SIGHUP: "SIGTERM" } as const;

/**
 * Passes signals to this process on to a child: the first asks the engine to finish what it has begun, the second to
 * stop at once, the third kills it.
 *
 * @returns an object whose `stop` ends that, and tells whether there was a signal.
 */
export function passSignalsOn(child: Signalled): { readonly stop: () => boolean } {
  let count = 0;
  const handlers = (Object.keys(passedOn) as (keyof typeof passedOn)[]).map((name) => {
    const handler = (): void => {
      count += 1;
      child.kill(count > 2 ? "SIGKILL" : passedOn[name]);
    };
    process.on(name, handler);
    return { name, handler };
  });
  return {
    stop: () => {
      for (const { name, handler } of handlers) {
        process.off(name, handler);
      }
      return count > 0;
    },
  };
}
