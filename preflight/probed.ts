/** What a probe found, or why it could not look. */
export type Probed<T> =
  | ({ readonly reachable: true } & T)
  | {
      readonly reachable: false;
      /** Last words of whoever was asked. */
      readonly error: string;
    };
