import { closest } from "fastest-levenshtein";
import * as z from "zod";
import { parseRange } from "../ipv4.ts";
import { type Check, type Complaint, repeated, unless } from "../problem.ts";
import { rehearsalVersions, windowsVersions } from "../supported.ts";
import { containerd, containerdVersions } from "../../host/versions.ts";
import { ianaTimeZone, windowsTimeZone } from "../time-zones.ts";
import { dnsDomain } from "../values/dns-name.ts";
import { ipv4 } from "../values/ip-address.ts";
import { machineSize } from "../values/machine-size.ts";
import { ofForm, text } from "../values/value.ts";
import { adminUser } from "../values/windows-account.ts";
import { oneOfVersions } from "../values/version.ts";
import { imageReference } from "./cluster.ts";
import { image, imageChecks } from "./windows-image.ts";
import { imageSource } from "../image-sources.ts";

const windowsVersion = ofForm(
  new RegExp(`^(${windowsVersions.join("|")})$`),
  `is not a supported Windows Server version (supported: ${windowsVersions.join(", ")})`,
  `Write "${windowsVersions[0]}".`,
);

const proxy = z.strictObject({
  http: text(proxyAddress)
    .optional()
    .meta({ description: "Proxy for http, as `http://HOST:PORT` without a login." }),
  https: text(proxyAddress).optional().meta({
    description:
      "Proxy for https, as `http://HOST:PORT` without a login. Images are pulled through it.",
  }),
  noProxy: z.array(text(noProxyEntry)).default([]).meta({
    description:
      "Destinations to reach without the proxy. The lab's segment, pods, services, the cluster's names and `localhost` are always added.",
  }),
});

export const windows = z.strictObject({
  version: text(windowsVersion).default("2022").meta({ description: "Windows Server version." }),
  image: image.prefault({ kind: "evaluation-iso" }).meta({
    description: "Source of the machines' disk.",
    default: '`{"kind":"evaluation-iso"}`',
  }),
  cpus: machineSize.cpus.default(2),
  memoryMiB: machineSize.memoryMiB.default(4096),
  diskGiB: machineSize.diskGiB.default(60),
  containerdVersion: text(oneOfVersions("containerd", containerdVersions))
    .optional()
    .meta({
      description: "containerd version on the Windows nodes, without a leading `v`.",
      default: `${containerd.default}; ${rehearsalVersions.containerd} in a rehearsal`,
    }),
  adminUser: text(adminUser).default("Administrator").meta({
    description:
      "Account for setting up the nodes over SSH. An image built from an ISO has only `Administrator`.",
  }),
  timeZone: text(timeZone).default("UTC").meta({
    description:
      "Time zone of the nodes by its IANA name, e.g. `Europe/Berlin`. After a change, running programs keep the old one until they restart.",
  }),
  registryMirrors: z
    .record(text(registryName), z.array(text(mirrorAddress)))
    .default({})
    .meta({
      description:
        "Mirrors by registry, e.g. `docker.io: [https://mirror.example.com]`. They are tried in this order, then the registry itself. containerd asks them below `/v2`, unless the address contains it, e.g. `https://harbor.example.com/v2/PROJECT`.",
    }),
  proxy: proxy
    .prefault({})
    .meta({ description: "HTTP proxy of the nodes, their containerd and their kubelet." }),
  dnsServers: z.array(text(dnsServer)).max(3).default([]).meta({
    description:
      "DNS servers of the machines for all names, at most three, in order of preference. They replace those of the network adapters; if the list is empty, nothing changes. Pods with `dnsPolicy: Default` still get the adapters' servers.",
  }),
  kubeProxyImage: text(kubeProxyImage).optional().meta({
    description:
      "Image of kube-proxy for Windows: a HostProcess image that contains `kube-proxy\\kube-proxy.exe`. kindows starts the program with its own script and ignores any script in the image.",
    default: "`sigwindowstools/kube-proxy` of exactly `kubernetesVersion`",
  }),
  kubeProxyPullSecrets: z.array(text(dnsDomain)).default([]).meta({
    description:
      "Names of Secrets in the namespace `kube-system` (`kubectl create secret docker-registry`) with which that image is pulled, if its registry asks for a login.",
  }),
  defenderExclusions: z.boolean().default(true).meta({
    description:
      "Whether Microsoft Defender ignores containerd, kubelet and their folders. If it scans them, images take minutes longer to unpack.",
  }),
  automaticUpdates: z.boolean().default(false).meta({
    description:
      "Whether Windows may update and reboot the nodes by itself, even while pods run on them and to a build that you did not choose.",
  }),
});

