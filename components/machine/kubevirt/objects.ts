import { createHash } from "node:crypto";
import { type KubeVirtNode, type KubeVirtSettings, usualSize } from "./settings.ts";

export const kubevirtApi = "kubevirt.io/v1";
export const importerApi = "cdi.kubevirt.io/v1beta1";

/** What the objects of a stack have in common. */
export interface Lab {
  /** Prefix of all names, `kindows-<stack>`. Several stacks can have the same. It is also the value of a label. */
  readonly prefix: string;
  /** The stack's random id, in a label of its own. Undefined before the stack has been up, and for the CLI. */
  readonly id: string | undefined;
  readonly machine: KubeVirtSettings;
}

export function labOf(machine: KubeVirtSettings, stack: string, id: string | undefined): Lab {
  const name = stack
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return { prefix: `kindows-${name}`.slice(0, 40), id, machine };
}

/** Label with the stack's random id, by which its objects are known from those of another stack of the same name. */
export const idLabel = "kindows.dev/lab-id";

export function labLabels({ prefix, id }: Pick<Lab, "prefix" | "id">): Record<string, string> {
  const named = { "app.kubernetes.io/managed-by": "kindows", "kindows.dev/lab": prefix };
  return id === undefined ? named : { ...named, [idLabel]: id };
}

export function labSelector(lab: Pick<Lab, "prefix" | "id">): { readonly labelSelector: string } {
  const labels = Object.entries(labLabels(lab)).map(([key, value]) => `${key}=${value}`);
  return { labelSelector: labels.join(",") };
}

export function machineName({ prefix }: Pick<Lab, "prefix">, node: string): string {
  return `${prefix}-${node}`;
}

/** Name of the machine's network interface, whose address is that of the node. */
export const interfaceName = "nodes";

interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

function metadata(lab: Lab, name: string): Metadata {
  return { name, namespace: lab.machine.namespace, labels: labLabels(lab) };
}

/** Storage of a DataVolume. CDI chooses access and volume mode by the storage class. */
function storage({ machine: { diskGiB, storageClass } }: Lab): object {
  return {
    resources: { requests: { storage: `${diskGiB}Gi` } },
    ...(storageClass !== undefined && { storageClassName: storageClass }),
  };
}

/**
 * The DataVolume from which machines are cloned; undefined if the settings name an existing claim or snapshot. Its name
 * contains a hash of the source, so a changed source makes a new image.
 */
export function goldenImage(
  lab: Lab,
): { readonly metadata: Metadata; readonly spec: object } | undefined {
  const { image } = lab.machine;
  switch (image.kind) {
    case "http":
      return imageFrom(lab, { http: { url: image.url, ...login(image) } });
    case "registry":
      return imageFrom(lab, { registry: { url: `docker://${image.reference}`, ...login(image) } });
    case "upload":
      return imageFrom(lab, { upload: {} }, image.sha256);
    case "pvc":
    case "snapshot":
      return undefined;
  }
}

function login({ secret }: { readonly secret?: string | undefined }): object {
  return secret === undefined ? {} : { secretRef: secret };
}

/** @param content is hashed into the name. */
function imageFrom(
  lab: Lab,
  source: object,
  content: unknown = source,
): ReturnType<typeof goldenImage> {
  const { diskGiB, storageClass } = lab.machine;
  const hash = createHash("sha256").update(JSON.stringify([content, diskGiB, storageClass]));
  return {
    metadata: {
      ...metadata(lab, `${lab.prefix}-image-${hash.digest("hex").slice(0, 8)}`),
      annotations: {
        // With WaitForFirstConsumer, the import would otherwise wait for a pod that uses the volume.
        "cdi.kubevirt.io/storage.bind.immediate.requested": "true",
        // Older releases remove the DataVolume once it is complete.
        "cdi.kubevirt.io/storage.deleteAfterCompletion": "false",
      },
    },
    spec: { source, storage: storage(lab) },
  };
}

function cloneSource(lab: Lab): object {
  const { image, namespace } = lab.machine;
  if (image.kind === "pvc" || image.kind === "snapshot") {
    return { [image.kind]: { name: image.name, namespace: image.namespace ?? namespace } };
  }
  return { pvc: { name: goldenImage(lab)?.metadata.name, namespace } };
}

