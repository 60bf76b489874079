import { XMLBuilder } from "fast-xml-parser";
import { xmlText } from "../../../host/xml-text.ts";
import { discLetters, driversFolder, firstScript, kindowsFolder } from "./config-disc-paths.ts";
import { driverNames } from "./drivers.ts";

/** Firmware of the machines. */
export type Firmware = "bios" | "uefi";

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
export function answerFile({ administratorPassword, ...options }: AnswerFileOptions): string {
  return renderUnattend([
    ...setup(options),
    { pass: "offlineServicing", component: "LUA-Settings", settings: { EnableLUA: false } },
    ...specialize(undefined),
    { pass: "specialize", component: "Security-SPP-UX", settings: { SkipAutoActivation: true } },
    firstBoot(options.language),
    {
      pass: "oobeSystem",
      component: "Shell-Setup",
      settings: {
        OOBE: oobe,
        UserAccounts: {
          AdministratorPassword: password("AdministratorPassword", administratorPassword),
        },
        AutoLogon: {
          ...{ Enabled: true, LogonCount: 1, Username: "Administrator" },
          Password: password("Password", administratorPassword),
        },
        FirstLogonCommands: {
          SynchronousCommand: {
            ...added,
            ...{ Order: 1, Description: "Prepare the image", CommandLine: firstLogonCommand },
          },
        },
      },
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
      settings: { PersistAllDeviceInstalls: true, DoNotCleanUpNonPresentDevices: true },
    },
    ...specialize(productKey),
    {
      pass: "specialize",
      component: "Deployment",
      // The disk of a machine is larger than the image's mostly.
      settings: { ExtendOSPartition: { Extend: true } },
    },
    firstBoot(language),
    {
      pass: "oobeSystem",
      component: "Shell-Setup",
      settings: {
        OOBE: oobe,
        UserAccounts: {
          AdministratorPassword: { Value: sealedPasswordMark, PlainText: false },
        },
      },
    },
  ]);
}

/** Elements by name; several of one name as a list, attributes behind `@`. What is undefined is left out. */
interface Settings {
  readonly [name: string]: string | number | boolean | undefined | Settings | readonly Settings[];
}

/** A component of Windows, by its name without `Microsoft-Windows-`, and its settings in a pass of Setup. */
interface ComponentSettings {
  readonly pass: "windowsPE" | "offlineServicing" | "generalize" | "specialize" | "oobeSystem";
  readonly component: string;
  readonly settings: Settings;
}

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  suppressBooleanAttributes: false,
  format: true,
  processEntities: false,
  tagValueProcessor: (_, value) => xmlText(String(value)),
});

/** An answer file: settings by pass and component, with line ends as Windows writes them. */
function renderUnattend(all: readonly ComponentSettings[]): string {
  const passes = [...new Set(all.map(({ pass }) => pass))];
  const text = builder.build({
    "?xml": { "@version": "1.0", "@encoding": "utf-8" },
    unattend: {
      "@xmlns": "urn:schemas-microsoft-com:unattend",
      "@xmlns:wcm": "http://schemas.microsoft.com/WMIConfig/2002/State",
      settings: passes.map((pass) => ({
        "@pass": pass,
        component: all
          .filter((each) => each.pass === pass)
          .map(({ component, settings }) => ({
            "@name": `Microsoft-Windows-${component}`,
            "@processorArchitecture": "amd64",
            "@publicKeyToken": "31bf3856ad364e35",
            "@language": "neutral",
            "@versionScope": "nonSxS",
            ...settings,
          })),
      })),
    },
  });
  return text.replaceAll("\n", "\r\n");
}

/** Of an item that Setup adds to a list. */
const added = { "@wcm:action": "add" };

/**
 * A password in the form of answer files: base64 of UTF-16LE, followed by the element's name. This is no protection.
 *
 * @param name of the element: `AdministratorPassword`, or `Password`.
 */
function password(name: string, secret: string): Settings {
  return {
    Value: Buffer.from(`${secret}${name}`, "utf16le").toString("base64"),
    PlainText: false,
  };
}

