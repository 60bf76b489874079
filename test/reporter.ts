import path from "node:path";
import Mocha from "mocha";

const { EVENT_HOOK_END, EVENT_RUN_END, EVENT_TEST_END, EVENT_TEST_FAIL, EVENT_TEST_PENDING } =
  Mocha.Runner.constants;

/** How many of the slowest files are listed. */
const slowest = 10;

/** Milliseconds that a file's tests and hooks took, by the file's path relative to the working directory. */
export type Durations = Record<string, number>;

/**
 * Reporter of `make test`: prints failures as they come, then the totals, each skipped test, and the slowest files.
 */
export class Summary extends Mocha.reporters.Base {
  readonly durations: Durations = {};

  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const skipped: Mocha.Test[] = [];
    const took = ({ file, duration }: Mocha.Runnable): void => {
      if (file === undefined) return;
      const name = path.relative("", file);
      this.durations[name] = (this.durations[name] ?? 0) + (duration ?? 0);
    };
    runner.on(EVENT_HOOK_END, took);
    runner.on(EVENT_TEST_END, took);
    runner.on(EVENT_TEST_PENDING, (test) => skipped.push(test));
    runner.on(EVENT_TEST_FAIL, (test, error: Error) => {
      const [message = ""] = error.message.split("\n");
      console.log(`FAILED ${path.relative("", test.file ?? "")}: ${test.fullTitle()}: ${message}`);
    });
    runner.once(EVENT_RUN_END, () => {
      this.epilogue();
      for (const test of skipped) {
        console.log(`skipped: ${test.fullTitle()}`);
      }
      const files = Object.entries(this.durations).sort(([, one], [, other]) => other - one);
      console.log(`\nThe slowest files, in seconds:`);
      for (const [file, duration] of files.slice(0, slowest)) {
        console.log(`${(duration / 1000).toFixed(1).padStart(8)}  ${file}`);
      }
    });
  }
}