/** Metadata of the Secret with a node's identity disc, which contains the SSH host key. */
export function identityMetadata(lab: Lab, node: string): Metadata {
  return metadata(lab, `${machineName(lab, node)}-identity`);
}

/**
 * All enlightenments that QEMU recommends for Windows (docs/system/i386/hyperv.rst), except `evmcs`, which is for
 * nested guests on Intel only. libvirt's machines have the same.
 */
const enlightenments = {
  relaxed: {},
  vapic: {},
  spinlocks: { spinlocks: 8191 },
  vpindex: {},
  runtime: {},
  synic: {},
  synictimer: { direct: {} },
  frequencies: {},
  tlbflush: {},
  ipi: {},
};

/** A node's VirtualMachine. Its disk is a clone that is created and removed with it. */
export function virtualMachine(
  lab: Lab,
  { name: node }: Pick<KubeVirtNode, "name">,
  mac: string,
): { readonly metadata: Metadata; readonly spec: object } {
  const { machine } = lab;
  const { cpus = usualSize.cpus, memoryMiB = usualSize.memoryMiB } = machine;
  const { instanceType, network, secureBoot } = machine;
  const name = machineName(lab, node);
  const labels = { ...labLabels(lab), "kindows.dev/node": node };
  const isSized = instanceType === undefined;
  return {
    metadata: { ...metadata(lab, name), labels },
    spec: {
      runStrategy: "Always",
      ...(!isSized && {
        instancetype: { kind: "VirtualMachineClusterInstancetype", name: instanceType },
      }),
      dataVolumeTemplates: [
        {
          metadata: { name, labels },
          spec: { source: cloneSource(lab), storage: storage(lab) },
        },
      ],
      template: {
        metadata: { labels },
        spec: {
          hostname: node,
          evictionStrategy: machine.evictionStrategy,
          // Windows shuts down slowly.
          terminationGracePeriodSeconds: 300,
          nodeSelector: machine.nodeSelector,
          tolerations: machine.tolerations,
          affinity: apart(lab),
          domain: {
            ...(isSized && {
              cpu: { sockets: 1, cores: cpus, threads: 1 },
              memory: { guest: `${memoryMiB}Mi` },
            }),
            machine: { type: "q35" },
            firmware: {
              bootloader: machine.firmware === "uefi" ? { efi: { secureBoot } } : { bios: {} },
            },
            // Windows treats the hardware clock as local time.
            clock: {
              timezone: machine.timeZone,
              timer: {
                rtc: { tickPolicy: "catchup" },
                pit: { tickPolicy: "delay" },
                hpet: { present: false },
                hyperv: {},
              },
            },
            features: {
              acpi: {},
              apic: {},
              hyperv: enlightenments,
              ...(secureBoot && { smm: { enabled: true } }),
            },
            devices: {
              disks: [
                { name: "system", disk: { bus: "virtio" }, bootOrder: 1 },
                // Windows has its own driver for SATA.
                { name: "identity", cdrom: { bus: "sata" } },
              ],
              interfaces: [{ name: interfaceName, model: "virtio", macAddress: mac, bridge: {} }],
              inputs: [{ name: "pointer", type: "tablet", bus: "usb" }],
            },
          },
          networks: [
            network.multus === undefined
              ? { name: interfaceName, pod: {} }
              : { name: interfaceName, multus: { networkName: network.multus } },
          ],
          volumes: [
            { name: "system", dataVolume: { name } },
            {
              name: "identity",
              cloudInitNoCloud: { secretRef: { name: identityMetadata(lab, node).name } },
            },
          ],
        },
      },
    },
  };
}

/** Affinity that spreads the lab's machines over hosts, so that one host's failure affects fewer of them. */
function apart(lab: Lab): object {
  const term = {
    labelSelector: { matchLabels: labLabels(lab) },
    topologyKey: "kubernetes.io/hostname",
  };
  return {
    podAntiAffinity:
      lab.machine.spread === "required"
        ? { requiredDuringSchedulingIgnoredDuringExecution: [term] }
        : {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 100, podAffinityTerm: term },
            ],
          },
  };
}

/** Fields of a VirtualMachine whose change replaces it. Other changes take effect at its next start. */
export const replacing = [
  "spec.dataVolumeTemplates",
  "spec.template.spec.domain.firmware",
  "spec.template.spec.domain.devices",
  "spec.template.spec.networks",
  "spec.template.spec.volumes",
];
