import type { Check } from "./check.ts";

/** Every cross-check, in the order its problems are told. */
export const checks: readonly Check[] = [];
