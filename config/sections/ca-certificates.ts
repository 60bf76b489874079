import * as z from "zod";
import { localFile } from "../named-file.ts";
import { type Check, repeated } from "../problem.ts";
import { text } from "../values/value.ts";

export const certificateFile = text(localFile).meta({
  placeholder: (index: number) => `/unnamed-${String(index)}`,
});

/** More would take a step longer than its limit. */
const mostFiles = 20;

/** Files with certificates that all nodes trust. */
export const caCertificates = z.array(certificateFile).max(mostFiles).default([]);

interface CaCertificatesSection {
  readonly caCertificates: z.output<typeof caCertificates>;
}

export const certificatesOnce: Check<CaCertificatesSection> = {
  run: ({ caCertificates }) =>
    repeated(caCertificates, (file) => file).map(({ index }) => ({
      path: ["caCertificates", index],
      why: "is listed twice",
      instead: "Remove one of them.",
    })),
};
