/** A behaviour and its script don't fit each other: a mistake in the rehearsal, not of its user. */
export class RehearsalError extends Error {
  override readonly name = "RehearsalError";
}
