import assert from "node:assert/strict";
import type { Host } from "../../../../cli/lab/host.ts";
import { wakeLab } from "../../../../cli/recovery/wake.ts";

const dnsmasq =
  "/usr/sbin/dnsmasq --conf-file=/var/lib/libvirt/dnsmasq/kindows-x.conf --leasefile-ro";

/** A host whose programs answer what is recorded for their first words, and nothing otherwise. */
function recordedHost(
  answers: Readonly<Record<string, string>>,
  libvirtUri = "qemu:///system",
): { readonly host: Host; readonly asked: string[] } {
  const asked: string[] = [];
  const run: Host["run"] = (program, args) => {
    const line = [program, ...args].join(" ").replace(`-q -c ${libvirtUri} `, "");
    asked.push(line);
    return Promise.resolve(answers[line] ?? "");
  };
  return { host: { libvirtUri, run }, asked };
}

async function wake(
  answers: Readonly<Record<string, string>>,
  extent: "built-on" | "deleted-with" = "built-on",
  uri?: string,
): Promise<{ readonly said: string[]; readonly asked: string[] }> {
  const { host, asked } = recordedHost(answers, uri);
  const said: string[] = [];
  await wakeLab("kindows-x", host, extent, (line) => said.push(line));
  return { said, asked };
}

describe("waking a lab", () => {
  it("starts nothing where nothing stands still", async () => {
    const { said } = await wake({
      "virsh net-list --name": "kindows-x",
      "ps -e -o args=": `/sbin/init\n${dnsmasq}`,
    });
    assert.deepEqual(said, []);
  });

  it("starts pool, network and containers, each of this lab only", async () => {
    const { said } = await wake({
      "virsh pool-list --inactive --name": "kindows-x\nkindows-y",
      "virsh net-list --inactive --name": "default\nkindows-x",
      "docker ps --all --filter status=exited --format {{.Names}} --filter label=io.x-k8s.kind.cluster=kindows-x":
        "kindows-x-control-plane",
    });
    assert.deepEqual(said, [
      "started libvirt pool kindows-x",
      "started libvirt network kindows-x",
      "started docker container kindows-x-control-plane",
    ]);
  });

  it("brings back the dnsmasq of a network that runs without one", async () => {
    const { said, asked } = await wake({
      "virsh net-list --name": "default\nkindows-x",
      "ps -e -o args=": dnsmasq.replace("kindows-x", "kindows-xx"),
    });
    assert.deepEqual(said, ["started dnsmasq of the libvirt network kindows-x"]);
    assert.deepEqual(
      asked.filter((line) => line.includes("net-update")).map((line) => line.split(" ")[4]),
      ["add-last", "delete"],
    );
  });

  it("looks for no dnsmasq on another host", async () => {
    const { said } = await wake(
      { "virsh net-list --name": "kindows-x" },
      "built-on",
      "qemu+ssh://root@other/system",
    );
    assert.deepEqual(said, []);
  });

  it("needs no more than the pool to remove a lab", async () => {
    const { said } = await wake(
      {
        "virsh pool-list --inactive --name": "kindows-x",
        "virsh net-list --inactive --name": "kindows-x",
      },
      "deleted-with",
    );
    assert.deepEqual(said, ["started libvirt pool kindows-x"]);
  });
});
