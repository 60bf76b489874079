/** Folders of the steps on a machine. */
export const remoteSteps = "C:\\kindows\\steps";
