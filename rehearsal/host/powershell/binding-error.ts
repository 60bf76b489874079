/** Arguments that PowerShell would refuse before a line of the script runs. */
export class BindingError extends Error {
  override readonly name = "BindingError";

  /** `id` is PowerShell's FullyQualifiedErrorId without the script's name, e.g. `NamedParameterNotFound`. */
  constructor(
    readonly id: string,
    message: string,
  ) {
    super(message);
  }

  static unknown(name: string): BindingError {
    return new BindingError(
      "NamedParameterNotFound",
      `A parameter cannot be found that matches parameter name '${name}'.`,
    );
  }

  static ambiguous(name: string, candidates: readonly string[]): BindingError {
    return new BindingError(
      "AmbiguousParameter",
      `Parameter cannot be processed because the parameter name '${name}' is ambiguous. Possible matches include: ${candidates.map((item) => `-${item}`).join(" ")}.`,
    );
  }

  static repeated(name: string): BindingError {
    return new BindingError(
      "ParameterAlreadyBound",
      `Cannot bind parameter because parameter '${name}' is specified more than once. To provide multiple values to parameters that can accept multiple values, use the array syntax. For example, "-parameter value1,value2,value3".`,
    );
  }

  static withoutArgument(name: string, type: string): BindingError {
    return new BindingError(
      "MissingArgument",
      `Missing an argument for parameter '${name}'. Specify a parameter of type '${type}' and try again.`,
    );
  }

  static surplus(argument: string): BindingError {
    return new BindingError(
      "PositionalParameterNotFound",
      `A positional parameter cannot be found that accepts argument '${argument}'.`,
    );
  }

  static missing(names: readonly string[]): BindingError {
    return new BindingError(
      "MissingMandatoryParameter",
      `Cannot process command because of one or more missing mandatory parameters: ${names.join(" ")}.`,
    );
  }

  static empty(name: string): BindingError {
    return new BindingError(
      "ParameterArgumentValidationErrorEmptyStringNotAllowed",
      `Cannot bind argument to parameter '${name}' because it is an empty string.`,
    );
  }

  static conversion(name: string, reason: string): BindingError {
    return new BindingError(
      "ParameterArgumentTransformationError",
      `Cannot process argument transformation on parameter '${name}'. ${reason}`,
    );
  }

  static validation(name: string, reason: string): BindingError {
    return new BindingError(
      "ParameterArgumentValidationError",
      `Cannot validate argument on parameter '${name}'. ${reason}`,
    );
  }
}