export const existingWindows = windows.omit({
  version: true,
  image: true,
  cpus: true,
  memoryMiB: true,
  diskGiB: true,
  adminUser: true,
  timeZone: true,
});

type Windows = z.output<typeof windows>;

interface WindowsSection {
  readonly windows: Windows & { readonly containerdVersion: string };
}

interface ImageVersionsSection extends WindowsSection {
  readonly cluster: { readonly kubernetesVersion: string };
  readonly nodes: readonly { readonly os: string; readonly ssh?: unknown }[];
}

/** Fills in the containerd version that follows from the image unless it is written. */
export function withContainerd<Written extends Windows>(
  written: Written,
): Written & { readonly containerdVersion: string } {
  const fallback =
    imageSource({ windows: written }).versions?.containerdVersion ?? containerd.default;
  return { ...written, containerdVersion: written.containerdVersion ?? fallback };
}

/** Settings of Windows machines in a lab or, with fewer settings, of existing machines. */
export type AnyWindows = z.output<typeof existingWindows> & Partial<Windows>;

interface ExistingWindowsSection {
  readonly windows: z.output<typeof existingWindows>;
}

/** Checks that an image has a digest or a tag other than `latest`, so that all nodes run the same one. */
function kubeProxyImage(value: string): Complaint | undefined {
  if (!imageReference.test(value)) {
    return {
      why: "is not an image reference",
      instead:
        "Write NAME:TAG or NAME@sha256:DIGEST, e.g. registry.example.com/kube-proxy:v1.36.4.",
    };
  }
  const tag = /:([^/@:]+)(@|$)/.exec(value)?.[1];
  return value.includes("@sha256:") || (tag !== undefined && tag !== "latest")
    ? undefined
    : {
        why: "has no fixed tag, so nodes would run whatever is the latest when they pull it",
        instead: `Write ${value.replace(/:latest$/, "")}:TAG with the tag of the cluster's Kubernetes version.`,
      };
}

function proxyAddress(value: string): Complaint | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    return {
      why: "is not the address of an HTTP proxy",
      instead:
        "Write http://HOST:PORT, e.g. http://proxy.example.com:3128; for SOCKS the address of a forwarder (docs/existing.md#a-proxy-with-a-login).",
    };
  }
  const plain = `${url.protocol}//${url.host}`;
  if (url.username !== "" || url.password !== "") {
    return {
      why: "contains a login, which would be stored in the registry of Windows, where every user can read it",
      instead: `Write ${plain}, and let the proxy identify the nodes by their addresses, or write the address of a forwarder that logs in for them (docs/existing.md#a-proxy-with-a-login).`,
    };
  }
  return value === plain || value === `${plain}/`
    ? undefined
    : {
        why: "is more than a proxy's address",
        instead: url.pathname.endsWith(".pac")
          ? "Write the address of the proxy that this file chooses, http://HOST:PORT."
          : `Write ${plain}.`,
      };
}

function noProxyEntry(value: string): Complaint | undefined {
  if (/^\*\./.test(value)) {
    return {
      why: "has a wildcard, which Go programs do not support",
      instead: `Write ${value.slice(1)}.`,
    };
  }
  const parts = value.split(",").map((part) => part.trim());
  if (parts.length > 1) {
    return { why: "is several in one", instead: `Write them as items: [${parts.join(", ")}].` };
  }
  if (/^https?:/.test(value) && URL.canParse(value)) {
    return { why: "is an address of the web", instead: `Write ${new URL(value).host}.` };
  }
  const name = /^\.?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$/;
  return name.test(value) || parseRange(value) !== undefined
    ? undefined
    : {
        why: "is not a host, a domain or a range of addresses",
        instead: "Write e.g. registry.example.com, .example.com, 10.1.2.3 or 10.0.0.0/8.",
      };
}

const registryHost = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$/;

function registryName(value: string): Complaint | undefined {
  if (value === "registry-1.docker.io" || value === "index.docker.io") {
    return {
      why: "is the server of docker.io's images, not part of their names",
      instead: "Write docker.io.",
    };
  }
  return registryHost.test(value)
    ? undefined
    : {
        why: "is not the name of a registry",
        instead: "Write what its images' names start with, e.g. docker.io or example.com:5000.",
      };
}

