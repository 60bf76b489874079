import assert from "node:assert/strict";
import {
  pinnedHostKey,
  providerUri,
  virshUri,
  type RemoteHypervisor,
} from "../../../components/machine/libvirt/hypervisor-connections.ts";

const hypervisor: RemoteHypervisor = {
  name: "b",
  uri: "qemu+ssh://root@b.example.test/system",
  hostKey: "ssh-ed25519 AAAAkey root@b",
  privateKeyFile: "/etc/kindows/id_ed25519",
};

describe("remote hypervisor", () => {
  it("pins the key by name alone on port 22, with the port otherwise; without the comment", () => {
    const lines = ["", ":22", ":2222"].map((port) =>
      pinnedHostKey({ ...hypervisor, uri: `qemu+ssh://root@b.example.test${port}/system` }),
    );
    assert.deepEqual(lines, [
      "b.example.test ssh-ed25519 AAAAkey\n",
      "b.example.test ssh-ed25519 AAAAkey\n",
      "[b.example.test]:2222 ssh-ed25519 AAAAkey\n",
    ]);
  });

  it("is given to the provider with its key and pin, and no agent", () =>
    assert.equal(
      providerUri(hypervisor, "/lab/pins"),
      "qemu+ssh://root@b.example.test/system?knownhosts=/lab/pins&keyfile=/etc/kindows/id_ed25519&sshauth=privkey",
    ));

  it("is given to virsh over libssh, which takes pins too", () =>
    assert.equal(
      virshUri(hypervisor, "/lab/pins"),
      "qemu+libssh://root@b.example.test/system?known_hosts_verify=normal&known_hosts=/lab/pins&keyfile=/etc/kindows/id_ed25519&sshauth=privkey",
    ));

  it("quotes what a path may have", () =>
    assert.match(providerUri(hypervisor, "/a b&c/pins"), /knownhosts=\/a%20b%26c\/pins&/));

  it("never lets a host key go unseen", () => {
    for (const uri of [providerUri(hypervisor, "/p"), virshUri(hypervisor, "/p")]) {
      assert.doesNotMatch(uri, /no_verify|=ignore|=auto/);
    }
  });
});
