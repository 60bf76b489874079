import * as z from "zod";
import { downloadAddress } from "./values/download-address.ts";
import { localFile } from "./values/local-file.ts";
import { mediumSha256 } from "./values/sha256.ts";
import { text } from "./values/value.ts";

const schema = (what: string, downloader: string) =>
  z
    .strictObject({
      path: text(localFile)
        .optional()
        .meta({ description: `Absolute path of ${what} on this host.` }),
      url: text(downloadAddress)
        .optional()
        .meta({ description: `Or its address, from which ${downloader} downloads it.` }),
      sha256: text(mediumSha256)
        .optional()
        .meta({ description: "Its SHA-256, in lower case; required with `url`." }),
    })
    .prefault({});

/**
 * A file that nobody has pinned here: the user names it, by path or by address and checksum (checks/named-file.ts).
 *
 * @param what it is, e.g. "the virtio drivers' ISO".
 * @param downloader the command that downloads it.
 */
export function namedFile(what: string, downloader: string): ReturnType<typeof schema> {
  return schema(what, downloader);
}
