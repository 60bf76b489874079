import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, rmSync, truncateSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { parse } from "yaml";

import { downloadedMedia } from "../../../../cli/fetch/image-media.ts";
import { fetchPrograms } from "../../../../cli/fetch/programs.ts";
import { driverNames } from "../../../../images/windows/drivers.ts";
import { examineMedia } from "../../../../images/windows/examine-media.ts";
import { evaluationIsos, openSshArchive, virtioDrivers } from "../../../../images/windows/media.ts";
import { resolveSettings } from "../../../../config/resolve.ts";
import type { Settings } from "../../../../config/settings.ts";
import { Cache } from "../../../../toolchain/cache.ts";
import { HttpsServer, cutAfter, serve } from "../../toolchain/https-server.ts";
import {
  makeIso,
  makeMedia,
  makeOpenSsh,
  makeUpdate,
  makeWim,
  makeWindowsIso,
  mediaProblems,
  virtioFiles,
} from "./real-media.ts";
import { inNewFolder } from "../../new-folder.ts";

/** Settings of Windows with an image, as written below `image:`. */
function windowsWith(image: string, version = "2022"): Settings["windows"] {
  const written = {
    cni: { kind: "kind-default" },
    windows: { version, image: parse(image) as unknown },
  };
  return resolveSettings(written, { stack: "dev", file: "Pulumi.dev.yaml" }).windows;
}

const sha256 = (file: string): string =>
  createHash("sha256").update(readFileSync(file)).digest("hex");

