/** A file or folder in a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** Where log files lie: this host's disk, or a machine's. What is not there is no error; a lost connection is one. */
export interface LogFolder {
  /** What is in a folder; nothing where there is none. */
  list(folder: string): Promise<readonly FolderEntry[]>;
  /** Bytes of a file, without opening it; nothing where there is none. */
  size(file: string): Promise<number | undefined>;
  /**
   * Bytes of a file from an offset on, fewer at its end; opens it for no longer than that.
   *
   * @returns nothing where there is none.
   */
  read(file: string, offset: number, length: number): Promise<Buffer | undefined>;
}
