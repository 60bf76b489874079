/** A file that a project publishes for Windows nodes. */
export interface PublishedProgram {
  /** File name, with VERSION for the version. */
  readonly file: string;
  /** https URL at its publisher. */
  readonly uri: string;
  /** https URL of the publisher's checksum. */
  readonly checksumUri: string;
}
