import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import {
  answerFile,
  sealedAnswerFileText,
  sealedPasswordMark,
} from "../../../components/windows/image/answer-file.ts";
import type { AnswerFileOptions } from "../../../components/windows/image/answer-file.ts";
import { driverNames } from "../../../components/windows/image/drivers.ts";
import { element, renderXml } from "../../../components/windows/image/xml.ts";
import { assertGolden } from "../controlplane/golden.ts";
import { settingsOf } from "./settings-of.ts";
import type { Setting } from "./settings-of.ts";

const folder = new URL("./", import.meta.url);
const page = readFileSync(new URL("../../../docs/windows-answer-file.md", import.meta.url), "utf8");

const options: AnswerFileOptions = {
  imageIndex: 1,
  language: "en-US",
  firmware: "bios",
  productKey: undefined,
  administratorPassword: "vagrant",
};

/** Microsoft's generic volume licence key of Windows Server 2022 Standard, which activates nothing by itself. */
const volumeKey = "VDYBN-27WPP-V4HQT-9VMD4-VMK7H";

const variants: Readonly<Record<string, string>> = {
  "bios.xml": answerFile(options),
  "uefi-desktop-volume-german.xml": answerFile({
    ...options,
    imageIndex: 4,
    language: "de-DE",
    firmware: "uefi",
    productKey: volumeKey,
  }),
  "sealed.xml": sealedAnswerFileText("en-US", undefined),
  "sealed-volume-german.xml": sealedAnswerFileText("de-DE", volumeKey),
};

/** Rows of the page's table: pass, component, setting. */
function documented(): string[] {
  return page.split("\n").flatMap((line) => {
    const cells = line.split("|").map((cell) => cell.trim().replaceAll("`", ""));
    const [, pass = "", component = "", path = "", , why = "", source = ""] = cells;
    if (!/^(windowsPE|offlineServicing|generalize|specialize|oobeSystem)$/.test(pass)) {
      return [];
    }
    assert.notEqual(why, "", `${path} has no reason`);
    assert.notEqual(source, "", `${path} has no source`);
    return [`${pass} ${component} ${path}`];
  });
}

