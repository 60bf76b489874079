/** Facts, or why they could not be gathered. */
export type Gathered<T> =
  | ({ readonly reachable: true } & T)
  | {
      readonly reachable: false;
      /** Last words of whoever was asked. */
      readonly error: string;
    };
