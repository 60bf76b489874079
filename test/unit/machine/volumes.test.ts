import assert from "node:assert/strict";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { execa } from "execa";

import {
  type DhcpHost,
  dhcpHosts,
  dhcpHostXml,
  reserving,
} from "../../../components/machine/libvirt/dhcp-hosts.ts";
import {
  parseVolume,
  type PoolVolume,
  unusedImages,
} from "../../../components/machine/actions/pool-volumes.ts";
import { convertedDisk, convertedDiskName } from "../../../images/disk/converted-disk.ts";
import { windowsDisk } from "../../../images/windows/windows-images.ts";
import { Cache } from "../../../toolchain/cache.ts";
import {
  diskFault,
  diskFormatOf,
  isRawDisk,
  mustBeConverted,
  virtualGiBOf,
} from "../../../toolchain/disk-format.ts";
import { ensureArtifacts } from "../../../toolchain/ensure.ts";
import { digestOfFile } from "../../../toolchain/file-digest.ts";
import { runAction } from "../controlplane/run-action.ts";
import { eachCase } from "../each-case.ts";
import { inNewFolder } from "../new-folder.ts";

/** A virsh with one pool, a folder; it does what the real one does, as far as it is asked here. */
const standIn = `#!/bin/sh
# virsh -q -c URI COMMAND ...
echo "$*" >> "$POOL/../asked"
shift 3
command=$1; shift
[ "$command" = "$FAILS" ] && { echo "error: no $command today" >&2; exit 1; }
case $command in
  vol-dumpxml) echo "<volume><target><permissions><mode>0$(stat -c %a "$POOL/$3")</mode></permissions></target></volume>" ;;
  vol-download) cp "$POOL/$3" "$4" ;;
  vol-upload) cat "$4" > "$POOL/$3" ;;
  vol-delete) rm "$POOL/$3" ;;
  vol-create)
    cp "$2" "$POOL/../description"
    name=$(sed -n 's,.*<name>\\(.*\\)</name>.*,\\1,p' "$2")
    : > "$POOL/$name"
    chmod "$(sed -n 's,.*<mode>\\(.*\\)</mode>.*,\\1,p' "$2")" "$POOL/$name" ;;
  *) echo "error: unknown command $command" >&2; exit 1 ;;
esac
`;

describe("a volume that only its owner may read", () => {
  const name = "kindows-t-win-1-identity.iso";
  let at: ReturnType<typeof inNewFolder>;
  const volume = (): string => at(`pool/${name}`);
  const close = (FAILS = ""): ReturnType<typeof runAction> =>
    runAction("machine/actions/close-identity", {
      VOLUME: JSON.stringify({ uri: "test:///default", pool: "kindows-t", name }),
      PATH: `${at()}:${process.env["PATH"]}`,
      POOL: at("pool"),
      TMPDIR: at(),
      FAILS,
    });

  beforeEach(() => {
    at = inNewFolder();
    mkdirSync(at("pool"));
    writeFileSync(volume(), "secret".repeat(1000), { mode: 0o644 });
    writeFileSync(at("virsh"), standIn, { mode: 0o755 });
  });

  const left = (): string[] => readdirSync(at()).filter((each) => each.startsWith("kindows-"));

  it("has the same name, size and content as before, and leaves no copy; once", async () => {
    const { exitCode, stderr } = await close();
    assert.equal(exitCode, 0, stderr);
    assert.equal(readFileSync(volume(), "utf8"), "secret".repeat(1000));
    assert.equal(statSync(volume()).mode & 0o777, 0o600);
    const description = readFileSync(at("description"), "utf8");
    assert.match(description, /<capacity unit="bytes">6000<\/capacity>/);
    assert.deepEqual(left(), []);
    await close();
    const asked = readFileSync(at("asked"), "utf8").trimEnd().split("\n");
    assert.deepEqual(
      asked.slice(5).map((line) => line.split(" ")[3]),
      ["vol-dumpxml"],
    );
  });

  for (const command of ["vol-dumpxml", "vol-download", "vol-delete"]) {
    it(`stays what it was when ${command} fails, with virsh's words`, async () => {
      const { exitCode, stderr } = await close(command);
      assert.equal(exitCode, 1);
      assert.match(stderr, new RegExp(`no ${command} today`));
      assert.equal(readFileSync(volume(), "utf8").length, 6000);
      assert.deepEqual(left(), []);
    });
  }
});

const pool = "kindows-t";
const volume = (name: string, base?: string): PoolVolume => ({
  name,
  path: `/pool/${name}`,
  backing: base === undefined ? undefined : `/pool/${base}`,
});
const old = volume("kindows-t-000000000001.qcow2");
const current = volume("kindows-t-000000000002.qcow2");
const identity = volume("kindows-t-win-1-identity.iso");