/** Searches every drive for the script, as letters of CDs differ. No percent signs, which Setup may treat as variables. */
const firstLogonCommand =
  "powershell.exe -NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -Command " +
  '"Get-PSDrive -PSProvider FileSystem | ForEach-Object { ' +
  `Join-Path $_.Root '${kindowsFolder}\\${firstScript}' } | ` +
  'Where-Object { Test-Path -LiteralPath $_ } | Select-Object -First 1 | ForEach-Object { & $_ }"';

/** No questions at the first boot. */
const oobe = {
  HideEULAPage: true,
  HideLocalAccountScreen: true,
  HideOEMRegistrationScreen: true,
  HideOnlineAccountScreens: true,
  HideWirelessSetupInOOBE: true,
  ProtectYourPC: 3,
  SkipMachineOOBE: true,
  SkipUserOOBE: true,
};

/** While Setup runs from its disc: language, drivers, disk, what to install. */
function setup({
  language,
  firmware,
  imageIndex,
  productKey,
}: Omit<AnswerFileOptions, "administratorPassword">): ComponentSettings[] {
  const pass = "windowsPE";
  const paths = discLetters.flatMap((letter) =>
    driverNames.map((name) => `${letter}:\\${driversFolder}\\${name}`),
  );
  return [
    {
      pass,
      component: "International-Core-WinPE",
      settings: { SetupUILanguage: { UILanguage: language }, ...locales(language) },
    },
    {
      pass,
      component: "PnpCustomizationsWinPE",
      settings: {
        DriverPaths: {
          PathAndCredentials: paths.map((path, index) => ({
            ...{ ...added, "@wcm:keyValue": String(index + 1) },
            Path: path,
          })),
        },
      },
    },
    {
      pass,
      component: "Setup",
      settings: {
        Diagnostics: { OptIn: false },
        DiskConfiguration: diskConfiguration(firmware),
        DynamicUpdate: { Enable: false, WillShowUI: "Never" },
        ImageInstall: {
          OSImage: {
            InstallFrom: { MetaData: { ...added, Key: "/IMAGE/INDEX", Value: imageIndex } },
            // The last partition, which is for Windows.
            InstallTo: { DiskID: diskId, PartitionID: layouts[firmware].length },
            WillShowUI: "OnError",
          },
        },
        UserData: {
          ...{ AcceptEula: true, FullName: "kindows", Organization: "kindows" },
          ProductKey: { Key: productKey, WillShowUI: "OnError" },
        },
      },
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
      settings: { ComputerName: "*", ProductKey: productKey, TimeZone: "UTC" },
    },
    {
      pass,
      component: "ServerManager-SvrMgrNc",
      settings: { DoNotOpenServerManagerAtLogon: true },
    },
    {
      pass,
      component: "TerminalServices-LocalSessionManager",
      settings: { fDenyTSConnections: true },
    },
  ];
}

/** Language of the system itself. */
function firstBoot(language: string): ComponentSettings {
  return { pass: "oobeSystem", component: "International-Core", settings: locales(language) };
}

function locales(language: string): Settings {
  return {
    InputLocale: language,
    SystemLocale: language,
    UILanguage: language,
    UserLocale: language,
  };
}

/** A partition Setup makes. */
interface Partition {
  readonly type: "Primary" | "EFI" | "MSR";
  /** In MiB; the last one takes the rest. */
  readonly size?: number;
  /** Its file system; a reserved one has none. */
  readonly format?: Settings;
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

function diskConfiguration(firmware: Firmware): Settings {
  const partitions = layouts[firmware].map((each, index) => ({ ...each, order: index + 1 }));
  return {
    Disk: {
      ...added,
      CreatePartitions: {
        CreatePartition: partitions.map(({ order, type, size }) => ({
          ...{ ...added, Order: order, Type: type },
          ...(size === undefined ? { Extend: true } : { Size: size }),
        })),
      },
      ModifyPartitions: {
        ModifyPartition: partitions
          .filter(({ format }) => format !== undefined)
          .map(({ order, format }, index) => ({
            ...{ ...added, Order: index + 1, PartitionID: order },
            ...format,
          })),
      },
      ...{ DiskID: diskId, WillWipeDisk: true },
    },
    WillShowUI: "OnError",
  };
}
