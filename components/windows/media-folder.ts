/** Folder of the media on a machine, as SFTP writes it. */
export const mediaFolder = "C:/kindows/media";

/**
 * Where an artifact lies on a machine, as Windows writes it: an image carries it there, or it is pushed there.
 *
 * @param sha256 in lower case: files of the same name and different content lie side by side.
 */
export function artifactPath(sha256: string, fileName: string): string {
  return `C:\\kindows\\media\\${sha256}\\${fileName}`;
}

/** Name of its file: the last part of its address. */
export function fileNameOf({ uri }: { readonly uri: string }): string {
  return uri.slice(uri.lastIndexOf("/") + 1);
}