describe("golden images of a pool", () => {
  const cases: Readonly<Record<string, readonly [PoolVolume[], string | undefined, string[]]>> = {
    "the one for new machines stays": [[current], current.name, []],
    "one that nothing stands on goes": [[old, current], current.name, [old.name]],
    "one that a machine stands on stays": [
      [old, current, volume("kindows-t-win-1.qcow2", old.name), identity],
      current.name,
      [],
    ],
    "all go with the lab": [[old, current, identity], undefined, [old.name, current.name]],
    "another one's disk stays": [
      [volume("somebody.qcow2"), volume("kindows-tt-000000000001.qcow2")],
      undefined,
      [],
    ],
    "none is fine": [[], current.name, []],
  };
  eachCase("%s", cases, ([volumes, keep, expected]) =>
    assert.deepEqual(unusedImages(pool, volumes, keep), expected),
  );

  it("of another kind in the same pool are others' business, both ways", () => {
    const linux = volume("kindows-t-linux-000000000003.qcow2");
    assert.deepEqual(unusedImages(pool, [current, linux], undefined), [current.name]);
    assert.deepEqual(unusedImages(`${pool}-linux`, [current, linux], undefined), [linux.name]);
  });

  it("are told from overlays by what libvirt says of each", () => {
    const told = (more: string): PoolVolume =>
      parseVolume(
        `<volume><name>a.qcow2</name><target><path>/a&amp;b/a.qcow2</path></target>${more}</volume>`,
      );
    const image = { name: "a.qcow2", path: "/a&b/a.qcow2", backing: undefined };
    assert.deepEqual(told(""), image);
    const backing = "<backingStore><path>/a&amp;b/b.qcow2</path></backingStore>";
    assert.deepEqual(told(backing), { ...image, backing: "/a&b/b.qcow2" });
  });
});

/** As libvirt 9.0 prints it. */
const xml = `<network connections='1'>
  <name>kindows-fleet</name>
  <dns><host ip='192.168.170.1'><hostname>gateway</hostname></host></dns>
  <ip address='192.168.170.1' netmask='255.255.255.0'>
    <dhcp>
      <range start='192.168.170.2' end='192.168.170.254'/>
      <host mac='52:54:00:AA:00:01' name='win-1' ip='192.168.170.10'/>
      <host mac='52:54:00:aa:00:02' ip='192.168.170.11'/>
    </dhcp>
  </ip>
</network>
`;
const there = dhcpHosts(xml);
const first = { mac: "52:54:00:aa:00:01", ip: "192.168.170.10", name: "win-1" };

describe("reservations of addresses", () => {
  it("are read from a network's description, hosts of its DNS left out", () =>
    assert.deepEqual(there, [first, { mac: "52:54:00:aa:00:02", ip: "192.168.170.11", name: "" }]));

  const second = { ...first, ip: "192.168.170.11" };
  const cases: Readonly<
    Record<string, readonly [wanted: DhcpHost, todo: ReturnType<typeof reserving>]>
  > = {
    "one that is there": [first, undefined],
    "a new machine": [
      { mac: "52:54:00:aa:00:03", ip: "192.168.170.12", name: "win-3" },
      "add-last",
    ],
    "another address for a machine": [{ ...first, ip: "192.168.170.20" }, "modify"],
    "another name for a machine": [{ ...first, name: "w" }, "modify"],
    "an address that somebody has": [
      { ...first, mac: "52:54:00:aa:00:09", name: "win-9" },
      { takenBy: first },
    ],
    "an address that somebody else has, for a machine that has one": [
      second,
      { takenBy: { ...second, mac: "52:54:00:aa:00:02", name: "" } },
    ],
  };
  eachCase("%s", cases, ([wanted, todo]) => assert.deepEqual(reserving(there, wanted), todo));

  it("are written as virsh takes them", () =>
    assert.equal(
      dhcpHostXml(first),
      '<host mac="52:54:00:aa:00:01" name="win-1" ip="192.168.170.10"/>',
    ));
});

