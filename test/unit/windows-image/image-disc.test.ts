import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import ssh2 from "ssh2";
import { bakedSteps, type Bake } from "../../../components/windows/image/bake.ts";
import { enableContainersFeature } from "../../../components/windows/steps.ts";
import { sshdConfig } from "../../../components/windows/image/config-disc-content.ts";
import { extractFiles, listDisc } from "../../../components/windows/image/disc.ts";
import { examineMedia } from "../../../components/windows/image/examine-media.ts";
import { newImageSecrets, withImageDisc } from "../../../components/windows/image/image-disc.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { Cache } from "../../../toolchain/cache.ts";
import { makeMedia, makeUpdate } from "./real-media.ts";
import { settingsOf } from "./settings-of.ts";
import { inNewFolder } from "../new-folder.ts";

describe("the CD an image is installed by", () => {
  const at = inNewFolder();
  const secrets = newImageSecrets();
  const sha256 = "ab".repeat(32);
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
    };
    await assert.rejects(
      withImageDisc(
        at("build"),
        windows,
        media,
        { ...bake, programs: [{ sha256, fileName: "kubeadm.exe", file: undefined }] },
        secrets,
        () => assert.fail("a disc was made"),
      ),
      /kubeadm\.exe is to be part of the image, and is not in this host's cache. Run `\.\/kindows fetch --stack <name>`/,
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

  it("has the answer file in its root, for the image that was chosen and with the password", async () => {
    const settings = await settingsOf(read("autounattend.xml"));
    const value = (end: string): string | undefined =>
      settings.find(({ path: name }) => name.endsWith(end))?.value;
    assert.equal(value("MetaData/Value"), "3");
    const password = Buffer.from(value("AdministratorPassword/Value") ?? "", "base64");
    assert.equal(
      password.toString("utf16le"),
      `${secrets.administratorPassword}AdministratorPassword`,
    );
  });

  it("has a whole driver in every folder that the answer file names, on whatever drive it is", async () => {
    const settings = await settingsOf(read("autounattend.xml"));
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
    assert.equal(read("kindows/media/virtio-win-guest-tools.exe"), "agent");
    assert.ok(read("kindows/media/openssh-win64.zip").startsWith("PK"));
    assert.ok(read("kindows/media/update.msu").startsWith("MSCF"));
    assert.match(read("kindows/sealed.xml"), /@ADMINISTRATOR-PASSWORD@/);
  });

  it("says which steps of its nodes run in the image, and has what they install", () => {
    const { steps } = JSON.parse(read("kindows/bake.json")) as { steps: unknown };
    const parameters = { RebootDelaySeconds: 2 };
    assert.deepEqual(steps, [{ step: enableContainersFeature.name, parameters }]);
    // Its folder's name is as long as Joliet lets one be.
    assert.equal(read(`kindows/programs/${sha256}/kubelet.exe`), "kubelet");
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
