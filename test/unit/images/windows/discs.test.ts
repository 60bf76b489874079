import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import path from "node:path";
import { execa } from "execa";
import { XMLValidator } from "fast-xml-parser";
import ssh2 from "ssh2";

import { answerFile, sealedAnswerFileText } from "../../../../images/windows/answer-file.ts";
import { type Bake, bakedSteps } from "../../../../images/windows/bake.ts";
import { discNameProblems, withConfigDisc } from "../../../../images/windows/config-disc.ts";
import { extractFiles, listDisc } from "../../../../images/windows/disc.ts";
import { driverNames } from "../../../../images/windows/drivers.ts";
import { examineMedia } from "../../../../images/windows/examine-media.ts";
import {
  newImageSecrets,
  sshdConfig,
  withImageDisc,
} from "../../../../images/windows/image-disc.ts";
import { enableContainersFeature } from "../../../../components/windows/steps.ts";
import { resolveSettings } from "../../../../config/resolve.ts";
import { below, readXml, type XmlElement } from "../../../../host/read-xml.ts";
import { Cache } from "../../../../toolchain/cache.ts";
import { assertGolden } from "../../controlplane/golden.ts";
import { eachCase } from "../../each-case.ts";
import { inNewFolder } from "../../new-folder.ts";
import { makeMedia, makeUpdate } from "./real-media.ts";

/** A setting as Windows Setup finds it. */
interface Setting {
  readonly pass: string;
  readonly component: string;
  /** Names of its elements, and of those around it. */
  readonly path: string;
  /** The same, each with its attributes in brackets. */
  readonly place: string;
  readonly value: string;
}

/** Attributes that each component must have besides its name. */
const everyComponent = {
  processorArchitecture: "amd64",
  publicKeyToken: "31bf3856ad364e35",
  language: "neutral",
  versionScope: "nonSxS",
};

/** All settings of an answer file, in its order; fails where it is not well-formed XML, or where a component is not as all are. */
function settingsOf(answerFile: string): Setting[] {
  assert.equal(XMLValidator.validate(answerFile), true);
  const all = below(readXml(answerFile), "unattend", "settings");
  return all.flatMap(({ attributes: { pass = "" }, elements }) =>
    elements.flatMap(({ attributes: { name = "", ...others }, elements: settings }) => {
      assert.deepEqual(others, everyComponent);
      const component = name.replace("Microsoft-Windows-", "");
      return settings
        .flatMap((each) => leavesOf(each))
        .map((each) => ({ pass, component, ...each }));
    }),
  );
}

function leavesOf(element: XmlElement, above = ""): Omit<Setting, "pass" | "component">[] {
  const { name, attributes, elements, text } = element;
  const written = Object.entries(attributes).map(([key, value]) => `[${key}=${value}]`);
  const place = `${above}${name}${written.join("")}`;
  return elements.length === 0
    ? [{ place, path: place.replaceAll(/\[[^\]]*\]/g, ""), value: text }]
    : elements.flatMap((each) => leavesOf(each, `${place}/`));
}

const folder = new URL("./", import.meta.url);
const page = readFileSync(
  new URL("../../../../docs/windows-answer-file.md", import.meta.url),
  "utf8",
);

const options = {
  imageIndex: 1,
  language: "en-US",
  firmware: "bios",
  productKey: undefined,
  administratorPassword: "vagrant",
} as const;

/** Microsoft's generic volume licence key of Windows Server 2022 Standard, which activates nothing by itself. */
const volumeKey = "VDYBN-27WPP-V4HQT-9VMD4-VMK7H";

const bios = answerFile(options);
const uefi = answerFile({
  ...options,
  imageIndex: 4,
  language: "de-DE",
  firmware: "uefi",
  productKey: volumeKey,
});
const sealed = sealedAnswerFileText("en-US", undefined);
const keyed = sealedAnswerFileText("en-US", volumeKey);

