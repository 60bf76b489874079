/** Folder of the media on a machine, as SFTP writes it. */
export const mediaFolder = "C:/kindows/media";

/**
 * Path of an artifact on a machine, with backslashes: it is part of the image, or pushed.
 *
 * @param sha256 in lower case, so that files of the same name and different content can coexist.
 */
export function artifactPath(sha256: string, fileName: string): string {
  return `C:\\kindows\\media\\${sha256}\\${fileName}`;
}

/** Name of its file: the last part of its URL. */
export function fileNameOf({ uri }: { readonly uri: string }): string {
  return uri.slice(uri.lastIndexOf("/") + 1);
}
