import { XMLBuilder } from "fast-xml-parser";
import { xmlText } from "../../../host/xml-text.ts";
import { driverNames } from "./drivers.ts";

/** On the CD that answers Setup's questions: the folder of scripts, their library, and what they install. */
export const kindowsFolder = "kindows";
/** The script that the first logon starts. */
export const firstScript = "Initialize-Image.ps1";
/** Folder of the drivers, one folder for each. */
export const driversFolder = "drivers";
/** The answer file for machines made from the image, without its password. */
export const sealedAnswerFile = "sealed.xml";

/** Possible drive letters of CDs: Windows' own is usually D:, this one E:. Setup uses all that exist, in any order. */
const discLetters = ["D", "E", "F", "G"];

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
  const { language } = options;
  return renderUnattend({
    windowsPE: setup(options),
    offlineServicing: { "LUA-Settings": { EnableLUA: false } },
    specialize: {
      ...specialized(undefined),
      "Security-SPP-UX": { SkipAutoActivation: true },
    },
    oobeSystem: {
      "International-Core": locales(language),
      "Shell-Setup": {
        OOBE: oobe,
        UserAccounts: {
          AdministratorPassword: password("AdministratorPassword", administratorPassword),
        },
        AutoLogon: {
          Enabled: true,
          LogonCount: 1,
          Username: "Administrator",
          Password: password("Password", administratorPassword),
        },
        FirstLogonCommands: {
          SynchronousCommand: {
            ...added,
            Order: 1,
            Description: "Prepare the image",
            CommandLine: firstLogonCommand,
          },
        },
      },
    },
  });
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
  return renderUnattend({
    generalize: {
      PnpSysprep: { PersistAllDeviceInstalls: true, DoNotCleanUpNonPresentDevices: true },
    },
    specialize: {
      ...specialized(productKey),
      // The disk of a machine is larger than the image's mostly.
      Deployment: { ExtendOSPartition: { Extend: true } },
    },
    oobeSystem: {
      "International-Core": locales(language),
      "Shell-Setup": {
        OOBE: oobe,
        UserAccounts: { AdministratorPassword: { Value: sealedPasswordMark, PlainText: false } },
      },
    },
  });
}

/** Elements by name; several of one name as a list, attributes behind `@`. What is undefined is left out. */
interface Settings {
  readonly [name: string]: string | number | boolean | undefined | Settings | readonly Settings[];
}

/** Settings by components of Windows, named without `Microsoft-Windows-`. */
type Components = Readonly<Record<string, Settings>>;

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  suppressBooleanAttributes: false,
  format: true,
  processEntities: false,
  tagValueProcessor: (_, value) => xmlText(String(value)),
});

/** An answer file: components by passes of Setup, with line ends as Windows writes them. */
function renderUnattend(passes: Readonly<Record<string, Components>>): string {
  const text = builder.build({
    "?xml": { "@version": "1.0", "@encoding": "utf-8" },
    unattend: {
      "@xmlns": "urn:schemas-microsoft-com:unattend",
      "@xmlns:wcm": "http://schemas.microsoft.com/WMIConfig/2002/State",
      settings: Object.entries(passes).map(([pass, components]) => ({
        "@pass": pass,
        component: Object.entries(components).map(([name, settings]) => ({
          "@name": `Microsoft-Windows-${name}`,
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

/** A password in the form of answer files: base64 of UTF-16LE with the element's name behind it. This is no protection. */
function password(element: "AdministratorPassword" | "Password", secret: string): Settings {
  const encoded = Buffer.from(`${secret}${element}`, "utf16le").toString("base64");
  return { Value: encoded, PlainText: false };
}

/** Searches every drive for the script, as letters of CDs differ. No percent signs, which Setup may treat as variables. */
const firstLogonCommand =
  "powershell.exe -NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -Command " +
  '"Get-PSDrive -PSProvider FileSystem | ForEach-Object { ' +
  `Join-Path $_.Root '${kindowsFolder}\\${firstScript}' } | ` +
  'Where-Object { Test-Path -LiteralPath $_ } | Select-Object -First 1 | ForEach-Object { & $_ }"';

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

function setup({
  language,
  firmware,
  imageIndex,
  productKey,
}: Omit<AnswerFileOptions, "administratorPassword">): Components {
  const paths = discLetters.flatMap((letter) =>
    driverNames.map((name) => `${letter}:\\${driversFolder}\\${name}`),
  );
  return {
    "International-Core-WinPE": {
      SetupUILanguage: { UILanguage: language },
      ...locales(language),
    },
    PnpCustomizationsWinPE: {
      DriverPaths: {
        PathAndCredentials: paths.map((path, index) => ({
          ...added,
          "@wcm:keyValue": String(index + 1),
          Path: path,
        })),
      },
    },
    Setup: {
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
        AcceptEula: true,
        FullName: "kindows",
        Organization: "kindows",
        ProductKey: { Key: productKey, WillShowUI: "OnError" },
      },
    },
  };
}

function specialized(productKey: string | undefined): Components {
  return {
    "Shell-Setup": { ComputerName: "*", ProductKey: productKey, TimeZone: "UTC" },
    "ServerManager-SvrMgrNc": { DoNotOpenServerManagerAtLogon: true },
    "TerminalServices-LocalSessionManager": { fDenyTSConnections: true },
  };
}

function locales(language: string): Settings {
  const names = ["InputLocale", "SystemLocale", "UILanguage", "UserLocale"];
  return Object.fromEntries(names.map((name) => [name, language]));
}

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
          ...added,
          Order: order,
          Type: type,
          ...(size === undefined ? { Extend: true } : { Size: size }),
        })),
      },
      ModifyPartitions: {
        ModifyPartition: partitions
          .filter(({ format }) => format !== undefined)
          .map(({ order, format }, index) => ({
            ...added,
            Order: index + 1,
            PartitionID: order,
            ...format,
          })),
      },
      DiskID: diskId,
      WillWipeDisk: true,
    },
    WillShowUI: "OnError",
  };
}
