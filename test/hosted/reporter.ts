import Mocha from "mocha";

/** Prints each test as it ends, and writes JUnit's XML with its time to the file of the option `output`. */
export default class Reporter extends Mocha.reporters.XUnit {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    new Mocha.reporters.Spec(runner, options);
  }
}
