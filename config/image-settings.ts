import * as z from "zod";
import { namedFile } from "./named-file.ts";
import { windowsEditions } from "./supported.ts";
import { downloadAddress } from "./values/download-address.ts";
import { imagePath } from "./values/image-path.ts";
import { language } from "./values/language.ts";
import { localFile } from "./values/local-file.ts";
import { productKey } from "./values/product-key.ts";
import { mediumSha256 } from "./values/sha256.ts";
import { updateNumber } from "./values/update-number.ts";
import { text } from "./values/value.ts";

/** A file for the image. */
const medium = (what: string) => namedFile(what, "`./kindows fetch`");

const updateFile = medium("a cumulative update of Microsoft's (`.msu`)")
  .unwrap()
  .extend({
    kb: text(updateNumber).optional().meta({
      description:
        "Or its number, by which it is found in Microsoft's Update Catalog: the newest one is the best. For 2022 only.",
      default: "KB5044281 for the pinned evaluation of 2022",
    }),
  });

/** What installing Windows from an ISO takes, wherever the ISO comes from. */
const installation = {
  edition: z.enum(windowsEditions).default("standard-core").meta({
    description: "Edition on the ISO; `core` has no desktop, which a node does not need.",
  }),
  language: text(language)
    .default("en-US")
    .meta({ description: "Language of the ISO, e.g. `de-DE`; Setup and Windows speak it." }),
  firmware: z.enum(["bios", "uefi"]).default("bios").meta({
    description:
      "What the machines boot with. With `bios` Setup's disc starts without a key press.",
  }),
  drivers: medium("the virtio drivers' ISO (virtio-win)").meta({
    description:
      "Drivers of the machines' disk and network, as an ISO by virtio-win. Default: virtio-win 0.1.285, pinned; `./kindows fetch` downloads it.",
  }),
  openSsh: medium("`OpenSSH-Win64.zip` of Win32-OpenSSH").meta({
    description:
      "OpenSSH for Windows Server 2022, which has none on its ISO; not for 2025, which has it. Default: Win32-OpenSSH 10.0.0.0p2-Preview, pinned; `./kindows fetch` downloads it.",
  }),
  update: updateFile.prefault({}).meta({
    description:
      "Cumulative update that is put into the image, for an ISO that is older than a node may be, as the pinned evaluation of 2022 is. One that is found by its number is locked in `software.lock.json`.",
  }),
};

/** Where the machines' disk comes from. */
export const image = z.discriminatedUnion("kind", [
  z
    .strictObject({
      kind: z.literal("rehearsal"),
      baked: z.boolean().default(true).meta({
        description:
          "Whether the image holds what every node needs, as one made from an ISO does; without, each machine installs the feature, reboots, and unpacks the programs.",
      }),
    })
    .meta({
      description:
        "The rehearsal guest, which stands in for Windows: Kubernetes' own Windows programs under Wine.",
    }),
  z
    .strictObject({
      kind: z.literal("disk"),
      path: text(imagePath).meta({
        description:
          "Absolute path of the disk's image on this host, qcow2, VHD or VHDX: a Windows Server that was sealed as docs/windows-image.md says.",
      }),
    })
    .meta({ description: "A prepared Windows disk that is already there." }),
  z
    .strictObject({
      kind: z.literal("evaluation-iso"),
      acceptLicence: z.boolean().default(false).meta({
        description:
          "Whether you have read and accept Microsoft's terms for evaluations: 180 days, activated over the internet within the first 10, not for production. Nothing is downloaded otherwise.",
      }),
      url: text(downloadAddress).optional().meta({
        description: "Address of another evaluation ISO; with `sha256`.",
        default: "Microsoft's English one for `windows.version`, pinned",
      }),
      sha256: text(mediumSha256)
        .optional()
        .meta({ description: "SHA-256 of the file at `url`, in lower case." }),
      ...installation,
    })
    .meta({
      description: "Microsoft's evaluation ISO, from which the image is made once.",
    }),
  z
    .strictObject({
      kind: z.literal("iso"),
      path: text(localFile).meta({ description: "Absolute path of the ISO on this host." }),
      sha256: text(mediumSha256)
        .optional()
        .meta({ description: "Its SHA-256, in lower case.", default: "not compared" }),
      productKey: text(productKey).optional().meta({
        description:
          "Product key, e.g. a generic volume licence key; evaluations take none. Whoever may read this file may read it.",
      }),
      ...installation,
    })
    .meta({
      description: "An ISO of Windows Server that you have, from which the image is made once.",
    }),
]);
