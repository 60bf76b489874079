import assert from "node:assert/strict";
import { chmodSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { findFile, listDisc } from "../../../components/windows/image/disc.ts";
import { examineWindowsIso } from "../../../components/windows/image/examine-windows-iso.ts";
import type { WantedWindows } from "../../../components/windows/image/judge-images.ts";
import { mediaProblems } from "./media-problems.ts";
import {
  makeIso,
  makeUdf,
  makeWim,
  makeWindowsIso,
  serverImages,
  setupFiles,
} from "./real-media.ts";
import type { TestImage } from "./real-media.ts";
import { inNewFolder } from "../new-folder.ts";

const wanted: WantedWindows = {
  version: "2022",
  edition: "standard-core",
  language: "en-US",
  updated: false,
};

const problemsOf = (iso: string, want: WantedWindows = wanted): Promise<string[]> =>
  mediaProblems(examineWindowsIso(iso, want), path.dirname(iso));

describe("examining an ISO of Windows", () => {
  const at = inNewFolder();

  /** An ISO with these images where Setup looks for them. */
  async function isoWith(name: string, images: readonly TestImage[]): Promise<string> {
    const iso = at(`${name}.iso`);
    await makeWindowsIso(iso, images);
    return iso;
  }

  it("finds the image of each edition", async () => {
    const iso = await isoWith("server", serverImages);
    const found = [];
    for (const edition of ["standard-core", "standard-desktop", "datacenter-core"] as const) {
      const { index, name } = await examineWindowsIso(iso, { ...wanted, edition });
      found.push([edition, index, name]);
    }
    assert.deepEqual(found, [
      ["standard-core", 1, "SERVERSTANDARDCORE"],
      ["standard-desktop", 2, "SERVERSTANDARD"],
      ["datacenter-core", 3, "SERVERDATACENTERCORE"],
    ]);
    assert.deepEqual(await examineWindowsIso(iso, { ...wanted, edition: "datacenter-desktop" }), {
      index: 4,
      name: "SERVERDATACENTER",
      editionId: "ServerDatacenterEval",
      installationType: "Server",
      architecture: "x86_64",
      build: 20348,
      revision: 2762,
      languages: ["en-US"],
    });
  });

  it("reads UDF, as Microsoft's ISOs are, whose ISO 9660 part holds a readme only", async () => {
    await makeWim(at("udf.wim"), serverImages);
    const iso = at("udf.iso");
    await makeUdf(iso, setupFiles(at("udf.wim")));
    const { stdout } = await execa("isoinfo", ["-f", "-i", iso]);
    assert.deepEqual(
      stdout.split("\n"),
      ["/README.TXT;1"],
      "the test's ISO is not like Microsoft's",
    );
    assert.equal((await examineWindowsIso(iso, wanted)).index, 1);
  });

  it("reads an ESD, which is compressed as a whole, whatever the case of its name", async () => {
    await makeWim(at("solid.esd"), serverImages, "lzms");
    await makeIso(at("solid.iso"), {
      BOOTMGR: "boots",
      "Sources/Boot.wim": "Setup",
      "Sources/Install.esd": { file: at("solid.esd") },
    });
    assert.equal((await examineWindowsIso(at("solid.iso"), wanted)).name, "SERVERSTANDARDCORE");
  });

  it("takes what is not an evaluation, and Windows Server 2025", async () => {
    const iso = await isoWith("volume", [
      { editionId: "ServerStandard", build: 26100, revision: 1742, language: "de-DE" },
    ]);
    const want = { ...wanted, version: "2025", language: "de-de" } as const;
    assert.equal((await examineWindowsIso(iso, want)).editionId, "ServerStandard");
  });

  it("takes an old one that is to be updated", async () => {
    const iso = await isoWith("to-be-updated", [{ revision: 587 }]);
    assert.equal((await examineWindowsIso(iso, { ...wanted, updated: true })).revision, 587);
  });

  const bad: readonly {
    readonly name: string;
    readonly images: readonly TestImage[];
    readonly want?: Partial<WantedWindows>;
    readonly problems: readonly string[];
  }[] = [
    {
      name: "client",
      images: [{ name: "Windows 11 Pro", editionId: "Professional", installationType: "Client" }],
      problems: [
        "client.iso holds no Windows Server (its images: Windows 11 Pro). Write the path of an ISO of Windows Server.",
      ],
    },
    {
      name: "no-such-edition",
      images: serverImages.slice(0, 3),
      want: { edition: "datacenter-desktop" },
      problems: [
        'no-such-edition.iso has no edition "datacenter-desktop". It has: standard-core, standard-desktop, datacenter-core. Write one of them for kindows:windows.image.edition, or use another ISO.',
      ],
    },
    {
      name: "unknown-edition",
      images: [{ name: "AZURE", editionId: "ServerTurbineCor" }],
      problems: [
        'unknown-edition.iso has no edition "standard-core". It has: AZURE. Write one of them for kindows:windows.image.edition, or use another ISO.',
      ],
    },
    {
      name: "old",
      images: [{ build: 17763 }],
      problems: [
        "old.iso holds build 17763, and Windows Server 2022 is build 20348. Use an ISO of Windows Server 2022.",
      ],
    },
    {
      name: "other-version",
      images: [{ build: 26100 }],
      problems: [
        'other-version.iso holds build 26100, and Windows Server 2022 is build 20348. Use an ISO of Windows Server 2022, or write "2025" for kindows:windows.version.',
      ],
    },
    {
      name: "old-revision",
      images: [{ revision: 2761 }],
      problems: [
        "old-revision.iso holds 20348.2761, and a node needs 20348.2762 (KB5044281, October 2024) or newer. Name a cumulative update of Microsoft's. First download the newest one for `Microsoft server operating system version 21H2` (x64, .msu) from catalog.update.microsoft.com; then write `update: { path: /the/file.msu }` below kindows:windows.image; then run this again. Or use a newer ISO: docs/windows-image.md, under An old ISO.",
      ],
    },
    {
      name: "everything",
      images: [{ architecture: 12, build: 14393, language: "fr-FR" }],
      want: { edition: "standard-core" },
      problems: [
        "everything.iso is for ARM64, and the machines are x86_64. Use the ISO for x64.",
        "everything.iso holds build 14393, and Windows Server 2022 is build 20348. Use an ISO of Windows Server 2022.",
        'everything.iso is not in the language "en-US". It has: fr-FR. Write that for kindows:windows.image.language.',
      ],
    },
  ];
  for (const { name, images, want, problems } of bad) {
    it(`refuses one: ${name}`, async () => {
      assert.deepEqual(
        await problemsOf(await isoWith(name, images), { ...wanted, ...want }),
        problems,
      );
    });
  }

  it("refuses a disc that is not of Windows Setup", async () => {
    await makeIso(at("linux.iso"), { "boot/vmlinuz": "a kernel" });
    assert.deepEqual(await problemsOf(at("linux.iso")), [
      "linux.iso is not an ISO of Windows Setup: sources/install.wim and sources/boot.wim and bootmgr is not on it. Write the path of an ISO of Windows Server.",
    ]);
  });

  for (const [what, content, why] of [
    ["nonsense", Buffer.alloc(4096, "nonsense"), "is not a WIM file"],
    ["a short one", Buffer.from("MSWIM\0\0\0"), "is too short for a WIM file"],
  ] as const) {
    it(`refuses an install.wim that is ${what}`, async () => {
      writeFileSync(at("bad.wim"), content);
      await makeIso(at("bad.iso"), setupFiles(at("bad.wim")));
      assert.deepEqual(await problemsOf(at("bad.iso")), [
        `sources/install.wim on bad.iso ${why}. Download the ISO again.`,
      ]);
    });
  }

  it("refuses an install.wim without its end, where the images are named", async () => {
    await makeWim(at("cut.wim"), serverImages);
    truncateSync(at("cut.wim"), 400);
    await makeIso(at("cut.iso"), setupFiles(at("cut.wim")));
    assert.deepEqual(await problemsOf(at("cut.iso")), [
      "sources/install.wim on cut.iso is damaged or cut off: its list of images is not within it. Download the ISO again.",
    ]);
  });

  const instead = "Write the path of an ISO you may read, as it was downloaded.";

  it("refuses what is not an ISO", async () => {
    writeFileSync(at("text.iso"), "<html>403 Forbidden</html>");
    assert.deepEqual(await problemsOf(at("text.iso")), [`text.iso is not an ISO. ${instead}`]);
    await makeWim(at("named.iso"), [{}]);
    assert.deepEqual(await problemsOf(at("named.iso")), [
      `named.iso is not an ISO: 7-Zip takes it for wim. ${instead}`,
    ]);
    assert.deepEqual(await problemsOf(at("nowhere.iso")), [`nowhere.iso is not there. ${instead}`]);
    assert.deepEqual(await problemsOf(at()), [`${path.basename(at())} is not a file. ${instead}`]);
  });

  it("refuses an ISO that was cut off", async () => {
    const iso = await isoWith("whole", serverImages);
    truncateSync(iso, 70_000);
    const [problem = ""] = await problemsOf(iso);
    assert.match(
      problem,
      /^whole\.iso (is damaged or cut off: 7-Zip says Unexpected end of archive|is not an ISO)/,
    );
  });

  it("refuses an ISO it may not read", async () => {
    const iso = await isoWith("secret", serverImages);
    chmodSync(iso, 0);
    // Root may read everything, so for this it is nobody, who has to get as far as to the file.
    chmodSync(at(), 0o711);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.("nobody");
    try {
      assert.match((await problemsOf(iso))[0] ?? "", /^secret\.iso can't be read/);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  it("lists the files of a disc with their sizes", async () => {
    await makeIso(at("listed.iso"), { "a folder/One, with a long Name.txt": "1", "b.txt": "" });
    const disc = await listDisc(at("listed.iso"));
    assert.deepEqual(disc.files, [
      { path: "a folder/One, with a long Name.txt", bytes: 1 },
      { path: "b.txt", bytes: 0 },
    ]);
    assert.equal(findFile(disc, "A FOLDER/one, with a long name.TXT")?.bytes, 1);
    assert.equal(findFile(disc, "a folder"), undefined);
  });
});
