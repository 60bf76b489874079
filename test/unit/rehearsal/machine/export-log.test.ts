import assert from "node:assert/strict";
import { readFile, readdir, mkdir, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { extract } from "tar";
import { runCommand, runText } from "./step-runner.ts";
import { stepCommand } from "./ssh-client.ts";
import { joinToken, prepareThrough, hostFor } from "./step-runner.ts";
import { newFolder } from "../../new-folder.ts";

describe("Export-NodeLog, rehearsed", () => {
  const machine = hostFor("each");

  /** Files of the archive it writes, by name. */
  const exported = async (): Promise<Readonly<Record<string, string>>> => {
    const { exitCode, stdout } = await runCommand(machine, stepCommand("Export-NodeLog", []));
    assert.equal(exitCode, 0, stdout);
    const folder = newFolder();
    const lines = stdout.trimEnd().split("\n").slice(0, -1);
    await writeFile(
      join(folder, "a.tar.gz"),
      lines.map((line) => Buffer.from(line, "base64")),
    );
    await mkdir(join(folder, "files"));
    await extract({ file: join(folder, "a.tar.gz"), cwd: join(folder, "files") });
    const names = await readdir(join(folder, "files"));
    const texts = names.map((name) => readFile(join(folder, "files", name), "utf8"));
    const contents = await Promise.all(texts);
    return Object.fromEntries(names.map((name, index) => [name, contents[index] ?? ""]));
  };
  const remains = async (): Promise<string[]> =>
    (await readdir(join(machine.driveC, "kindows"))).filter((name) => name.startsWith("logs"));

  it("has the ends of the logs and what Windows says of itself, without secrets", async () => {
    await prepareThrough(machine, "Join-Node");
    await machine.windows.drive.write("C:\\var\\log\\kubelet\\kubelet.log", `x ${joinToken} y\n`);
    await machine.windows.drive.write("C:\\Windows\\Minidump\\1.dmp", "a secret in memory");
    // In the guest Wine's programs are links out of the drive.
    await symlink("/bin/true", join(machine.driveC, "Windows/System32/netstat.exe"));
    const files = await exported();
    assert.equal(files["var_log_kubelet_kubelet.log"], "x [redacted] y\n");
    assert.match(files["os.txt"] ?? "", /^Caption: Microsoft Windows Server 2022 /);
    assert.match(files["services.txt"] ?? "", /Name: kubelet\r\n/);
    assert.match(files["environment.txt"] ?? "", /^Path: .*C:\\k/m);
    assert.match(files["firewall.txt"] ?? "", /Name: kubelet/);
    assert.match(files["defender.txt"] ?? "", /ExclusionPath: /);
    assert.match(files["crashes.txt"] ?? "", /FullName: C:\\Windows\\Minidump\\1\.dmp/);
    assert.doesNotMatch(JSON.stringify(files), /secret in memory/);
    assert.match(files["events-reboots.txt"] ?? "", /Message: The Event log service was started\./);
    assert.match(files["events-hns.txt"] ?? "", /^could not be had: No events were found/);
    assert.deepEqual(await remains(), []);
  });

  it("leaves a second one that is under way alone", async () => {
    const both = await Promise.all([exported(), exported()]);
    for (const files of both) assert.ok("os.txt" in files);
    assert.deepEqual(await remains(), []);
  });

  it("takes away what one that was cut short has left, after a day", async () => {
    const hour = 3600;
    for (const [name, age] of Object.entries({ "logs-old": 25 * hour, "logs-new": hour })) {
      const folder = join(machine.driveC, "kindows", name);
      await mkdir(folder);
      const time = Date.now() / 1000 - age;
      await utimes(folder, time, time);
    }
    await exported();
    assert.deepEqual(await remains(), ["logs-new"]);
  });

  it("shows an object's properties whole, with all lines of a message", async () => {
    const text = 'ConvertTo-LogText -Answer ([pscustomobject]@{ Id = 7; Message = "a`r`nb" })';
    const files = ["Step", "NativeCommand", "LogFiles"];
    assert.equal(await runText(machine, files, text), "Id: 7\nMessage: a\r\nb\n\n");
  });
});
