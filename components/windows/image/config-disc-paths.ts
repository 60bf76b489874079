/** Folders and files on the CD that answers Setup's questions; with backslashes if Windows reads them. */
export const answerFileName = "Autounattend.xml";

/** Folder of scripts, their library, and what they install. */
export const kindowsFolder = "kindows";

/** Folder of the drivers, one folder for each. */
export const driversFolder = "drivers";

/** The script that the first logon starts. */
export const firstScript = "Initialize-Image.ps1";

/** The nodes' steps that run in the image. */
export const bakeFile = "bake.json";

/** Folder of the programs that these install: one subfolder for each, named by its SHA-256. */
export const programsFolder = "programs";

/** Folder in the archive of OpenSSH, as Win32-OpenSSH packs it, and the archive's name without `.zip`. */
export const openSshFolder = "OpenSSH-Win64";

/** Name of the update, as Microsoft's own names are too long for Joliet. */
export const updateFile = "update.msu";

/** The answer file for machines made from the image, without its password. */
export const sealedAnswerFile = "sealed.xml";

/**
 * Possible drive letters of CDs: Windows' own is usually D:, this one E:. Setup uses all that exist, in any order.
 */
export const discLetters = ["D", "E", "F", "G"];
