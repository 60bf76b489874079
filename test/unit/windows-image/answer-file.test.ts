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
import { settingsOf, type Setting } from "./settings-of.ts";

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

const bios = answerFile(options);
const uefi = answerFile({
  ...{ imageIndex: 4, language: "de-DE", firmware: "uefi", productKey: volumeKey },
  administratorPassword: options.administratorPassword,
});
const sealed = sealedAnswerFileText("en-US", undefined);

/** What the settings of one answer file have, as `place=value`, that those of another have not. */
async function more(one: string, than: string): Promise<string[]> {
  const text = ({ place, value }: Setting): string => `${place}=${value}`;
  const others = (await settingsOf(than)).map(text);
  return (await settingsOf(one)).map(text).filter((each) => {
    const index = others.indexOf(each);
    if (index >= 0) others.splice(index, 1);
    return index < 0;
  });
}

/** Settings on the page: pass, component, setting. */
function documented(): string[] {
  return [...page.matchAll(/^### (\w+): (\S+)\n\n((?:- .*\n)+)/gm)].flatMap(
    ([, pass, component, items = ""]) =>
      [...items.matchAll(/^- (.*?) = .+?\. .+\. Source: .+\.$|^.+$/gm)].flatMap(([item, names]) => {
        assert.ok(names !== undefined, `no value, reason and source: ${item}`);
        return names.split(", ").map((name) => `${pass} ${component} ${name.replaceAll("`", "")}`);
      }),
  );
}

describe("answer files", () => {
  for (const [name, text] of Object.entries({ bios, sealed })) {
    it(`are as reviewed, but for all drivers behind the first: ${name}.txt`, async () => {
      const lines = (await settingsOf(text))
        .filter(({ place }) => !/wcm:keyValue=(?!1\])/.test(place))
        .map(
          ({ pass, component, place, value }) =>
            `${pass} ${component.replace("Microsoft-Windows-", "")} ${place}=${value}\n`,
        );
      assertGolden(folder, `${name}.txt`, lines.join(""));
      assert.match(
        text,
        /^<\?xml version="1\.0" encoding="utf-8"\?>\r\n<unattend xmlns="urn:schemas-microsoft-com:unattend" /,
      );
    });
  }

  it("are with UEFI, a key and another language what they are without, but for that", async () => {
    const german = bios.replaceAll("en-US", "de-DE");
    const disk = "DiskConfiguration/Disk[wcm:action=add]";
    const partitions = `${disk}/CreatePartitions/CreatePartition[wcm:action=add]`;
    const install = "ImageInstall/OSImage";
    const formats = `${disk}/ModifyPartitions/ModifyPartition[wcm:action=add]`;
    assert.deepEqual(await more(german, uefi), [
      ...[`${partitions}/Size=350`, `${partitions}/Type=Primary`],
      ...[`${formats}/Active=true`, `${formats}/PartitionID=2`, `${formats}/Format=NTFS`],
      ...[
        `${install}/InstallFrom/MetaData[wcm:action=add]/Value=1`,
        `${install}/InstallTo/PartitionID=2`,
      ],
    ]);
    assert.deepEqual(await more(uefi, german), [
      ...[`${partitions}/Type=EFI`, `${partitions}/Size=128`],
      ...[`${partitions}/Type=MSR`, `${partitions}/Size=16`, `${partitions}/Order=3`],
      ...[`${formats}/Format=FAT32`, `${formats}/PartitionID=3`],
      ...[
        `${install}/InstallFrom/MetaData[wcm:action=add]/Value=4`,
        `${install}/InstallTo/PartitionID=3`,
      ],
      `UserData/ProductKey/Key=${volumeKey}`,
    ]);
    const found = await settingsOf(uefi);
    const values = (end: string): string[] =>
      found.filter(({ path }) => path.endsWith(end)).map(({ value }) => value);
    assert.deepEqual(values("CreatePartition/Type"), ["EFI", "MSR", "Primary"]);
    assert.deepEqual(values("ModifyPartition/PartitionID"), ["1", "3"]);
    assert.deepEqual(values("ModifyPartition/Format"), ["FAT32", "NTFS"]);
    const keyed = sealedAnswerFileText("de-DE", volumeKey);
    assert.deepEqual(await more(keyed, sealed.replaceAll("en-US", "de-DE")), [
      `ProductKey=${volumeKey}`,
    ]);
    assert.deepEqual(await more(sealed.replaceAll("en-US", "de-DE"), keyed), []);
  });

  it("hold the settings that the page gives reason and source of, all of them and no others", async () => {
    const found = new Set<string>();
    for (const text of [bios, uefi, sealed, sealedAnswerFileText("en-US", volumeKey)]) {
      for (const { pass, component, path } of await settingsOf(text)) {
        found.add(`${pass} ${component.replace("Microsoft-Windows-", "")} ${path}`);
      }
    }
    assert.deepEqual([...new Set(documented())].sort(), [...found].sort());
  });

  let settings: readonly Setting[];
  before(async () => (settings = await settingsOf(bios)));

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

  it("of a sealed image have no password, only the mark the machine replaces, once", () =>
    assert.equal(sealed.split(sealedPasswordMark).length, 2));

  it("refuse what XML can't hold, and escape what it can", () => {
    assert.throws(() => renderXml(element("a", "\u0000")), /control characters/);
    assert.equal(
      renderXml(element("a", "<&>\"'\u00fc\r\n")),
      '<?xml version="1.0" encoding="utf-8"?>\r\n<a>&lt;&amp;&gt;&quot;\'\u00fc&#13;&#10;</a>\r\n',
    );
  });
});
