import { pathRows } from "./paths.ts";
import type { Row } from "./row.ts";
import { sampleRows } from "./samples.ts";

/** Every row there is, in the order it is shown. */
export const allRows: readonly Row[] = [...pathRows, ...sampleRows];