describe("media of an image", () => {
  const at = inNewFolder();
  const cache = new Cache(at("cache"));
  before(() => makeMedia(at()));

  const problemsOf = (windows: Settings["windows"]): Promise<string[]> =>
    mediaProblems(examineMedia(windows, cache), at());

  const iso = (rest: string): string => `{ kind: iso, path: ${at("windows.iso")}, ${rest} }`;
  const good = (): string =>
    iso(`drivers: { path: ${at("virtio.iso")} }, openSsh: { path: ${at("OpenSSH-Win64.zip")} }`);

  it("are looked at, each of them", async () => {
    const media = await examineMedia(windowsWith(good()), cache);
    assert.deepEqual(
      [media.windows.path, media.windows.image.index, media.drivers.path, media.openSsh?.path],
      [at("windows.iso"), 1, at("virtio.iso"), at("OpenSSH-Win64.zip")],
    );
    assert.deepEqual(Object.keys(media.drivers.files.drivers), driverNames);
    assert.deepEqual(
      media.drivers.files.drivers["NetKVM"]?.map((file) => file.path).sort(),
      ["cat", "inf", "sys"].map((end) => `NetKVM/2k22/amd64/netkvm.${end}`),
      "symbols and other Windows' drivers stay behind",
    );
  });

  it("of Windows Server 2025 have OpenSSH too, for an edition without its own", async () => {
    await makeWindowsIso(at("2025.iso"), [{ build: 26100, revision: 1742 }]);
    await makeIso(at("virtio-2025.iso"), virtioFiles("2k25"));
    const image = `{ kind: iso, path: ${at("2025.iso")}, drivers: { path: ${at("virtio-2025.iso")} }, openSsh: { path: ${at("OpenSSH-Win64.zip")} } }`;
    const { openSsh } = await examineMedia(windowsWith(image, "2025"), cache);
    assert.equal(openSsh?.path, at("OpenSSH-Win64.zip"));
  });

  it("that are missing are reported, with the update that such an ISO takes", async () => {
    const [problem = ""] = await problemsOf(
      windowsWith("{ kind: evaluation-iso, acceptLicence: true }"),
    );
    const message =
      /^The update KB5044281 has not been looked up yet; the pinned evaluation ISO had .* in May 2024 already, and a node needs 20348\.2762 .*kindows fetch/;
    assert.match(problem, message);
  });

  it("that are missing, and missing consent, are all reported at once", async () =>
    assert.deepEqual(await problemsOf(windowsWith("{ kind: evaluation-iso }")), [
      "The evaluation ISO is not used before you agree to its terms. Microsoft's terms for evaluations of Windows Server apply: 180 days, not for production, and activation over the internet within the first 10 days (otherwise it shuts down). They are shown with the download on https://www.microsoft.com/evalcenter and by Windows itself. When you have read them, write `acceptLicence: true` below kindows:windows.image.",
      `${virtioDrivers.uri} is not in this host's cache. Run \`./kindows fetch --stack <name>\`.`,
      `${openSshArchive.uri} is not in this host's cache. Run \`./kindows fetch --stack <name>\`.`,
    ]));

  it("that are old are taken with an update, which is looked at", async () => {
    await makeWindowsIso(at("old.iso"), [{ revision: 587 }]);
    const old = good().replace("windows.iso", "old.iso");
    const withUpdate = (name: string): Settings["windows"] =>
      windowsWith(old.replace(" }", ` }, update: { path: ${at(name)} }`));
    assert.match((await problemsOf(windowsWith(old)))[0] ?? "", /^old\.iso contains 20348\.587/);
    await makeUpdate(at("good.msu"));
    const { update, windows } = await examineMedia(withUpdate("good.msu"), cache);
    assert.deepEqual([update?.path, windows.image.revision], [at("good.msu"), 587]);

    await makeWim(at("wim.msu"), [{}]);
    await makeUpdate(at("unpacked.cab"), "update.mum");
    await makeUpdate(at("cut.msu"), "a.cab", randomBytes(50_000).toString("hex"));
    truncateSync(at("cut.msu"), 20_000);
    await writeFile(at("page.msu"), "<html>403 Forbidden</html>");
    const problems = [];
    for (const name of ["wim.msu", "unpacked.cab", "cut.msu", "page.msu", "gone.msu"]) {
      problems.push(...(await problemsOf(withUpdate(name))));
    }
    const another = "Write the path of an update (.msu) you may read, as it was downloaded.";
    const unpacked =
      "is not an update: it contains neither a cabinet nor a WIM. Write the path of an .msu file from Microsoft's Update Catalog, not of a file unpacked from one.";
    assert.deepEqual(
      problems.map((problem) => problem.replace(/7-Zip says .*?\. Write/, "7-Zip says so. Write")),
      [
        `wim.msu ${unpacked}`,
        `unpacked.cab ${unpacked}`,
        `cut.msu is damaged or truncated: 7-Zip says so. ${another}`,
        `page.msu is not an update (.msu). ${another}`,
        `gone.msu does not exist. ${another}`,
      ],
    );
  });

  it("that are something else are reported at once", async () => {
    await makeOpenSsh(at("not-ssh.zip"), ["ssh"]);
    await makeIso(at("old-virtio.iso"), virtioFiles("2k19"));
    const image = `{ kind: iso, path: ${at("virtio.iso")}, drivers: { path: ${at("old-virtio.iso")} }, openSsh: { path: ${at("not-ssh.zip")} } }`;
    assert.deepEqual(await problemsOf(windowsWith(image)), [
      "virtio.iso is not an ISO of Windows Setup: sources/install.wim and sources/boot.wim and bootmgr is not on it. Write the path of an ISO of Windows Server.",
      "old-virtio.iso is not a virtio-win ISO with drivers for Windows Server 2022: it lacks viostor/2k22/amd64, NetKVM/2k22/amd64, vioserial/2k22/amd64, Balloon/2k22/amd64, viorng/2k22/amd64. Write the path of virtio-win.iso, as the virtio-win project publishes it.",
      "not-ssh.zip is not OpenSSH for 64-bit Windows: it lacks OpenSSH-Win64/sshd.exe, OpenSSH-Win64/sftp-server.exe, OpenSSH-Win64/ssh-keygen.exe. Write the path of OpenSSH-Win64.zip, as PowerShell/Win32-OpenSSH publishes it.",
    ]);
  });

  it("with a driver that is not whole, or no guest tools, are refused", async () => {
    const left = ["viostor/2k22/amd64/viostor.cat", "guest-agent/qemu-ga-x86_64.msi"];
    const rest = Object.entries(virtioFiles("2k22")).filter(([name]) => !left.includes(name));
    await makeIso(at("part.iso"), Object.fromEntries(rest));
    const image = iso(
      `drivers: { path: ${at("part.iso")} }, openSsh: { path: ${at("virtio.iso")} }`,
    );
    assert.deepEqual(await problemsOf(windowsWith(image)), [
      "part.iso is not a virtio-win ISO with drivers for Windows Server 2022: it lacks viostor/2k22/amd64, guest-agent/qemu-ga-x86_64.msi. Write the path of virtio-win.iso, as the virtio-win project publishes it.",
      "virtio.iso is not a zip archive: 7-Zip detects Iso. Write the path of a zip archive you may read, as it was downloaded.",
    ]);
  });

  it("of an evaluation take no product key", async () => {
    const key = "productKey: VDYBN-27WPP-V4HQT-9VMD4-VMK7H";
    const image = good().replace("drivers:", `${key}, drivers:`);
    assert.deepEqual(await problemsOf(windowsWith(image)), [
      "kindows:windows.image.productKey is given, and the ISO is an evaluation, which takes none: Setup would find no image to install. Leave it out.",
    ]);
    await makeWindowsIso(at("volume.iso"), [{ editionId: "ServerStandard" }]);
    const volume = image.replace("windows.iso", "volume.iso");
    const media = await examineMedia(windowsWith(volume), cache);
    assert.equal(media.windows.image.editionId, "ServerStandard");
  });

  it("are compared with their checksums", async () => {
    const right = sha256(at("windows.iso"));
    const wrong = "0a".repeat(32);
    const drivers = `drivers: { path: ${at("virtio.iso")}, sha256: ${wrong} }, openSsh: { path: ${at("gone.zip")}, sha256: ${wrong} }`;
    assert.deepEqual(await problemsOf(windowsWith(iso(`sha256: ${right}, ${drivers}`))), [
      `virtio.iso has SHA-256 ${sha256(at("virtio.iso"))}, not ${wrong} as in the settings. Compare it with the publisher's checksum, and download the file again.`,
      "gone.zip does not exist. Write the path of a file you may read.",
    ]);
  });

  it("beside the ISO are the pinned ones where nobody names others", () => {
    const fetched = (version: string): readonly string[] =>
      downloadedMedia({ windows: windowsWith("{ kind: iso, path: /w.iso }", version) }).files.map(
        ({ uri }) => uri,
      );
    for (const version of ["2022", "2025"]) {
      assert.deepEqual(fetched(version), [virtioDrivers.uri, openSshArchive.uri]);
    }
  });

  /** What is fetched for an evaluation beside which the user has everything. */
  const fetched = (
    rest = "",
    version = "2022",
    acceptLicence = true,
  ): ReturnType<typeof downloadedMedia> => {
    const named = `acceptLicence: ${acceptLicence}, drivers: { path: /v.iso }, openSsh: { path: /s.zip }`;
    return downloadedMedia({
      windows: windowsWith(`{ kind: evaluation-iso, ${named}${rest} }`, version),
    });
  };
  const addresses = ({
    files,
  }: ReturnType<typeof downloadedMedia>): (readonly [string, string])[] =>
    files.map(({ uri, sha256: checksum }) => [uri, checksum]);
  const own = `, url: "https://example.com/w.iso", sha256: ${"0a".repeat(32)}`;

  it("of the pinned evaluation of 2022 are complete with an update, of others without", () => {
    assert.equal(fetched().problems.length, 1);
    assert.deepEqual(fetched(", update: { path: /u.msu }").problems, []);
    assert.deepEqual(fetched(own).problems, []);
    assert.deepEqual(fetched("", "2025").problems, []);
  });

  it("of an evaluation are the pinned ones, or the user's own", () => {
    for (const [version, { uri, sha256: checksum }] of Object.entries(evaluationIsos)) {
      assert.deepEqual(addresses(fetched("", version)), [[uri, checksum]]);
    }
    assert.deepEqual(addresses(fetched(own)), [["https://example.com/w.iso", "0a".repeat(32)]]);
    const without = fetched(own, "2022", false);
    assert.deepEqual(addresses(without), [], "the terms are not accepted");
    const disk = downloadedMedia({ windows: windowsWith("{ kind: disk, path: /w.qcow2 }") });
    assert.deepEqual(addresses(disk), []);
  });

  describe("from a site", () => {
    let server: HttpsServer;
    before(async () => (server = await HttpsServer.start()));
    after(() => server.stop());
    afterEach(() => rmSync(cache.root, { recursive: true, force: true }));

    const fromSite = (checksum: string): Settings["windows"] =>
      windowsWith(
        `{ kind: evaluation-iso, acceptLicence: true, url: "${server.url}/w.iso", sha256: ${checksum}, drivers: { path: ${at("virtio.iso")} }, openSsh: { path: ${at("OpenSSH-Win64.zip")} } }`,
      );
    const fetch = (windows: Settings["windows"]): ReturnType<typeof fetchPrograms> =>
      fetchPrograms(downloadedMedia({ windows }).files, {
        cache,
        progress: () => undefined,
        lockFile: at("software.lock.json"),
      });

    it("are fetched once, also when they are cut off on the way, and then looked at", async () => {
      const content = readFileSync(at("windows.iso"));
      const windows = fromSite(sha256(at("windows.iso")));
      assert.deepEqual(await problemsOf(windows), [
        `${server.url}/w.iso is not in this host's cache. Run \`./kindows fetch --stack <name>\`.`,
      ]);
      server.answer = (request, response) => {
        const answer =
          request.headers.range === undefined ? cutAfter(100_000, content) : serve(content);
        answer(request, response);
      };
      const states = (await fetch(windows)).map(({ state }) => state);
      assert.deepEqual(states, ["fetched"]);
      const ranges = server.asked.map(({ range }) => range);
      assert.deepEqual(ranges, [undefined, "bytes=100000-"]);
      assert.equal((await examineMedia(windows, cache)).windows.image.name, "SERVERSTANDARDCORE");
    });

    it("are kept aside when they are not what was pinned", async () => {
      server.answer = serve(Buffer.from("<html>log in first</html>"));
      const [state] = await fetch(fromSite("0a".repeat(32)));
      assert.equal(state?.state, "missing");
      assert.match(state.problem ?? "", /not the pinned 0a0a[^:]*: not used, but kept as .*wrong/);
      assert.match(
        (await problemsOf(fromSite("0a".repeat(32))))[0] ?? "",
        /is not in this host's cache/,
      );
    });
  });
});
