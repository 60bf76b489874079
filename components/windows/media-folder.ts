/** Folder of the programs on a machine, in the form that SFTP takes. */
export const mediaFolder = "C:/kindows/media";

/**
 * Path of a program's file on a machine, with backslashes. The image contains the file, or this host pushes it there.
 *
 * @param sha256 in lower case, so that files of the same name and different content can coexist.
 */
export function artifactPath(sha256: string, fileName: string): string {
  return `C:\\kindows\\media\\${sha256}\\${fileName}`;
}

/** Name of a program's file: the last part of its URL. */
export function fileNameOf({ uri }: { readonly uri: string }): string {
  return uri.slice(uri.lastIndexOf("/") + 1);
}
