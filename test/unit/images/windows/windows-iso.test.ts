import assert from "node:assert/strict";
import { chmodSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { open, writeFile, truncate } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";

import { examineDisk } from "../../../../images/disk/examine-disk.ts";
import { findFile, listDisc } from "../../../../images/windows/disc.ts";
import { examineWindowsIso } from "../../../../images/windows/examine-media.ts";
import {
  chooseImage,
  imagesInList,
  readWindowsImages,
  type WantedWindows,
  windowsDisk,
  type WindowsImage,
} from "../../../../images/windows/windows-images.ts";
import { eachCase } from "../../each-case.ts";
import { inNewFolder } from "../../new-folder.ts";
import {
  makeIso,
  makeUdf,
  makeWim,
  makeWindowsIso,
  mediaProblems,
  serverImages,
  setupFiles,
  type TestImage,
} from "./real-media.ts";

describe("examining a prepared disk", () => {
  const at = inNewFolder();
  before(() => make("-f", "qcow2", "good.qcow2", "40G"));
  const make = (...args: readonly string[]): Promise<unknown> =>
    execa("qemu-img", ["create", "-q", ...args], { cwd: at() });

  const problemsOf = (name: string): Promise<string[]> =>
    mediaProblems(examineDisk(at(name), windowsDisk), at());

  it("says what it is", async () => {
    const { format, virtualGiB, actualGiB } = await examineDisk(at("good.qcow2"), windowsDisk);
    assert.deepEqual([format, virtualGiB, actualGiB < 1], ["qcow2", 40, true]);
  });

  for (const [name, format] of [
    ["a.vhd", "vpc"],
    ["a.vhdx", "vhdx"],
  ] as const) {
    it(`takes what can be converted: ${name}`, async () => {
      await make("-f", format, name, "40G");
      const facts = await examineDisk(at(name), windowsDisk);
      assert.equal(facts.format, format);
      assert.ok(Math.abs(facts.virtualGiB - 40) < 0.01, String(facts.virtualGiB));
    });
  }

  const convert = "Convert it: qemu-img convert -O qcow2 OLD NEW.";
  const tooSmall =
    "on which no Windows Server fits. Write the path of the disk Windows was installed on.";
  const copy = "Make a full copy where it is whole: qemu-img convert -O qcow2 OLD NEW.";
  const changed = async (name: string, place: number, bytes: readonly number[]): Promise<void> => {
    await make("-f", "qcow2", name, "40G");
    await using file = await open(at(name), "r+");
    await file.write(Buffer.from(bytes), 0, bytes.length, place);
  };
  const cut = async (name: string, bytes: number): Promise<void> => {
    await make("-f", "qcow2", name, "40G");
    await truncate(at(name), bytes);
  };
  /** How a disk is made, and what is wrong with it. */
  const refused: Readonly<Record<string, readonly [() => Promise<unknown>, string[]]>> = {
    "a.vmdk": [
      () => make("-f", "vmdk", "a.vmdk", "40G"),
      [`is neither qcow2 nor VHD or VHDX, but vmdk. ${convert}`],
    ],
    "top.qcow2": [
      async () => {
        await make("-f", "qcow2", "base.qcow2", "1G");
        await make("-f", "qcow2", "-b", "base.qcow2", "-F", "qcow2", "top.qcow2");
      },
      [
        "is an overlay of another image, base.qcow2, which may change. Make a full copy: qemu-img convert -O qcow2 OLD NEW.",
        `is a disk of 1.0 GiB, ${tooSmall}`,
      ],
    ],
    "luks.qcow2": [
      // The way of encryption, in the header: 1 is AES.
      () => changed("luks.qcow2", 32, [0, 0, 0, 1]),
      ["is encrypted. Use a disk that is not."],
    ],
    "data.qcow2": [
      async () => {
        await writeFile(at("victim.raw"), "");
        const data = `data_file=${at("victim.raw")},data_file_raw=on`;
        await make("-f", "qcow2", "-o", data, "data.qcow2", "40G");
      },
      [`has its data in another file. ${copy}`],
    ],
    "features.qcow2": [
      () => changed("features.qcow2", 72, [0, 0, 0, 0, 0, 0, 1, 0]),
      [`uses features of qcow2 that are not known here. ${copy}`],
    ],
    "beginning.qcow2": [() => cut("beginning.qcow2", 512), [`is cut off. ${copy}`]],
    "header.qcow2": [() => cut("header.qcow2", 40), [`is cut off. ${copy}`]],
    "half.qcow2": [() => cut("half.qcow2", 190_000), [`is cut off. ${copy}`]],
    pipe: [() => execa("mkfifo", [at("pipe")]), [`is not a regular file. ${copy}`]],
    "text.qcow2": [
      () => writeFile(at("text.qcow2"), "nonsense"),
      [
        `is neither qcow2 nor VHD or VHDX, but raw. ${convert}`,
        `is a disk of 0.0 GiB, ${tooSmall}`,
      ],
    ],
  };
  eachCase(
    "refuses %s with all that is wrong with it",
    refused,
    async ([prepare, problems], name) => {
      await prepare();
      const found = await problemsOf(name);
      assert.deepEqual(
        found,
        problems.map((each) => `${name} ${each}`),
      );
    },
  );

  it("refuses what is not there", async () =>
    assert.match(
      (await problemsOf("gone.qcow2"))[0] ?? "",
      /^gone\.qcow2 can't be examined: .*No such file/,
    ));
});

/** A file's content in pieces of some size. */
async function* pieces(file: string, size: number): AsyncGenerator<Buffer> {
  const content = readFileSync(file);
  for (let start = 0; start < content.length; start += size) {
    yield await Promise.resolve(content.subarray(start, start + size));
  }
}

describe("the images of a WIM file", () => {
  const at = inNewFolder();
  const wim = at("install.wim");
  before(() => makeWim(wim, serverImages));

  for (const size of [1, 7, 208, 209, 4096, 1024 ** 2]) {
    it(`are found in pieces of ${size}`, async () => {
      const images = await readWindowsImages(pieces(wim, size), statSync(wim).size);
      const names = images.map(({ index, name }) => [index, name]);
      const wanted = serverImages.map(({ name }, place) => [place + 1, name]);
      assert.deepEqual(names, wanted);
    });
  }

  it("are not in a file that ends too soon", async () => {
    const { size } = statSync(wim);
    const cut = (async function* () {
      yield await Promise.resolve(readFileSync(wim).subarray(0, size - 100));
    })();
    await assert.rejects(readWindowsImages(cut, size), {
      name: "NotAWim",
      message: `ends after ${size - 100} bytes`,
    });
  });

  it("have nothing that they do not say", () => {
    assert.deepEqual(imagesInList('\ufeff<WIM><IMAGE INDEX="1"><NAME/></IMAGE></WIM>'), [
      {
        index: 1,
        name: "",
        editionId: "",
        installationType: "",
        architecture: "",
        build: 0,
        revision: 0,
        languages: [],
      },
    ]);
  });
});

const wanted: WantedWindows = {
  version: "2022",
  edition: "standard-core",
  language: "en-US",
  updated: false,
};

/** The image of a fresh evaluation, as it is wanted. */
const good: WindowsImage = {
  index: 1,
  name: "SERVERSTANDARDCORE",
  editionId: "ServerStandardEval",
  installationType: "Server Core",
  architecture: "x86_64",
  build: 20348,
  revision: 2762,
  languages: ["en-US"],
};

describe("choosing among the images of an ISO", () => {
  const server = serverImages.map(
    ({ name = "", editionId = "", installationType = "" }, place) => ({
      ...good,
      name,
      editionId,
      installationType,
      index: place + 1,
    }),
  );

  const taken: Readonly<
    Record<string, readonly [readonly WindowsImage[], Partial<WantedWindows>, number]>
  > = {
    "standard-core": [server, {}, 1],
    "standard-desktop": [server, { edition: "standard-desktop" }, 2],
    "datacenter-core": [server, { edition: "datacenter-core" }, 3],
    "datacenter-desktop": [server, { edition: "datacenter-desktop" }, 4],
    "Windows Server 2025, no evaluation, in a language in whatever case": [
      [{ ...good, editionId: "ServerStandard", build: 26100, languages: ["de-DE"] }],
      { version: "2025", language: "de-de" },
      1,
    ],
    "an old one that is to be updated": [[{ ...good, revision: 587 }], { updated: true }, 1],
  };
  eachCase("takes %s", taken, ([images, want, index]) => {
    assert.equal(chooseImage("w.iso", images, { ...wanted, ...want }).index, index);
  });

  const useIso = "Use an ISO of Windows Server 2022";
  const refused: Readonly<
    Record<
      string,
      readonly [
        images: readonly Partial<WindowsImage>[],
        want: Partial<WantedWindows>,
        problem: string,
      ]
    >
  > = {
    "one for clients": [
      [{ name: "Windows 11 Pro", editionId: "Professional", installationType: "Client" }],
      {},
      "contains no Windows Server (its images: Windows 11 Pro). Write the path of an ISO of Windows Server.",
    ],
    "one without the edition": [
      server.slice(0, 3),
      { edition: "datacenter-desktop" },
      'has no edition "datacenter-desktop". It has: standard-core, standard-desktop, datacenter-core. Write one of them for kindows:windows.image.edition, or use another ISO.',
    ],
    "one with an edition that has no name here": [
      [{ name: "AZURE", editionId: "ServerTurbineCor" }],
      {},
      'has no edition "standard-core". It has: AZURE. Write one of them for kindows:windows.image.edition, or use another ISO.',
    ],
    "an older Windows": [
      [{ build: 17763 }],
      {},
      `contains build 17763, and Windows Server 2022 is build 20348. ${useIso}.`,
    ],
    "another version, which the settings know": [
      [{ build: 26100 }],
      {},
      `contains build 26100, and Windows Server 2022 is build 20348. ${useIso}, or write "2025" for kindows:windows.version.`,
    ],
    "one that lacks updates": [
      [{ revision: 2761 }],
      {},
      "contains 20348.2761, and a node needs 20348.2762 (KB5044281, October 2024) or newer. Add one of Microsoft's cumulative updates. First download the newest one for `Microsoft server operating system version 21H2` (x64, .msu) from catalog.update.microsoft.com; then write `update: { path: /the/file.msu }` below kindows:windows.image; then run this again. Or use a newer ISO: docs/windows-image.md, under An old ISO.",
    ],
  };
  eachCase("refuses %s", refused, async ([images, want, problem]) => {
    const all = images.map((each) => ({ ...good, ...each }));
    const choosing = Promise.resolve().then(() =>
      chooseImage("w.iso", all, { ...wanted, ...want }),
    );
    assert.deepEqual(await mediaProblems(choosing), [`w.iso ${problem}`]);
  });
});

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

  it("finds an image by its edition, with what is said of it", async () => {
    const iso = await isoWith("server", serverImages);
    assert.deepEqual(await examineWindowsIso(iso, { ...wanted, edition: "datacenter-desktop" }), {
      ...good,
      index: 4,
      name: "SERVERDATACENTER",
      editionId: "ServerDatacenterEval",
      installationType: "Server",
    });
  });

  it("reads UDF, as on Microsoft's ISOs, whose ISO 9660 part has only a readme", async () => {
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

  it("refuses one with all that is wrong with it", async () => {
    const images = [{ architecture: 12, build: 14393, language: "fr-FR" }];
    assert.deepEqual(await problemsOf(await isoWith("everything", images)), [
      "everything.iso is for ARM64, and the machines are x86_64. Use the ISO for x64.",
      "everything.iso contains build 14393, and Windows Server 2022 is build 20348. Use an ISO of Windows Server 2022.",
      'everything.iso is not in the language "en-US". It has: fr-FR. Write that for kindows:windows.image.language.',
    ]);
  });

  const badWims: Readonly<Record<string, readonly [write: () => unknown, why: string]>> = {
    nonsense: [() => writeFileSync(at("bad.wim"), "nonsense".repeat(512)), "is not a WIM file"],
    "a short one": [
      () => writeFileSync(at("bad.wim"), "MSWIM\0\0\0"),
      "is too short for a WIM file",
    ],
    "without its end, where the images are named": [
      async () => {
        await makeWim(at("bad.wim"), serverImages);
        truncateSync(at("bad.wim"), 400);
      },
      "is damaged or truncated: its list of images is not within it",
    ],
  };
  eachCase("refuses an install.wim that is %s", badWims, async ([write, why]) => {
    rmSync(at("bad.wim"), { force: true });
    await write();
    await makeIso(at("bad.iso"), setupFiles(at("bad.wim")));
    assert.deepEqual(await problemsOf(at("bad.iso")), [
      `sources/install.wim on bad.iso ${why}. Download the ISO again.`,
    ]);
  });

  const instead = "Write the path of an ISO you may read, as it was downloaded.";

  it("refuses what is not an ISO", async () => {
    writeFileSync(at("text.iso"), "<html>403 Forbidden</html>");
    assert.deepEqual(await problemsOf(at("text.iso")), [`text.iso is not an ISO. ${instead}`]);
    await makeWim(at("named.iso"), [{}]);
    assert.deepEqual(await problemsOf(at("named.iso")), [
      `named.iso is not an ISO: 7-Zip detects wim. ${instead}`,
    ]);
    assert.deepEqual(await problemsOf(at("nowhere.iso")), [
      `nowhere.iso does not exist. ${instead}`,
    ]);
    assert.deepEqual(await problemsOf(at()), [`${path.basename(at())} is not a file. ${instead}`]);
  });

  it("refuses an ISO that was cut off", async () => {
    const iso = await isoWith("whole", serverImages);
    truncateSync(iso, 70_000);
    const [problem = ""] = await problemsOf(iso);
    assert.match(
      problem,
      /^whole\.iso (is damaged or truncated: 7-Zip says Unexpected end of archive|is not an ISO)/,
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
