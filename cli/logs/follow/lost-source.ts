/** A source that can't be followed, now and later: waiting for it is of no use. */
export class SourceRefused extends Error {
  override readonly name = "SourceRefused";
}