function mirrorAddress(value: string): Complaint | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[\s\\",;=\0-\x1f]/.test(value)) {
    return {
      why: "is not an address containerd can pull from",
      instead: "Write https://HOST[:PORT][/PATH], e.g. https://mirror.example.com.",
    };
  }
  if (url.username !== "" || url.password !== "") {
    return {
      why: "contains a login, which would be stored in a file that every user of the node can read",
      instead: `Write https://${url.host}, and let the mirror identify the nodes by their addresses.`,
    };
  }
  if (url.protocol === "http:") {
    return {
      why: "is not encrypted, so anyone on the network could replace the images",
      instead: `Give the mirror a certificate and write https://${url.host}.`,
    };
  }
  return undefined;
}

/** Checks that a value is the IANA name of a time zone that Windows has too. */
function timeZone(value: string): Complaint | undefined {
  if (windowsTimeZone(value) !== undefined) return undefined;
  const known = Intl.supportedValuesOf("timeZone");
  if (known.includes(value)) {
    return {
      why: "is a time zone that Windows does not have",
      instead: "Write the time zone of another place, e.g. Europe/Berlin.",
    };
  }
  const meant = ianaTimeZone(value);
  return {
    why: meant === undefined ? "is not a time zone" : "is the Windows name of a time zone",
    instead: `Write its name in IANA's database, like ${meant ?? closest(value, known)}.`,
  };
}

const serverAddress = ipv4(
  "Write the address of a DNS server as four numbers up to 255, e.g. 1.1.1.1, without a port.",
);

/** Checks that a value can be the IPv4 address of a machine's DNS server. */
function dnsServer(value: string): Complaint | undefined {
  const malformed = serverAddress(value);
  if (malformed !== undefined) return malformed;
  const first = Number(value.split(".")[0]);
  const instead = "Write the address of a DNS server that the machines can reach.";
  if (first === 127) return { why: "is the machine itself, which has no DNS server", instead };
  return first === 0 || first >= 224
    ? { why: "is not the address of a single host", instead }
    : undefined;
}

const imageVersions: Check<ImageVersionsSection> = {
  reads: [
    "windows.version",
    "windows.containerdVersion",
    "windows.image.kind",
    "cluster.kubernetesVersion",
  ],
  run: ({ windows, cluster, nodes }) => {
    const { versions, title } = imageSource({ windows });
    if (versions === undefined) return [];
    const isUsed = nodes.some(({ os, ssh }) => os === "windows" && ssh === undefined);
    const wanted = [
      [["windows", "version"], windows.version, versions.version],
      [["windows", "containerdVersion"], windows.containerdVersion, versions.containerdVersion],
      ...(isUsed
        ? [
            [
              ...[["cluster", "kubernetesVersion"], cluster.kubernetesVersion],
              versions.kubernetesVersion,
            ] as const,
          ]
        : []),
    ] as const;
    return wanted.flatMap(([path, value, carried]) =>
      unless(value === carried, {
        path,
        why: `is not the version in the ${title} image`,
        instead: `Write "${carried}", or leave it out.`,
      }),
    );
  },
};

/** The image must have the account: one that kindows builds has only Administrator, a prepared disk may have any. */
const imageAccount: Check<WindowsSection> = {
  reads: ["windows.adminUser", "windows.image", "windows.image.kind"],
  run: ({ windows: { image, adminUser } }) =>
    unless(
      // Windows ignores case.
      imageSource({ windows: { image } }).anyAccount || /^administrator$/i.test(adminUser),
      {
        path: ["windows", "adminUser"],
        why: "is not an account of an image built from an ISO, which has only Administrator",
        instead:
          'Write "Administrator", or leave it out; for another account use a disk that has it (kind: disk).',
      },
    ),
};

const proxySet: Check<ExistingWindowsSection> = {
  reads: ["windows.proxy"],
  run: ({ windows }) => {
    const { http, https, noProxy } = windows.proxy;
    return unless(noProxy.length === 0 || http !== undefined || https !== undefined, {
      path: ["windows", "proxy", "noProxy"],
      why: "lists exceptions, but there is no proxy",
      instead: "Add kindows:windows.proxy.https, or leave it out.",
    });
  },
};

const dnsServersOnce: Check<ExistingWindowsSection> = {
  reads: ["windows.dnsServers"],
  run: ({ windows: { dnsServers } }) =>
    repeated(dnsServers, (server) => server).map(({ index }) => ({
      path: ["windows", "dnsServers", index],
      why: "is listed twice",
      instead: "Remove one of them.",
    })),
};

export const existingWindowsChecks: readonly Check<ExistingWindowsSection>[] = [
  proxySet,
  dnsServersOnce,
];

export const windowsChecks: readonly Check<ImageVersionsSection>[] = [
  imageVersions,
  ...imageChecks,
  imageAccount,
  ...existingWindowsChecks,
];
