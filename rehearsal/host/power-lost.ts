/** The machine has been reset under a running step. */
export class PowerLost extends Error {
  override readonly name = "PowerLost";

  constructor() {
    super("the machine has lost its power");
  }
}
