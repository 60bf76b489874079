import type { ParameterValue } from "./powershell/convert.ts";
import type { ParamBlock } from "./powershell/param-block.ts";
import { RehearsalError } from "./rehearsal-error.ts";

/** A script's bound parameters, read by the names its behaviour expects. */
export class StepParameters {
  readonly #script: string;
  readonly #block: ParamBlock;
  readonly #values: ReadonlyMap<string, ParameterValue>;

  constructor(script: string, block: ParamBlock, values: ReadonlyMap<string, ParameterValue>) {
    this.#script = script;
    this.#block = block;
    this.#values = values;
  }

  text(name: string): string {
    const value = this.#value(name);
    if (typeof value !== "string") throw this.#mismatch(name, "a [string]");
    return value;
  }

  integer(name: string): number {
    const value = this.#value(name);
    if (typeof value !== "number") throw this.#mismatch(name, "an [int]");
    return value;
  }

  #value(name: string): ParameterValue {
    if (!this.#block.parameters.some((parameter) => parameter.name === name)) {
      throw this.#mismatch(name, "a parameter of the script");
    }
    const value = this.#values.get(name);
    if (value === undefined) {
      throw new RehearsalError(
        `${this.#script}: -${name} was not given and its default is an expression, which the rehearsal can't evaluate`,
      );
    }
    return value;
  }

  #mismatch(name: string, expected: string): RehearsalError {
    return new RehearsalError(
      `${this.#script}: the rehearsed behaviour expects -${name} to be ${expected}, but the script's param() block says otherwise: change rehearsal/host/steps with the script`,
    );
  }
}
