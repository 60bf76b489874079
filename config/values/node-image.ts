import type { Complaint } from "../problem.ts";

const reference = /^[a-z0-9]+([._/:-][A-Za-z0-9]+)*(:[\w][\w.-]{0,127})?(@sha256:[a-f0-9]{64})?$/;

/** Node images built on this host have this tag; it is a hash of all that went in, so it pins as a digest does. */
const builtHere = /^kindest\/node:kindows-[a-f0-9]{12,64}$/;

/** A kind node image that can only ever be the same one. */
export function nodeImage(value: string): Complaint | undefined {
  if (!reference.test(value)) {
    return {
      why: "is not an image reference",
      instead:
        "Write NAME:TAG@sha256:DIGEST, with the digest of 64 hex digits from kind's release notes.",
    };
  }
  if (!value.includes("@sha256:") && !builtHere.test(value)) {
    return {
      why: "has no digest, so it could be another image tomorrow",
      instead: `Write ${value}@sha256:DIGEST with the digest from kind's release notes, or leave it out.`,
    };
  }
  return undefined;
}
