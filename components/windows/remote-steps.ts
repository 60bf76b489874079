/** Where the steps lie on a machine, each in a folder of its own. */
export const remoteSteps = "C:\\kindows\\steps";
