/**
 * The parts of KubeVirt's, CDI's and Multus' definitions that kindows uses, from their API references: fields, types
 * and required fields. The API server refuses everything else.
 */
type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: "string" };
const number: Schema = { type: "integer" };
const flag: Schema = { type: "boolean" };
const nothing: Schema = { type: "object" };
const anything: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const texts: Schema = { type: "object", additionalProperties: text };
const list = (items: Schema): Schema => ({ type: "array", items });
const one = (...choices: readonly string[]): Schema => ({ type: "string", enum: choices });

/** An object; names that end in `!` are required. */
function fields(properties: Readonly<Record<string, Schema>>): Schema {
  const entries = Object.entries(properties);
  const required = entries.flatMap(([name]) => (name.endsWith("!") ? [name.slice(0, -1)] : []));
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, each]) => [name.replace("!", ""), each])),
    ...(required.length > 0 && { required }),
  };
}

const on = fields({ enabled: flag });

/** CDI's v1beta1 DataVolumeSpec: one source. */
const volumeSpec = fields({
  source: {
    ...fields({
      http: fields({ "url!": text, secretRef: text }),
      registry: fields({ url: text, secretRef: text }),
      pvc: fields({ "name!": text, "namespace!": text }),
      snapshot: fields({ "name!": text, "namespace!": text }),
      upload: nothing,
    }),
    minProperties: 1,
    maxProperties: 1,
  },
  storage: fields({
    resources: fields({ requests: texts }),
    storageClassName: text,
    accessModes: list(text),
  }),
});

const conditions = list(
  fields({ "type!": text, "status!": text, reason: text, message: text, lastTransitionTime: text }),
);

const hyperv = fields({
  ...Object.fromEntries(
    ["relaxed", "vapic", "vpindex", "runtime", "synic", "frequencies", "tlbflush", "ipi"].map(
      (name) => [name, on],
    ),
  ),
  spinlocks: fields({ enabled: flag, spinlocks: { ...number, minimum: 4096 } }),
  synictimer: fields({ enabled: flag, direct: on }),
});

const domain = fields({
  cpu: fields({ sockets: number, cores: number, threads: number }),
  memory: fields({ guest: text }),
  machine: fields({ type: text }),
  firmware: fields({ bootloader: fields({ efi: fields({ secureBoot: flag }), bios: nothing }) }),
  clock: fields({
    timezone: text,
    utc: nothing,
    timer: fields({
      rtc: fields({ tickPolicy: one("catchup", "delay") }),
      pit: fields({ tickPolicy: one("catchup", "delay", "discard") }),
      hpet: fields({ present: flag }),
      hyperv: fields({ present: flag }),
    }),
  }),
  features: fields({ acpi: on, apic: on, smm: on, hyperv }),
  "devices!": fields({
    disks: list(
      fields({
        "name!": text,
        bootOrder: { ...number, minimum: 1 },
        disk: fields({ bus: one("virtio", "sata", "scsi") }),
        cdrom: fields({ bus: one("sata", "scsi") }),
      }),
    ),
    interfaces: list(
      fields({
        "name!": text,
        model: text,
        macAddress: text,
        bridge: nothing,
        masquerade: nothing,
      }),
    ),
    inputs: list(fields({ "name!": text, "type!": one("tablet"), bus: one("usb", "virtio") })),
  }),
});

const instanceSpec = fields({
  hostname: text,
  evictionStrategy: one("None", "LiveMigrate", "LiveMigrateIfPossible", "External"),
  terminationGracePeriodSeconds: number,
  nodeSelector: texts,
  tolerations: list(fields({ key: text, operator: text, value: text, effect: text })),
  affinity: anything,
  "domain!": domain,
  networks: list(fields({ "name!": text, pod: nothing, multus: fields({ "networkName!": text }) })),
  volumes: list(
    fields({
      "name!": text,
      dataVolume: fields({ "name!": text }),
      cloudInitNoCloud: fields({ secretRef: fields({ name: text }) }),
    }),
  ),
});

const machineSpec = fields({
  runStrategy: one("Always", "Halted", "Manual", "RerunOnFailure", "Once"),
  instancetype: fields({ kind: text, name: text }),
  dataVolumeTemplates: list(fields({ metadata: anything, "spec!": volumeSpec })),
  "template!": fields({ metadata: anything, spec: instanceSpec }),
});

const status = fields({
  phase: text,
  printableStatus: text,
  progress: text,
  nodeName: text,
  conditions,
  interfaces: list(
    fields({ name: text, mac: text, ipAddress: text, ipAddresses: list(text), infoSource: text }),
  ),
});

const attachmentSpec = fields({ config: text });
const attachments = "network-attachment-definitions";

const kinds = [
  ["kubevirt.io", "v1", "VirtualMachine", "virtualmachines", machineSpec],
  ["kubevirt.io", "v1", "VirtualMachineInstance", "virtualmachineinstances", instanceSpec],
  ["cdi.kubevirt.io", "v1beta1", "DataVolume", "datavolumes", volumeSpec],
  ["k8s.cni.cncf.io", "v1", "NetworkAttachmentDefinition", attachments, attachmentSpec],
] as const;

/** The CustomResourceDefinitions. */
export const definitions = kinds.map(([group, version, kind, plural, spec]) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: {
    name: `${plural}.${group}`,
    annotations: { "api-approved.kubernetes.io": "https://github.com/kubevirt/kubevirt" },
  },
  spec: {
    group,
    scope: "Namespaced",
    names: { kind, plural, singular: kind.toLowerCase() },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: fields({ spec, status }) },
      },
    ],
  },
}));