describe("a disk of the user's that is converted", () => {
  let at: ReturnType<typeof inNewFolder>;
  let cache: Cache;
  beforeEach(() => {
    at = inNewFolder();
    cache = new Cache(at("cache"));
  });

  /** A disk with something in the middle of it, which most of it has not. */
  async function makeDisk(name: string, format: string, pattern = "0x5a"): Promise<string> {
    const cwd = at();
    await execa("qemu-img", ["create", "-q", "-f", format, name, "12G"], { cwd });
    await execa("qemu-io", ["-f", format, "-c", `write -P ${pattern} 5G 1M`, name], { cwd });
    return at(name);
  }

  async function convert(source: string): Promise<string> {
    const artifact = convertedDisk(source, windowsDisk, cache);
    const ensured = await ensureArtifacts([artifact], { cache, progress: () => undefined });
    return path.join(ensured.path(artifact), convertedDiskName);
  }

  const made = (): string[] => readdirSync(cache.entriesFolder);

  for (const [name, format, called] of [
    ["a.vhd", "vpc", "VHD"],
    ["a.vhdx", "vhdx", "VHDX"],
  ] as const) {
    it(`is the same disk afterwards, as qcow2, for its owner alone: ${name}`, async () => {
      const source = await makeDisk(name, format);
      assert.equal(diskFormatOf(source), called);
      const disk = await convert(source);
      assert.equal(diskFormatOf(disk), "qcow2");
      assert.equal(statSync(disk).mode & 0o777, 0o600);
      await execa("qemu-img", ["compare", "-q", "-f", format, "-F", "qcow2", source, disk]);
    });
  }

  it("is converted once, and again when its content is another one", async () => {
    const source = await makeDisk("a.vhdx", "vhdx");
    const disk = await convert(source);
    const { mtimeMs } = statSync(disk);
    assert.equal(await convert(source), disk);
    assert.equal(statSync(disk).mtimeMs, mtimeMs);
    await makeDisk("a.vhdx", "vhdx", "0x33");
    assert.notEqual(await convert(source), disk);
    // Machines may stand on the first one.
    assert.equal(made().length, 2);
  });

  it("is refused when it is cut off, and leaves nothing behind", async () => {
    const source = await makeDisk("cut.vhdx", "vhdx");
    truncateSync(source, 64 * 1024);
    await assert.rejects(
      convert(source),
      /cut\.vhdx can't be examined: |cut\.vhdx can't be converted: /,
    );
    assert.deepEqual(made(), []);
    assert.deepEqual(readdirSync(cache.buildingFolder), []);
  });

  it("is refused with the need where there is no room, before anything is converted", async () => {
    const source = await makeDisk("large.vhdx", "vhdx");
    // It says what qemu-img would of a disk that is full, and can't convert.
    const info = { format: "vhdx", "virtual-size": 2 ** 50, "actual-size": 2 ** 50 };
    writeFileSync(at("qemu-img"), `#!/bin/sh\n[ "$1" = info ] && echo '${JSON.stringify(info)}'\n`);
    chmodSync(at("qemu-img"), 0o755);
    const { PATH } = process.env;
    process.env.PATH = `${at()}:${PATH}`;
    try {
      await assert.rejects(
        convert(source),
        /has [\d.]+ GiB free, and converting \S+large\.vhdx takes 1048576\.0 GiB\. Make room \(/,
      );
    } finally {
      process.env.PATH = PATH;
    }
    assert.deepEqual(made(), []);
    assert.deepEqual(readdirSync(cache.buildingFolder), []);
  });

  it("that was being written to is refused", async () => {
    const source = await makeDisk("busy.vhdx", "vhdx");
    const work = ensureArtifacts([convertedDisk(source, windowsDisk, cache)], {
      cache,
      // The line that comes before the conversion.
      progress: (line) => {
        if (line.includes("converts")) appendFileSync(source, "\0");
      },
    });
    await assert.rejects(work, /busy\.vhdx was written to while it was converted/);
    assert.deepEqual(made(), []);
  });

  it("is read whole only when it is another file", async () => {
    const file = at("large");
    writeFileSync(file, "one");
    const first = await digestOfFile(file, cache);
    const [note = ""] = readdirSync(at("cache/digests"));
    // A note that is trusted shows in what comes back.
    const { size, mtimeMs, ino } = statSync(file);
    const noted = "0".repeat(64);
    writeFileSync(
      at(`cache/digests/${note}`),
      JSON.stringify({ size, mtimeMs, ino, found: noted }),
    );
    assert.equal(await digestOfFile(file, cache), noted);
    writeFileSync(at(`cache/digests/${note}`), "{");
    assert.equal(await digestOfFile(file, cache), first);
    writeFileSync(file, "another");
    assert.notEqual(await digestOfFile(file, cache), first);
  });

  it("is known by its marks, not by its name", () => {
    writeFileSync(at("a.vhdx"), "QFI\xfb and so on", "latin1");
    writeFileSync(at("b.vhd"), "conectix");
    assert.equal(diskFormatOf(at("a.vhdx")), "qcow2");
    assert.equal(diskFormatOf(at("b.vhd")), undefined);
    for (const name of ["a.vhdx", "b.vhd", "gone", "."]) {
      assert.equal(mustBeConverted(at(name)), false, name);
    }
  });

  it("is not waited for where it is a pipe", async () => {
    await execa("mkfifo", [at("pipe")]);
    for (const read of [diskFormatOf, diskFault, isRawDisk, virtualGiBOf]) {
      assert.throws(() => read(at("pipe")), /is not a regular file/, read.name);
    }
  });
});