describe("answer files", () => {
  for (const [name, text] of Object.entries(variants)) {
    it(`are as reviewed: ${name}`, () => {
      assertGolden(folder, name, text.replaceAll("\r\n", "\n"));
    });
  }

  it("hold the settings that the page gives reason and source of, all of them and no others", async () => {
    const found = new Set<string>();
    for (const text of Object.values(variants)) {
      for (const { pass, component, path } of await settingsOf(text)) {
        found.add(`${pass} ${component.replace("Microsoft-Windows-", "")} ${path}`);
      }
    }
    assert.deepEqual([...new Set(documented())].sort(), [...found].sort());
  });

  /** What public working answer files need, with the value it needs here: windows-vm.md's table, section 1. */
  const needed: readonly (readonly [string, string, string, RegExp])[] = [
    ["windowsPE", "International-Core-WinPE", "SetupUILanguage/UILanguage", /^en-US$/],
    ["windowsPE", "International-Core-WinPE", "InputLocale", /^en-US$/],
    ["windowsPE", "International-Core-WinPE", "SystemLocale", /^en-US$/],
    ["windowsPE", "International-Core-WinPE", "UserLocale", /^en-US$/],
    [
      "windowsPE",
      "PnpCustomizationsWinPE",
      "DriverPaths/PathAndCredentials/Path",
      /^E:\\drivers\\viostor$/,
    ],
    [
      "windowsPE",
      "PnpCustomizationsWinPE",
      "DriverPaths/PathAndCredentials/Path",
      /^E:\\drivers\\NetKVM$/,
    ],
    ["windowsPE", "Setup", "DiskConfiguration/Disk/DiskID", /^0$/],
    ["windowsPE", "Setup", "DiskConfiguration/Disk/WillWipeDisk", /^true$/],
    [
      "windowsPE",
      "Setup",
      "DiskConfiguration/Disk/ModifyPartitions/ModifyPartition/Active",
      /^true$/,
    ],
    ["windowsPE", "Setup", "ImageInstall/OSImage/InstallFrom/MetaData/Key", /^\/IMAGE\/INDEX$/],
    ["windowsPE", "Setup", "ImageInstall/OSImage/InstallFrom/MetaData/Value", /^1$/],
    ["windowsPE", "Setup", "ImageInstall/OSImage/InstallTo/PartitionID", /^2$/],
    ["windowsPE", "Setup", "UserData/AcceptEula", /^true$/],
    ["windowsPE", "Setup", "UserData/ProductKey/WillShowUI", /^OnError$/],
    ["windowsPE", "Setup", "DynamicUpdate/Enable", /^false$/],
    ["offlineServicing", "LUA-Settings", "EnableLUA", /^false$/],
    ["specialize", "Shell-Setup", "ComputerName", /^\*$/],
    ["specialize", "Shell-Setup", "TimeZone", /^UTC$/],
    ["specialize", "ServerManager-SvrMgrNc", "DoNotOpenServerManagerAtLogon", /^true$/],
    ["specialize", "TerminalServices-LocalSessionManager", "fDenyTSConnections", /^true$/],
    ["oobeSystem", "Shell-Setup", "UserAccounts/AdministratorPassword/PlainText", /^false$/],
    ["oobeSystem", "Shell-Setup", "AutoLogon/Enabled", /^true$/],
    ["oobeSystem", "Shell-Setup", "AutoLogon/Username", /^Administrator$/],
    ["oobeSystem", "Shell-Setup", "OOBE/HideEULAPage", /^true$/],
    ["oobeSystem", "Shell-Setup", "OOBE/SkipMachineOOBE", /^true$/],
    [
      "oobeSystem",
      "Shell-Setup",
      "FirstLogonCommands/SynchronousCommand/CommandLine",
      /Initialize-Image\.ps1/,
    ],
  ];
  let settings: readonly Setting[];
  before(async () => {
    settings = await settingsOf(variants["bios.xml"] ?? "");
  });
  for (const [pass, component, path, value] of needed) {
    it(`have ${path} in the pass ${pass}`, () => {
      const there = settings.filter(
        (each) =>
          each.pass === pass &&
          each.component === `Microsoft-Windows-${component}` &&
          each.path === path,
      );
      assert.ok(
        there.some((each) => value.test(each.value)),
        JSON.stringify(there),
      );
    });
  }

  it("encode passwords as public ones do: these are the values of rgl/windows-vagrant", () => {
    const value = (path: string): string | undefined =>
      settings.find((each) => each.path === path)?.value;
    assert.equal(
      value("UserAccounts/AdministratorPassword/Value"),
      "dgBhAGcAcgBhAG4AdABBAGQAbQBpAG4AaQBzAHQAcgBhAHQAbwByAFAAYQBzAHMAdwBvAHIAZAA=",
    );
    assert.equal(value("AutoLogon/Password/Value"), "dgBhAGcAcgBhAG4AdABQAGEAcwBzAHcAbwByAGQA");
  });

  it("ask for no key where the media are an evaluation, whose setup refuses one", () => {
    assert.deepEqual(
      settings.filter(({ path }) => path === "UserData/ProductKey/Key"),
      [],
    );
  });

  it("name every driver under every letter its CD may have", () => {
    const paths = settings.filter(({ path }) => path === "DriverPaths/PathAndCredentials/Path");
    assert.equal(paths.length, 4 * driverNames.length);
    assert.equal(new Set(paths.map(({ value }) => value)).size, paths.length);
  });

  it("keep to Setup's limit of 1024 characters for a command", () => {
    const command = settings.find(({ path }) => path.endsWith("/CommandLine"))?.value ?? "";
    assert.ok(command.length > 0 && command.length < 1024, `${command.length}`);
    assert.doesNotMatch(command, /%/);
  });

  it("of a sealed image run nothing in specialize: Setup overwrites the name that it would give", () => {
    assert.doesNotMatch(variants["sealed.xml"] ?? "", /RunSynchronous/);
  });

  it("of a sealed image give drive C: all of a machine's disk, which is larger than the image's", async () => {
    const extend = (await settingsOf(variants["sealed.xml"] ?? "")).find(({ path }) =>
      path.startsWith("ExtendOSPartition/"),
    );
    assert.deepEqual([extend?.pass, extend?.value], ["specialize", "true"]);
  });

  it("of a sealed image have no password, only the mark the machine replaces, once", () => {
    const sealed = variants["sealed.xml"] ?? "";
    assert.equal(sealed.split(sealedPasswordMark).length, 2);
    assert.doesNotMatch(sealed, /AutoLogon|FirstLogonCommands|SkipRearm/);
  });

  it("refuse what XML can't hold, and escape what it can", () => {
    assert.throws(() => renderXml(element("a", "\u0000")), /control characters/);
    assert.equal(
      renderXml(element("a", "<&>\"'\u00fc\r\n")),
      '<?xml version="1.0" encoding="utf-8"?>\r\n<a>&lt;&amp;&gt;&quot;\'\u00fc&#13;&#10;</a>\r\n',
    );
  });
});
