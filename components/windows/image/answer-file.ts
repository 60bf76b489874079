import { discLetters, driversFolder, firstScript, kindowsFolder } from "./config-disc-paths.ts";
import { driverNames } from "./drivers.ts";
import {
  item,
  keyedItem,
  password,
  renderUnattend,
  values,
  type ComponentSettings,
} from "./unattend.ts";
import { element, type XmlElement } from "./xml.ts";

export interface AnswerFileOptions {
  /** Number of the image in install.wim, as names differ between media. */
  readonly imageIndex: number;
  /** Of media and Windows, e.g. `en-US`. */
  readonly language: string;
  readonly firmware: Firmware;
  /** Evaluations must have none; others need one or ask for it. */
  readonly productKey: string | undefined;
  /** Of Administrator until the image is sealed. Secret, and so is the answer file. */
  readonly administratorPassword: string;
}

/**
 * Autounattend.xml: answers all questions of Windows Setup, from the empty disk to the first logon.
 *
 * Each setting, why it is there and which public answer file has it: docs/windows-answer-file.md.
 */
export function answerFile(options: AnswerFileOptions): string {
  return renderUnattend([
    ...setup(options),
    {
      pass: "offlineServicing",
      component: "LUA-Settings",
      settings: values({ EnableLUA: false }),
    },
    ...specialize(undefined),
    {
      pass: "specialize",
      component: "Security-SPP-UX",
      settings: values({ SkipAutoActivation: true }),
    },
    ...firstBoot(options.language),
    {
      pass: "oobeSystem",
      component: "Shell-Setup",
      settings: [
        oobe,
        userAccounts(options.administratorPassword),
        element("AutoLogon", [
          ...values({ Enabled: true, LogonCount: 1, Username: "Administrator" }),
          password("Password", options.administratorPassword),
        ]),
        element("FirstLogonCommands", [
          item(
            "SynchronousCommand",
            values({ Order: 1, Description: "Prepare the image", CommandLine: firstLogonCommand }),
          ),
        ]),
      ],
    },
  ]);
}

/** Placeholder in the sealed answer file, which the machine replaces with a password when the image is sealed. */
export const sealedPasswordMark = "@ADMINISTRATOR-PASSWORD@";

/**
 * The answer file that the sealed image carries: for the first boot of each machine made from it.
 *
 * The licence's clock starts again there (no SkipRearm), and drivers stay installed: all machines are alike. The name is
 * a random one: no command of specialize can give another, for Setup writes its own after (cschneegans/unattend-generator,
 * issue 45). The first boot's script does, at the price of another restart.
 *
 * @param productKey the image's, which a generalized Windows has lost: one with a key of its own asks for it otherwise.
 */
export function sealedAnswerFileText(language: string, productKey: string | undefined): string {
  return renderUnattend([
    {
      pass: "generalize",
      component: "PnpSysprep",
      settings: values({ PersistAllDeviceInstalls: true, DoNotCleanUpNonPresentDevices: true }),
    },
    ...specialize(productKey),
    {
      pass: "specialize",
      component: "Deployment",
      // The disk of a machine is larger than the image's mostly.
      settings: [element("ExtendOSPartition", values({ Extend: true }))],
    },
    ...firstBoot(language),
    {
      pass: "oobeSystem",
      component: "Shell-Setup",
      settings: [
        oobe,
        element("UserAccounts", [
          element("AdministratorPassword", values({ Value: sealedPasswordMark, PlainText: false })),
        ]),
      ],
    },
  ]);
}

/** Searches every drive for the script, as letters of CDs differ. No percent signs, which Setup may treat as variables. */
const firstLogonCommand =
  "powershell.exe -NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -Command " +
  '"Get-PSDrive -PSProvider FileSystem | ForEach-Object { ' +
  `Join-Path $_.Root '${kindowsFolder}\\${firstScript}' } | ` +
  'Where-Object { Test-Path -LiteralPath $_ } | Select-Object -First 1 | ForEach-Object { & $_ }"';

/** No questions at the first boot. */
const oobe = element(
  "OOBE",
  values({
    HideEULAPage: true,
    HideLocalAccountScreen: true,
    HideOEMRegistrationScreen: true,
    HideOnlineAccountScreens: true,
    HideWirelessSetupInOOBE: true,
    ProtectYourPC: 3,
    SkipMachineOOBE: true,
    SkipUserOOBE: true,
  }),
);

function userAccounts(secret: string): ReturnType<typeof element> {
  return element("UserAccounts", [password("AdministratorPassword", secret)]);
}

