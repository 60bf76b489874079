import assert from "node:assert/strict";
import { parse } from "yaml";
import { metaData, userData } from "../../../components/machine/identity.ts";

const pem = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\nbnNz\n-----END OPENSSH PRIVATE KEY-----\n";

describe("identity disk", () => {
  const text = userData({
    computerName: "win-1",
    hostPrivateKey: pem,
    hostPublicKey: "ssh-ed25519 AAAA win-1",
    authorizedKeys: ["ssh-ed25519 BBBB one", 'ssh-ed25519 CCCC "two": #3'],
  });

  it("is a cloud-config that a YAML reader gets everything back from", () => {
    assert.equal(text.split("\n")[0], "#cloud-config");
    assert.deepEqual(parse(text), {
      hostname: "win-1",
      ssh_keys: { ed25519_private: pem, ed25519_public: "ssh-ed25519 AAAA win-1" },
      ssh_authorized_keys: ["ssh-ed25519 BBBB one", 'ssh-ed25519 CCCC "two": #3'],
    });
  });

  it("names the instance in its meta-data", () => {
    assert.deepEqual(parse(metaData("kindows-a-win-1", "win-1")), {
      "instance-id": "kindows-a-win-1",
      "local-hostname": "win-1",
    });
  });
});
