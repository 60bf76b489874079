import { XMLBuilder } from "fast-xml-parser";
import { xmlText } from "../../host/xml-text.ts";
import { powerShellCommand } from "../../host/ssh/windows-command.ts";
import { driverNames } from "./drivers.ts";

/**
 * Folder on the CD that answers Setup's questions, with the scripts, their library, and the files that they install.
 */
export const kindowsFolder = "kindows";
/** Script that the first logon starts. */
export const firstScript = "Initialize-Image.ps1";
/** Folder on the CD with one folder for each driver. */
export const driversFolder = "drivers";
/** Name of the answer file for machines made from the image. It still has a placeholder for its password. */
export const sealedAnswerFile = "sealed.xml";

/** Possible drive letters of CDs. Windows' own is usually D:, and this one E:. Setup searches all that exist. */
const discLetters = ["D", "E", "F", "G"];

export type Firmware = "bios" | "uefi";

interface AnswerFileOptions {
  /** Number of the image in install.wim. Its name would differ between media. */
  readonly imageIndex: number;
  /** Language of the ISO and of the installed Windows, e.g. `en-US`. */
  readonly language: string;
  readonly firmware: Firmware;
  /** An evaluation must have none. Without one, others ask for it. */
  readonly productKey: string | undefined;
  /** Password of Administrator until the image is sealed. It makes the answer file secret too. */
  readonly administratorPassword: string;
}

/**
 * Autounattend.xml: answers all questions of Windows Setup, from the empty disk to the first logon.
 *
 * docs/windows-answer-file.md has the reason for each setting, and the public answer files that have it too.
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
 * The answer file in the sealed image, for the first boot of each machine made from it.
 *
 * The evaluation period starts again on each machine (no SkipRearm). Drivers stay installed, because all machines have
 * the same hardware. The computer name is random: a command in the pass specialize cannot set it, because Setup writes
 * its own name afterwards (cschneegans/unattend-generator, issue 45). Set-MachineIdentity.ps1 sets it, which takes
 * another restart.
 *
 * @param productKey the image's product key, if it has one. Generalizing removes the key, and the first boot would ask
 * for it.
 */
export function sealedAnswerFileText(language: string, productKey: string | undefined): string {
  return renderUnattend({
    generalize: {
      PnpSysprep: { PersistAllDeviceInstalls: true, DoNotCleanUpNonPresentDevices: true },
    },
    specialize: {
      ...specialized(productKey),
      // A machine's disk may be larger than the image's.
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

/** Elements by name. A list is several elements of one name, a name with `@` is an attribute, undefined is left out. */
interface Settings {
  readonly [name: string]: string | number | boolean | undefined | Settings | readonly Settings[];
}

/** Settings by component of Windows, named without `Microsoft-Windows-`. */
type Components = Readonly<Record<string, Settings>>;

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  suppressBooleanAttributes: false,
  format: true,
  processEntities: false,
  tagValueProcessor: (_, value) => xmlText(String(value)),
});

/** Renders an answer file from components by pass of Setup, with Windows' line ends. */
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

/** Attribute of an item that Setup adds to a list. */
const added = { "@wcm:action": "add" };

/**
 * A password as answer files encode it: base64 of UTF-16LE, with the element's name appended. This is no protection.
 */
function password(element: "AdministratorPassword" | "Password", secret: string): Settings {
  const encoded = Buffer.from(`${secret}${element}`, "utf16le").toString("base64");
  return { Value: encoded, PlainText: false };
}

/** Searches every drive, because the CD's letter varies. Has no percent signs, which Setup may take for variables. */
const firstLogonCommand = powerShellCommand(
  "Get-PSDrive -PSProvider FileSystem | ForEach-Object { " +
    `Join-Path $_.Root '${kindowsFolder}\\${firstScript}' } | ` +
    "Where-Object { Test-Path -LiteralPath $_ } | Select-Object -First 1 | ForEach-Object { & $_ }",
);

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
          // Windows' partition is the last one.
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
  /** In MiB. Undefined: the rest of the disk. */
  readonly size?: number;
  /** File system; undefined for a reserved partition, which has none. */
  readonly format?: Settings;
}

/**
 * The Windows partition is last, so that it can grow with the disk. A recovery partition behind it would prevent that;
 * there is none, because a broken node is replaced, not recovered.
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

/** The only disk during Setup; all other drives are CDs. */
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
