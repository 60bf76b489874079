import { stopLeftRunning } from "../rehearsal/left-running.ts";

/**
 * Mocha ends when nothing runs any more. A test that hangs, or a hook that fails half way, may leave a server behind,
 * which would keep it waiting for ever.
 */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    const left = await stopLeftRunning();
    if (left.length > 0) {
      throw new Error(`tests have left running, until it was stopped here: ${left.join(", ")}`);
    }
  },
};
