import type { Complaint } from "../problem.ts";

const digits = "Write the 64 hexadecimal digits that `sha256sum FILE` prints";

/** SHA-256 of a file whose checksum a command finds as well. */
export function sha256(value: string): Complaint | undefined {
  return judge(value, `${digits}, or leave it out and run \`./kindows fetch\`.`);
}

/** SHA-256 of a file that no command finds the checksum of. */
export function mediumSha256(value: string): Complaint | undefined {
  return judge(value, `${digits}.`);
}

function judge(value: string, instead: string): Complaint | undefined {
  if (/^[0-9a-f]{64}$/.test(value)) {
    return undefined;
  }
  return /^[0-9a-fA-F]{64}$/.test(value)
    ? { why: "has digits in upper case", instead: `Write "${value.toLowerCase()}".` }
    : { why: "is not a SHA-256", instead };
}
