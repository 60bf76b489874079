import type { Check } from "./check.ts";

/** The only account of an image that is made here: Windows' own. */
const account = "Administrator";

/** Nodes are set up with an account that their image has. A prepared disk may have any. */
export const imageAccount: Check = {
  reads: ["windows.adminUser", "windows.image", "windows.image.kind"],
  run: ({ windows: { image, adminUser } }) =>
    image.kind === "rehearsal" ||
    image.kind === "disk" ||
    // Windows does not tell the case of letters apart.
    adminUser.toLowerCase() === account.toLowerCase()
      ? []
      : [
          {
            path: ["windows", "adminUser"],
            value: adminUser,
            why: `is no account of an image that is made from an ISO, which has ${account} alone`,
            instead: `Write "${account}", or leave it out; for another account use a disk that has it (kind: disk).`,
          },
        ],
};