/** Settings on the page: pass, component, setting. */
function documented(): string[] {
  return [...page.matchAll(/^### (\w+): (\S+)\n\n((?:- .*\n)+)/gm)].flatMap(
    ([, pass, component, items = ""]) =>
      [...items.matchAll(/^- (.*?) = .+?\. .+\. Source: .+\.$|^.+$/gm)].flatMap(([item, names]) => {
        assert.ok(names !== undefined, `no value, reason and source: ${item}`);
        return names.split(", ").map((name) => `${pass} ${component} ${name.replaceAll("`", "")}`);
      }),
  );
}

describe("answer files", () => {
  const files = { bios, uefi, sealed };
  eachCase("are as reviewed, but for all drivers behind the first: %s", files, (text, name) => {
    const lines = settingsOf(text)
      .filter(({ place }) => !/wcm:keyValue=(?!1\])/.test(place))
      .map(({ pass, component, place, value }) => `${pass} ${component} ${place}=${value}\n`);
    assertGolden(folder, `${name}.txt`, lines.join(""));
    const head = /^<\?xml version="1\.0" encoding="utf-8"\?>\r\n<unattend xmlns="urn:schemas-micro/;
    assert.match(text, head);
  });

  it("give a machine the key that its image has lost", () => {
    const element = `<ProductKey>${volumeKey}</ProductKey>`;
    assert.ok(keyed.includes(element));
    assert.equal(keyed.replace(new RegExp(`\\s*${element}`), ""), sealed);
  });

  it("hold exactly the settings whose reason and source the page gives", () => {
    const found = new Set<string>();
    for (const text of [bios, uefi, sealed, keyed]) {
      for (const { pass, component, path } of settingsOf(text)) {
        found.add(`${pass} ${component} ${path}`);
      }
    }
    assert.deepEqual([...new Set(documented())].sort(), [...found].sort());
  });

  const settings = settingsOf(bios);

  it("name every driver under every letter its CD may have", () => {
    const paths = settings.filter(({ path }) => path === "DriverPaths/PathAndCredentials/Path");
    assert.equal(paths.length, 4 * driverNames.length);
    assert.equal(new Set(paths.map(({ value }) => value)).size, paths.length);
  });

  it("keep to Setup's limit of 1024 characters for a command", () => {
    const command = settings.find(({ path }) => path.endsWith("/CommandLine"))?.value ?? "";
    assert.ok(command.length > 0 && command.length < 1024, `${command.length}`);
    assert.doesNotMatch(command, /%/);
  });
});

describe("config disc", () => {
  const at = inNewFolder();
  before(() => writeFileSync(at("driver.sys"), "a driver"));

  const texts = {
    "Autounattend.xml": "<unattend/>",
    "kindows/ssh/ssh_host_ed25519_key": "secret",
    "kindows/empty": "",
  };
  const driver = "drivers/NetKVM/A driver with a long name, 2k22.sys";
  const withDisc = (work: (iso: string) => Promise<unknown>): Promise<unknown> =>
    withConfigDisc(at("work"), { texts, files: { [driver]: at("driver.sys") } }, work);

  it("has every file under its name, the answer file in its root, where Setup looks", async () => {
    await withDisc(async (iso) => {
      const disc = await listDisc(iso);
      assert.deepEqual(
        disc.files.map((file) => file.path).sort(),
        [...Object.keys(texts), driver].sort(),
      );
      await extractFiles(disc, disc.files, at("out"));
      assert.equal(readFileSync(at("out/Autounattend.xml"), "utf8"), "<unattend/>");
      assert.equal(readFileSync(at(`out/${driver}`), "utf8"), "a driver");
      const { stdout } = await execa("isoinfo", ["-d", "-i", iso]);
      assert.match(stdout, /Volume id: KINDOWS/);
      assert.match(stdout, /Joliet with UCS level 3 found/);
      // As a Windows sees it: through Joliet.
      const joliet = await execa("isoinfo", ["-J", "-f", "-i", iso]);
      assert.ok(joliet.stdout.split("\n").includes(`/${driver}`));
    });
  });

  it("is for its owner alone, holds no texts beside it, and is gone after", async () => {
    let where = "";
    await withDisc((iso) => {
      where = path.dirname(iso);
      assert.equal(statSync(iso).mode & 0o777, 0o600);
      assert.equal(statSync(where).mode & 0o777, 0o700);
      assert.deepEqual(readdirSync(where), ["config.iso"]);
      return Promise.resolve();
    });
    assert.equal(existsSync(where), false);
    await assert.rejects(
      withDisc((iso) => {
        where = path.dirname(iso);
        return Promise.reject(new Error("the build failed"));
      }),
      /the build failed/,
    );
    assert.equal(existsSync(where), false);
    assert.deepEqual(readdirSync(at("work")), []);
  });

  it("is not made of what could not be on it, or is not there", async () => {
    const work = (): Promise<never> => assert.fail("a disc was made");
    await assert.rejects(
      withConfigDisc(at("work"), { texts: { "a/x.xml": "", "A/X.XML": "" } }, work),
      /^Error: these files can't be on a disc:\n {2}- "A\/X\.XML" and "a\/x\.xml" are the same name to Windows$/,
    );
    await assert.rejects(
      withConfigDisc(at("work"), { texts: {}, files: { "a.sys": at("gone.sys") } }, work),
      /ENOENT/,
    );
    assert.deepEqual(readdirSync(at("work")), []);
  });

  const bad: readonly (readonly [string, number, RegExp])[] = [
    ["n".repeat(65), 1, /has 65 characters, more than 64/],
    [`${"f/".repeat(130)}x`, 1, /has 261 characters, more than 240/],
    ["1/2/3/4/5/6/7/8/9", 1, /is 9 names deep, more than 8/],
    ["large.wim", 4 * 1024 ** 3, /more than 4 GiB/],
    ["a//b", 1, /is not a valid name/],
    ["../b", 1, /is not a valid name/],
    ["a:b", 1, /has a character that is not allowed in names/],
    ["what?.txt", 1, /has a character that is not allowed in names/],
    ["blank ", 1, /ends with a space or a dot/],
    ["dot.", 1, /ends with a space or a dot/],
    ["drivers/aux.inf", 1, /is the name of a device in Windows/],
    ["COM1", 1, /is the name of a device in Windows/],
  ];
  it("can't have files whose names or sizes are not Windows' or Joliet's", () => {
    for (const [name, bytes, why] of bad) {
      assert.match(discNameProblems([{ path: name, bytes }]).join("\n"), why, name);
    }
  });
});

describe("the CD an image is installed by", () => {
  const at = inNewFolder();
  const secrets = newImageSecrets();
  const sha256 = "ab".repeat(32);
  const agentSha256 = createHash("sha256").update("agent").digest("hex");
  /** The disc's files as Windows sees them: by paths in lower case. */
  const files = new Map<string, string>();

  before(async () => {
    await makeMedia(at());
    await makeUpdate(at("windows10.0-kb5044281-x64.msu"));
    const image = {
      kind: "iso",
      path: at("windows.iso"),
      edition: "datacenter-core",
      drivers: { path: at("virtio.iso") },
      openSsh: { path: at("OpenSSH-Win64.zip") },
      update: { path: at("windows10.0-kb5044281-x64.msu") },
    };
    const { windows } = resolveSettings(
      { windows: { image } },
      { stack: "dev", file: "Pulumi.dev.yaml" },
    );
    const media = await examineMedia(windows, new Cache(at("cache")));
    writeFileSync(at("kubelet.exe"), "kubelet");
    const bake: Bake = {
      steps: [{ step: enableContainersFeature, parameters: { RebootDelaySeconds: 2 } }],
      images: [],
      programs: [{ sha256, fileName: "kubelet.exe", file: at("kubelet.exe") }],
      own: Object.fromEntries(
        [agentSha256, "agent.msi"].map((name) => [
          name,
          { path: at("agent.msi"), sha256: agentSha256 },
        ]),
      ),
    };
    writeFileSync(at("agent.msi"), "changed");
    await assert.rejects(
      withImageDisc(at("build"), windows, media, bake, secrets, () => assert.fail("it was made")),
      /agent\.msi has changed or gone while the image was built/,
    );
    writeFileSync(at("agent.msi"), "agent");
    await assert.rejects(
      withImageDisc(
        at("build"),
        windows,
        media,
        { ...bake, programs: [{ sha256, fileName: "kubeadm.exe", file: undefined }] },
        secrets,
        () => assert.fail("a disc was made"),
      ),
      /kubeadm\.exe must be part of the image, but is not in this host's cache. Run `\.\/kindows fetch --stack <name>`/,
    );
    await withImageDisc(at("build"), windows, media, bake, secrets, async (iso) => {
      const disc = await listDisc(iso);
      await extractFiles(disc, disc.files, at("read"));
      for (const { path: name } of disc.files) {
        files.set(name.toLowerCase(), readFileSync(at(`read/${name}`), "latin1"));
      }
    });
  });

  const read = (name: string): string => files.get(name) ?? assert.fail(`${name} is not on it`);

  it("has the answer file in its root, for the image that was chosen and with the password", () => {
    const settings = settingsOf(read("autounattend.xml"));
    const value = (end: string): string | undefined =>
      settings.find(({ path: name }) => name.endsWith(end))?.value;
    assert.equal(value("MetaData/Value"), "3");
    const password = Buffer.from(value("AdministratorPassword/Value") ?? "", "base64");
    assert.equal(
      password.toString("utf16le"),
      `${secrets.administratorPassword}AdministratorPassword`,
    );
  });

  it("has a whole driver in every folder that the answer file names, on whatever drive it is", () => {
    const settings = settingsOf(read("autounattend.xml"));
    const named = settings.filter(({ path: name }) => name.endsWith("PathAndCredentials/Path"));
    for (const { value } of named) {
      const driver = `${value.slice(3).replaceAll("\\", "/").toLowerCase()}/`;
      const endings = [...files.keys()]
        .filter((name) => name.startsWith(driver))
        .map((name) => path.extname(name));
      assert.deepEqual(endings.sort(), [".cat", ".inf", ".sys"], value);
    }
    assert.ok(named.length > 0);
  });

  it("has the script that the first logon starts, and every script that one needs", () => {
    const needed = [
      ...["Initialize-Image", "Confirm-ImageBuild", "Invoke-Bake", "Complete-Image"],
      ...bakedSteps.map((step) => step.name),
    ].map((name) => `kindows/${name.toLowerCase()}.ps1`);
    for (const name of needed) {
      for (const [, file = ""] of read(name).matchAll(/Join-Path \$PSScriptRoot '([^']+\.ps1)'/g)) {
        const target = path.posix.join(path.posix.dirname(name), file.replaceAll("\\", "/"));
        if (!needed.includes(target.toLowerCase())) needed.push(target.toLowerCase());
      }
    }
    assert.ok(needed.length > 10);
    needed.forEach(read);
  });

  it("has what is installed, and the answer file for later without a password", () => {
    assert.equal(read("kindows/media/qemu-ga-x86_64.msi"), "agent");
    assert.ok(read("kindows/media/openssh-win64.zip").startsWith("PK"));
    assert.ok(read("kindows/media/update.msu").startsWith("MSCF"));
    assert.match(read("kindows/sealed.xml"), /@ADMINISTRATOR-PASSWORD@/);
  });

  it("says which steps of its nodes run in the image, and has what they install", () => {
    const { steps } = JSON.parse(read("kindows/bake.json")) as { steps: unknown };
    const parameters = { RebootDelaySeconds: 2 };
    assert.deepEqual(steps, [{ step: enableContainersFeature.name, parameters, input: "" }]);
    // Its folder's name is as long as Joliet lets one be.
    assert.equal(read(`kindows/programs/${sha256}/kubelet.exe`), "kubelet");
    assert.equal(read("kindows/programs/agent.msi"), "agent");
    assert.equal(read(`kindows/programs/${agentSha256}`), "agent");
  });

  it("has the server's keys and settings", () => {
    const hostKey = ssh2.utils.parseKey(read("kindows/ssh/ssh_host_ed25519_key"));
    assert.ok(!(hostKey instanceof Error), "the host key is none");
    assert.ok(hostKey.isPrivateKey());
    const authorized = read("kindows/ssh/administrators_authorized_keys");
    assert.equal(authorized.trim(), secrets.loginKey.public.trim());
    assert.doesNotMatch(authorized, /PRIVATE/);
    assert.equal(read("kindows/ssh/sshd_config"), sshdConfig);
    assert.match(sshdConfig, /^PasswordAuthentication no\r$/m);
  });

  it("does not have the key that logs in, and leaves nothing behind", () => {
    // Both keys begin alike; the secret is in the middle.
    const middle = secrets.loginKey.private.split("\n").slice(3, 5);
    assert.ok(
      middle.every((line) => line.length === 64),
      "the key is laid out in another way",
    );
    for (const [name, content] of files) {
      middle.forEach((line) => assert.ok(!content.includes(line), name));
    }
    assert.deepEqual(readdirSync(at("build")), []);
  });

  it("has other secrets each time", () => {
    const other = newImageSecrets();
    assert.notEqual(other.administratorPassword, secrets.administratorPassword);
    assert.notEqual(other.hostKey.public, secrets.hostKey.public);
    assert.match(other.administratorPassword, /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])\S{36}$/);
  });
});
