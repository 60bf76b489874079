import assert from "node:assert/strict";
import { createDecipheriv, pbkdf2Sync } from "node:crypto";
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { existingSettings, stackSettings } from "../../../cli/stack-settings.ts";
import { imageMedia } from "../../../images/windows/media.ts";

function saltOf(stack: string): string {
  const text = readFileSync(new URL(`../../../Pulumi.${stack}.yaml`, import.meta.url), "utf8");
  return (parse(text) as { readonly encryptionsalt: string }).encryptionsalt;
}

/** Whether a passphrase is right (pulumi/pulumi pkg/secrets/passphrase/manager.go). */
function opened(salt: string, passphrase: string): string {
  const [version, saltText = "", innerVersion, nonce = "", message = ""] = salt.split(":");
  assert.deepEqual([version, innerVersion], ["v1", "v1"]);
  const key = pbkdf2Sync(passphrase, Buffer.from(saltText, "base64"), 1_000_000, 32, "sha256");
  const sealed = Buffer.from(message, "base64");
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64"));
  decipher.setAuthTag(sealed.subarray(-16));
  return decipher.update(sealed.subarray(0, -16), undefined, "utf8") + decipher.final("utf8");
}

describe("stack files", () => {
  // Their networks, machines and nodes are in docs/topology*.svg, which a test draws again.
  it("rehearsal needs no Windows, and dev is the real thing", async () => {
    const [rehearsal, dev] = [await stackSettings("rehearsal"), await stackSettings("dev")];
    assert.deepEqual(rehearsal.windows.image, { kind: "rehearsal", baked: true });
    assert.deepEqual([rehearsal.cni.kind, dev.cni.kind], ["kind-default", "calico"]);
    assert.equal(dev.windows.version, "2022");
  });

  it("dev-2025 lacks nothing but the user's consent: no update, no Calico", async () => {
    const { windows, cni } = await stackSettings("dev-2025");
    assert.deepEqual([windows.version, cni.kind], ["2025", "flannel"]);
    const { image } = windows;
    assert.ok(image.kind === "evaluation-iso" && !image.acceptLicence);
    assert.deepEqual(imageMedia({ ...image, acceptLicence: true }, "2025").problems, []);
  });

  it("existing is an example that could be, of machines that are nobody's", async () => {
    const settings = await existingSettings("existing");
    assert.deepEqual(
      settings?.nodes.map(({ name, login }) => [name, login.bastions.length]),
      [
        ["win-1", 0],
        ["win-2", 1],
      ],
    );
  });

  it("fleet is an example that could be: a node here, the others where memory is left", async () => {
    const { placement } = await stackSettings("fleet");
    assert.deepEqual(
      placement.map(({ node, hypervisor }) => [node, hypervisor]),
      [
        ["win-1", "local"],
        ["win-2", "rack-2"],
        ["win-3", "rack-2"],
        ["win-4", "rack-3"],
      ],
    );
  });

  for (const stack of ["rehearsal", "dev-2025", "dev", "existing", "fleet"]) {
    it(`${stack}'s salt opens with the empty passphrase, so that no command rewrites the file`, () =>
      assert.equal(opened(saltOf(stack), ""), "pulumi"));
  }
});
