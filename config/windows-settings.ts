import * as z from "zod";
import { image } from "./image-settings.ts";
import { defaultContainerdVersion, rehearsalVersions } from "./supported.ts";
import { adminUser } from "./values/admin-user.ts";
import { dnsServer } from "./values/dns-server.ts";
import { kubeProxyImage } from "./values/kube-proxy-image.ts";
import { noProxyEntry, proxyAddress } from "./values/proxy.ts";
import { mirrorAddress, registryName } from "./values/registry.ts";
import { sha256 } from "./values/sha256.ts";
import { containerdVersion, windowsVersion } from "./values/version.ts";
import { between, text } from "./values/value.ts";

/** Beyond these a number was meant in another unit: bytes, KiB; MiB for a disk, which boots from 2 TiB at most. */
const [largestMemoryMiB, largestDiskGiB] = [1024 * 1024, 2048];

/** Size of a machine, without defaults. */
export const machineSize = {
  cpus: between(1, 64).meta({
    description:
      "Virtual processors. Windows wants two; where they are emulated (`qemu`) one does the same work with a third less of the host's.",
    unit: "processors",
  }),
  memoryMiB: between(1024, largestMemoryMiB).meta({
    description: "Memory; Windows needs 2048 at least.",
    unit: "MiB",
  }),
  diskGiB: between(4, largestDiskGiB).meta({
    description: "Disk; Windows needs 32 at least. Takes up only what is written.",
    unit: "GiB",
  }),
};

const proxy = z.strictObject({
  http: text(proxyAddress)
    .optional()
    .meta({ description: "Proxy for http, `http://HOST:PORT`; no login in it." }),
  https: text(proxyAddress)
    .optional()
    .meta({ description: "Proxy for https, which images are pulled over; no login in it." }),
  noProxy: z.array(text(noProxyEntry)).default([]).meta({
    description:
      "What is reached without it besides the lab itself: the segment, pods, services, the cluster's names and `localhost` are always added.",
  }),
});

const checksum = (file: string): z.ZodOptional<z.ZodString> =>
  text(sha256)
    .optional()
    .meta({
      description: `SHA-256 of ${file}, in lower case.`,
      default: "what `software.lock.json` has for its version",
    });

const checksums = z.strictObject({
  containerd: checksum("`containerd-VERSION-windows-amd64.tar.gz`"),
  kubelet: checksum("`kubelet.exe`"),
  kubeadm: checksum("`kubeadm.exe`"),
  kubeLogRunner: checksum("`kube-log-runner.exe`"),
  crictl: checksum("`crictl-vVERSION-windows-amd64.tar.gz`"),
  flannel: checksum("`flannel-vVERSION-windows-amd64.tar.gz`, where `cni.kind` is `flannel`"),
  flannelPlugin: checksum(
    "`cni-plugin-flannel-windows-amd64-vVERSION.tgz`, where `cni.kind` is `flannel`",
  ),
  cniPlugins: checksum("`cni-plugins-windows-amd64-vVERSION.tgz`, where `cni.kind` is `flannel`"),
});

/** What all Windows machines have in common. */
export const windows = z.strictObject({
  version: text(windowsVersion).default("2022").meta({ description: "Windows Server version." }),
  image: image.prefault({ kind: "evaluation-iso" }).meta({
    description: "Where the machines' disk comes from.",
    default: '`{"kind":"evaluation-iso"}`',
  }),
  cpus: machineSize.cpus.default(2),
  memoryMiB: machineSize.memoryMiB.default(4096),
  diskGiB: machineSize.diskGiB.default(60),
  containerdVersion: text(containerdVersion)
    .optional()
    .meta({
      description: "containerd on the Windows nodes, without a leading `v`.",
      default: `${defaultContainerdVersion}; ${rehearsalVersions.containerd} in a rehearsal`,
    }),
  checksums: checksums.prefault({}).meta({
    description:
      "Checksums of what is installed on the nodes; without any, `./kindows fetch` takes those of the publishers.",
  }),
  adminUser: text(adminUser).default("Administrator").meta({
    description:
      "Account the nodes are set up with over SSH; an image made from an ISO has no other.",
  }),
  registryMirrors: z
    .record(text(registryName), z.array(text(mirrorAddress)))
    .default({})
    .meta({
      description:
        "Mirrors by registry, e.g. `docker.io: [https://mirror.example.com]`; asked in their order, then the registry itself.",
    }),
  proxy: proxy
    .prefault({})
    .meta({ description: "HTTP proxy of the nodes, their containerd and their kubelet." }),
  dnsServers: z.array(text(dnsServer)).max(3).default([]).meta({
    description:
      "DNS servers the machines ask for all names, in their order, at most three; those of their adapters are asked no more. Empty: nothing is changed. Pods with `dnsPolicy: Default` still get the adapters'.",
  }),
  kubeProxyImage: text(kubeProxyImage).optional().meta({
    description:
      "Image of kube-proxy for Windows, a HostProcess image with `kube-proxy\\kube-proxy.exe` in it. It is started by this program's own script, whatever script it carries.",
    default: "`sigwindowstools/kube-proxy` of exactly `kubernetesVersion`",
  }),
  defenderExclusions: z.boolean().default(true).meta({
    description:
      "Whether Microsoft Defender leaves containerd, kubelet and their folders alone; scanned, images take minutes longer to unpack.",
  }),
  automaticUpdates: z.boolean().default(false).meta({
    description:
      "Whether Windows may update the nodes, and reboot them, by itself: with pods on them, to a build nobody has chosen.",
  }),
});
