import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { execa } from "execa";
import { parse } from "yaml";
import { metaData, userData } from "../../../components/machine/identity.ts";
import { inNewFolder } from "../new-folder.ts";

const pem = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\nbnNz\n-----END OPENSSH PRIVATE KEY-----\n";

describe("identity disk", () => {
  const text = userData({
    computerName: "win-1",
    hostPrivateKey: pem,
    hostPublicKey: "ssh-ed25519 AAAA win-1",
    authorizedKeys: ["ssh-ed25519 BBBB one", 'ssh-ed25519 CCCC "two": #3'],
  });

  it("is a cloud-config that a reader of YAML, and of JSON below the first line, gets back", () => {
    const read = {
      hostname: "win-1",
      ssh_keys: { ed25519_private: pem, ed25519_public: "ssh-ed25519 AAAA win-1" },
      ssh_authorized_keys: ["ssh-ed25519 BBBB one", 'ssh-ed25519 CCCC "two": #3'],
    };
    assert.deepEqual(parse(text), read);
    assert.equal(text.split("\n")[0], "#cloud-config");
    assert.deepEqual(JSON.parse(text.replace("#cloud-config\n", "")), read);
  });

  it("lets root log in on a Linux machine, and says nothing of that elsewhere", () => {
    const identity = {
      computerName: "a",
      hostPrivateKey: pem,
      hostPublicKey: "",
      authorizedKeys: [],
    };
    const said = (asRoot?: boolean): unknown =>
      (
        parse(userData({ ...identity, ...(asRoot !== undefined && { asRoot }) })) as Record<
          string,
          unknown
        >
      )["disable_root"];
    assert.deepEqual([said(true), said(false), said()], [false, undefined, undefined]);
  });

  it("has what the image's script reads, by the same names", () => {
    const script = readFileSync(
      new URL("../../../components/windows/image/scripts/lib/IdentityDisc.ps1", import.meta.url),
      "utf8",
    );
    const read = [...script.matchAll(/\$document\.([\w.]+)/g)].map(([, place = ""]) => place);
    assert.deepEqual(read.sort(), [
      "hostname",
      "ssh_authorized_keys",
      "ssh_keys.ed25519_private",
      "ssh_keys.ed25519_public",
    ]);
    const document: unknown = parse(text);
    for (const place of read) {
      const value = place
        .split(".")
        .reduce((below: unknown, name) => (below as Record<string, unknown>)[name], document);
      assert.ok(value, place);
    }
    assert.ok(script.includes("'^#cloud-config\\r?\\n'"));
  });

  it("has on a disc the very name that Windows looks for", async () => {
    // As libvirt's provider 0.8.3 makes it (createISO in its cloudinit_def.go); Windows reads it through Joliet.
    const at = inNewFolder();
    const [file, iso] = [at("user-data"), at("identity.iso")];
    writeFileSync(file, text);
    await execa("mkisofs", ["-output", iso, "-volid", "cidata", "-joliet", "-rock", file]);
    const { stdout } = await execa("isoinfo", ["-J", "-i", iso, "-x", "/user-data"]);
    assert.equal(`${stdout}\n`, text);
    assert.match((await execa("isoinfo", ["-d", "-i", iso])).stdout, /^Volume id: cidata$/m);
  });

  it("names the instance in its meta-data", () => {
    assert.deepEqual(parse(metaData("kindows-a-win-1", "win-1")), {
      "instance-id": "kindows-a-win-1",
      "local-hostname": "win-1",
    });
  });
});
