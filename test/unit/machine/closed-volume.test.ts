import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { closeVolume } from "../../../components/machine/actions/closed-volume.ts";
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
  const { PATH, TMPDIR } = process.env;
  const name = "kindows-t-win-1-identity.iso";
  let at: ReturnType<typeof inNewFolder>;
  const asked = (): string[] =>
    readFileSync(at("asked"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" ")[3] ?? "");

  beforeEach(() => {
    at = inNewFolder();
    mkdirSync(at("pool"));
    writeFileSync(at(`pool/${name}`), "secret".repeat(1000), { mode: 0o644 });
    writeFileSync(at("virsh"), standIn, { mode: 0o755 });
    Object.assign(process.env, { PATH: `${at()}:${PATH}`, POOL: at("pool"), TMPDIR: at() });
  });
  afterEach(() => {
    Object.assign(process.env, { PATH, TMPDIR });
    for (const variable of ["POOL", "FAILS"]) Reflect.deleteProperty(process.env, variable);
  });

  const left = (): string[] => readdirSync(at()).filter((each) => each.startsWith("kindows-"));

  it("has the same name, size and content as before, and leaves no copy", async () => {
    await closeVolume("test:///default", "kindows-t", name);
    assert.equal(readFileSync(at(`pool/${name}`), "utf8"), "secret".repeat(1000));
    assert.equal(statSync(at(`pool/${name}`)).mode & 0o777, 0o600);
    assert.match(
      readFileSync(at("description"), "utf8"),
      /<capacity unit="bytes">6000<\/capacity>/,
    );
    assert.deepEqual(left(), []);
  });

  it("is left alone when it is one already", async () => {
    await closeVolume("test:///default", "kindows-t", name);
    await closeVolume("test:///default", "kindows-t", name);
    assert.deepEqual(asked().slice(5), ["vol-dumpxml"]);
  });

  for (const command of ["vol-dumpxml", "vol-download", "vol-delete"]) {
    it(`stays what it was when ${command} fails, with virsh's words`, async () => {
      process.env["FAILS"] = command;
      await assert.rejects(
        closeVolume("test:///default", "kindows-t", name),
        new RegExp(`no ${command} today`),
      );
      assert.equal(readFileSync(at(`pool/${name}`), "utf8").length, 6000);
      assert.deepEqual(left(), []);
    });
  }
});