/** While Setup runs from its disc: language, drivers, disk, what to install. */
function setup(options: AnswerFileOptions): ComponentSettings[] {
  const { language, firmware, imageIndex, productKey } = options;
  const paths = discLetters.flatMap((letter) =>
    driverNames.map((name) => `${letter}:\\${driversFolder}\\${name}`),
  );
  return [
    {
      pass: "windowsPE",
      component: "International-Core-WinPE",
      settings: [
        element("SetupUILanguage", values({ UILanguage: language })),
        ...locales(language),
      ],
    },
    {
      pass: "windowsPE",
      component: "PnpCustomizationsWinPE",
      settings: [
        element(
          "DriverPaths",
          paths.map((path, index) =>
            keyedItem("PathAndCredentials", index + 1, values({ Path: path })),
          ),
        ),
      ],
    },
    {
      pass: "windowsPE",
      component: "Setup",
      settings: [
        element("Diagnostics", values({ OptIn: false })),
        diskConfiguration(firmware),
        element("DynamicUpdate", values({ Enable: false, WillShowUI: "Never" })),
        element("ImageInstall", [
          element("OSImage", [
            element("InstallFrom", [
              item("MetaData", values({ Key: "/IMAGE/INDEX", Value: imageIndex })),
            ]),
            installTo(firmware),
            ...values({ WillShowUI: "OnError" }),
          ]),
        ]),
        element("UserData", [
          ...values({ AcceptEula: true, FullName: "kindows", Organization: "kindows" }),
          element(
            "ProductKey",
            values({ ...(productKey !== undefined && { Key: productKey }), WillShowUI: "OnError" }),
          ),
        ]),
      ],
    },
  ];
}

/** When an installed or copied Windows is specialized. */
function specialize(productKey: string | undefined): ComponentSettings[] {
  const pass = "specialize";
  return [
    {
      pass,
      component: "Shell-Setup",
      settings: values({
        ComputerName: "*",
        ...(productKey !== undefined && { ProductKey: productKey }),
        TimeZone: "UTC",
      }),
    },
    {
      pass,
      component: "ServerManager-SvrMgrNc",
      settings: values({ DoNotOpenServerManagerAtLogon: true }),
    },
    {
      pass,
      component: "TerminalServices-LocalSessionManager",
      settings: values({ fDenyTSConnections: true }),
    },
  ];
}

/** Language of the system itself. */
function firstBoot(language: string): ComponentSettings[] {
  return [{ pass: "oobeSystem", component: "International-Core", settings: locales(language) }];
}

function locales(language: string): ReturnType<typeof values> {
  return values({
    InputLocale: language,
    SystemLocale: language,
    UILanguage: language,
    UserLocale: language,
  });
}

/** Firmware of the machines. */
export type Firmware = "bios" | "uefi";

/** A partition Setup makes. */
interface Partition {
  readonly type: "Primary" | "EFI" | "MSR";
  /** In MiB; the last one takes the rest. */
  readonly size?: number;
  /** Its file system; a reserved one has none. */
  readonly format?: Readonly<Record<string, string | boolean>>;
}

/**
 * Windows is last, so that it can grow with the disk. No recovery partition, which would be behind Windows and prevent that:
 * a node is replaced instead.
 */
const layouts: Readonly<Record<Firmware, readonly Partition[]>> = {
  bios: [
    { type: "Primary", size: 350, format: { Format: "NTFS", Label: "System", Active: true } },
    { type: "Primary", format: { Format: "NTFS", Label: "Windows", Letter: "C" } },
  ],
  uefi: [
    { type: "EFI", size: 128, format: { Format: "FAT32", Label: "System" } },
    { type: "MSR", size: 16 },
    { type: "Primary", format: { Format: "NTFS", Label: "Windows", Letter: "C" } },
  ],
};

/** The only disk during Setup, as everything else is a CD. */
const diskId = 0;

/** Partitions of the empty disk. */
function diskConfiguration(firmware: Firmware): XmlElement {
  const partitions = layouts[firmware].map((partition, index) => ({
    ...partition,
    order: index + 1,
  }));
  const formatted = partitions.filter(({ format }) => format !== undefined);
  return element("DiskConfiguration", [
    item("Disk", [
      element(
        "CreatePartitions",
        partitions.map(({ order, type, size }) =>
          item(
            "CreatePartition",
            values({
              Order: order,
              Type: type,
              ...(size === undefined ? { Extend: true } : { Size: size }),
            }),
          ),
        ),
      ),
      element(
        "ModifyPartitions",
        formatted.map(({ order, format }, index) =>
          item("ModifyPartition", values({ Order: index + 1, PartitionID: order, ...format })),
        ),
      ),
      ...values({ DiskID: diskId, WillWipeDisk: true }),
    ]),
    ...values({ WillShowUI: "OnError" }),
  ]);
}

/** The last partition, which is for Windows. */
function installTo(firmware: Firmware): XmlElement {
  return element("InstallTo", values({ DiskID: diskId, PartitionID: layouts[firmware].length }));
}
