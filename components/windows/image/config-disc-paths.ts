/** Folders and files on the CD that answers Setup's questions; with backslashes where Windows reads them. */
export const answerFileName = "Autounattend.xml";

/** Folder of scripts, their library, and what they install. */
export const kindowsFolder = "kindows";

/** Folder of the drivers, one folder for each. */
export const driversFolder = "drivers";

/** The script that the first logon starts. */
export const firstScript = "Initialize-Image.ps1";

/** What is done in the image of what its nodes need. */
export const bakeFile = "bake.json";

/** Folder of the programs that this installs: one for each, named by its SHA-256. */
export const programsFolder = "programs";

/** The answer file for machines made from the image, without its password. */
export const sealedAnswerFile = "sealed.xml";

/**
 * Letters CDs may get: Windows' own is D: mostly, ours E:. Setup takes all that exist, so another order does not
 * matter.
 */
export const discLetters = ["D", "E", "F", "G"];
