import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import {
  chmod,
  cp,
  mkdir,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import { parse, stringify } from "yaml";
import { builtTool } from "../../../toolchain/built.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import { inNewFolder } from "../../unit/new-folder.ts";
import { ownAddress, ownPort } from "../../own-address.ts";
import { CopiedProject } from "../plugins/support/sources.ts";
import { makeKey, SshServer } from "../plugins/support/ssh-server.ts";
import { cacheRoot, ownCache } from "../../../toolchain/own-cache.ts";

/** On the machine: what comes of its logs. */
const powershell = `#!/bin/sh
cd "$(mktemp -d)" && echo "kubelet was here" > kubelet.log && tar cz kubelet.log | base64 -w 0 && echo
echo '{"step":"Export-NodeLog","changed":false,"rebootRequired":false,"seconds":1,"facts":{}}'
`;
/** On this host, for what a real one takes: which key its settings give it, for what host, and as whom. */
const ssh = `#!/bin/sh
while IFS=' "' read -r name value rest; do
  case $name in
    IdentityFile) key=$value ;;
    UserKnownHostsFile) hosts=$value ;;
    HostName) host=$value ;;
    User) user=$value ;;
  esac
done <"$2"
grep -c PRIVATE "$key"
cut -d" " -f1 "$hosts"
shift 2
echo "$user@$host" "$@"
`;

const settings = {
  // No name that processes of another lab carry.
  "kindows:lab": { name: `clones-${process.pid}` },
  "kindows:hypervisor": { domainType: "qemu" },
  "kindows:windows": { image: { kind: "rehearsal" } },
  "kindows:nodes": [{ name: "win-1" }],
  "aws:region": "eu-central-1",
};

describe("two clones that share a backend", () => {
  const at = inNewFolder();
  const claim = at("cache/labs", `kindows-clones-${process.pid}.json`);
  const [key, hostKey] = [makeKey(), makeKey()];
  const searchPath = process.env["PATH"] ?? "";
  let clones: readonly [CopiedProject, CopiedProject];
  let machine: SshServer;
  let vault: Server;
  /** What a user has set, and the programs of the host that this takes: none that could tell of Docker or libvirt. */
  let environment: Readonly<Record<string, string>>;

  const run = (clone: CopiedProject, program: string, args: readonly string[]) =>
    execa(program, args, {
      ...({ all: true, reject: false, timeout: 300_000, extendEnv: false } as const),
      cwd: clone.at(),
      env: environment,
    });
  const kindows = (clone: CopiedProject, ...args: readonly string[]) =>
    run(clone, process.execPath, ["toolchain/program/run.js", "cli/main.ts", ...args]);
  /** Without anything of ./kindows' own. */
  const pulumi = (...args: readonly string[]) =>
    run(clones[0], builtTool("pulumi"), [...args, "--non-interactive"]);

  before(async () => {
    machine = await SshServer.start({ hostKey, authorizedKeys: [key.publicKey] });
    vault = await startVault();
    for (const [name, text] of Object.entries({ "powershell.exe": powershell, ssh })) {
      await mkdir(at("bin"), { recursive: true });
      await writeFile(at("bin", name), text);
      await chmod(at("bin", name), 0o755);
    }
    process.env["PATH"] = `${at("bin")}:${searchPath}`; // The SSH server's, too.
    const ofPlugins = ["node", "readlink", "dirname", "mv", "cat"];
    for (const program of [...ofPlugins, "setpriv", "grep", "cut"]) {
      await symlink((await execa("which", [program])).stdout, at("bin", program));
    }
    clones = [await CopiedProject.create(), await CopiedProject.create()];
    for (const clone of clones) {
      // Installs packages, and builds images.
      const prepared = `export const prepareStack = (): Promise<void> => Promise.resolve();
        export { prepareStack as prepareExisting, prepareStack as unprepared };\n`;
      await writeFile(clone.at("cli/prepare/prepare.ts"), prepared);
      const stopped = clone.at("cli/host-resources/stopped.ts");
      const daemons = /(?<=export async function startDaemons\(.*\{)$/m;
      await writeFile(stopped, (await readFile(stopped, "utf8")).replace(daemons, "return;"));
      await cp(path.join(import.meta.dirname, "lab-program.ts"), clone.at("index.ts"));
    }
    await mkdir(at("home"), { recursive: true });
    const cache = ownCache(at("cache"));
    await symlink(path.join(cacheRoot(), "artifacts"), path.join(cache, "artifacts"));
    await symlink(clones[0].at(".kindows/pulumi/plugins"), at("home/plugins"));
    const connection = { host: "127.0.0.1", port: machine.port, user: "me" };
    environment = {
      PULUMI_HOME: at("home"),
      PATH: at("bin"),
      // Not the user's: there a run locks the stack's name for all clones, and so for another run of this test.
      KINDOWS_CACHE: cache,
      DOCKER_HOST: "unix:///nonexistent/docker.sock",
      PULUMI_CONFIG_PASSPHRASE: "ours",
      AWS_ACCESS_KEY_ID: "key",
      AWS_SECRET_ACCESS_KEY: "sesame",
      AWS_REGION: "us-east-1",
      VAULT_SERVER_URL: `http://127.0.0.1:${(vault.address() as AddressInfo).port}`,
      VAULT_SERVER_TOKEN: "token",
      LAB: JSON.stringify({
        connection,
        hostKey: hostKey.publicKey,
        privateKey: key.privateKey,
        kubeconfig: kubeconfigOf(machine.port),
        removed: at("removed"),
      }),
    };
  });
  after(async () => {
    process.env["PATH"] = searchPath;
    await machine.stop();
    await new Promise((resolve) => vault.close(resolve));
  });

  /** Locks the stack, as a run on a host does that ended long ago. */
  async function lock(state: string, hostname: string): Promise<void> {
    const locks = path.join(state, "locks/organization/kindows/dev");
    await mkdir(locks, { recursive: true });
    const held = { pid: 4_194_305, username: "me", timestamp: new Date(0).toISOString() };
    await writeFile(path.join(locks, "held.json"), JSON.stringify({ ...held, hostname }));
  }

  /** From the first one's `up` to the second one's `down`. */
  async function takeTurns(
    state: string,
    seal: Readonly<Record<string, string>>,
    meanwhile: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const [first, second] = clones;
    const file = (clone: CopiedProject): string => clone.at("Pulumi.dev.yaml");
    await writeFile(file(first), stringify({ ...seal, config: settings }));
    const up = await kindows(first, "up", "--stack", "dev");
    // All that is wrong is that no API server answers.
    assert.match(up.all, /win-1 .*ssh -F/, up.all);
    assert.equal(
      (JSON.parse(await readFile(claim, "utf8")) as { project: string }).project,
      first.at(),
    );
    assert.ok(existsSync(path.join(state, "stacks/kindows/dev.json")));
    assert.deepEqual(await readdir(first.at(".kindows/state")), []);
    await cp(file(first), file(second));

    const status = await kindows(second, "status", "--stack", "dev", "--json");
    assert.match(status.stdout, /"machinesOfStack"/, status.all);
    for (const name of ["kubeconfig", "id_ed25519", "known_hosts", "ssh_config"]) {
      const { mode } = await stat(second.at(".kindows/dev", name));
      assert.equal(mode & 0o777, 0o600, name);
    }
    await meanwhile();
    // One that was killed is no more in the way than here.
    await lock(state, os.hostname());
    const down = await kindows(second, "down", "--stack", "dev");
    assert.equal(down.exitCode, 0, down.all);
    assert.match(down.all, /removed the lock of a run that was killed/);
    assert.equal(await readFile(at("removed"), "utf8"), "gone\n");
    assert.ok(!existsSync(claim));
  }

  it("files, logged in to", async () => {
    await mkdir(at("files"));
    const login = await pulumi("login", `file://${at("files")}`);
    assert.equal(login.exitCode, 0, login.all);
    const [first, second] = clones;
    await takeTurns(at("files/.pulumi"), {}, async () => {
      // Plain Pulumi knows it, and everybody has its settings.
      const output = await pulumi("stack", "output", "nodes", "--stack", "dev");
      assert.match(output.stdout, /win-1/, output.all);
      const shell = await kindows(second, "ssh", "--stack", "dev", "win-1", "hostname");
      assert.equal(shell.stdout, "2\n127.0.0.1,win-1\nme@127.0.0.1 win-1 hostname", shell.all);
      const logs = await kindows(second, "logs", "--stack", "dev");
      assert.match(logs.all, /logs of win-1: /, logs.all);
      const verify = await kindows(second, "verify", "--stack", "dev");
      // It goes as far as the machine, which speaks no TLS.
      assert.match(verify.all, /SSL routines/, verify.all);

      // A run elsewhere may be at work.
      await lock(at("files/.pulumi"), "elsewhere");
      const kept = await kindows(second, "down", "--stack", "dev");
      assert.equal(kept.exitCode, 3, kept.all);
      assert.match(kept.all, /locked by me@elsewhere/);
      assert.ok(!existsSync(at("removed")));
    });
    const again = await kindows(first, "status", "--stack", "dev");
    assert.match(again.all, /the stack dev is not up/);
    await rm(at("home/credentials.json"));
  });

  describe("an S3 server, with a secrets provider that is none of the engine's own", () => {
    let server: ChildProcess;
    before(async () => {
      await mkdir(at("s3/lab"), { recursive: true });
      const place = `${ownAddress()}:${await ownPort()}`;
      const options = ["--access", "key", "--secret", "sesame", "--quiet"];
      server = spawn(
        builtTool("versitygw"),
        ["--port", place, ...options, "posix", "--nometa", at("s3")],
        { stdio: "ignore" },
      );
      const question = { what: "the S3 server", timeoutSeconds: 30, pollMilliseconds: 100 };
      await waitUntil(question, async () => {
        await fetch(`http://${place}`);
        return undefined;
      });
      const url = `s3://lab?endpoint=http://${place}&s3ForcePathStyle=true`;
      environment = { ...environment, PULUMI_BACKEND_URL: url };
      await rm(at("removed"), { force: true });
    });
    after(() => server.kill());

    it("does as well", async () => {
      const unseal = { secretsprovider: "hashivault://kindows" };
      await takeTurns(at("s3/lab/.pulumi"), unseal);
      const { encryptionsalt, ...sealed } = parse(
        await readFile(clones[0].at("Pulumi.dev.yaml"), "utf8"),
      ) as Readonly<Record<string, unknown>>;
      assert.equal(encryptionsalt, undefined);
      assert.match(String(sealed["encryptedkey"]), /./);
    });

    it("without the store's credentials, or without the store: says so, and what to do", async () => {
      const [, second] = clones;
      const said = async (...args: readonly string[]): Promise<string> => {
        const { all, exitCode } = await kindows(second, ...args, "--stack", "dev");
        assert.equal(exitCode, 1, all);
        return all;
      };
      environment = { ...environment, AWS_SECRET_ACCESS_KEY: "wrong" };
      const one =
        /^kindows: the backend s3:.* cannot be used \(.*\): log in to it with `pulumi login`.*$/;
      assert.match(await said("status"), one);
      server.kill();
      assert.match(await said("logs"), one);
      assert.match(await said("down"), /refused/);
      environment = { ...environment, PULUMI_BACKEND_URL: "https://me:sesame@127.0.0.1:1" };
      assert.match(await said("status"), /^kindows: the backend https:\/\/\[redacted\]@.*\n?$/);
    });
  });
});

function kubeconfigOf(port: number): string {
  const certificate = Buffer.from("none").toString("base64");
  const server = { server: `https://127.0.0.1:${port}`, "certificate-authority-data": certificate };
  const cluster = { name: "kw", cluster: server };
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "kw",
    clusters: [cluster],
    contexts: [{ name: "kw", context: { cluster: "kw", user: "kw" } }],
    users: [{ name: "kw", user: { token: "token" } }],
  });
}

/** What HashiCorp Vault's transit engine does, for the one key that there is. */
async function startVault(): Promise<Server> {
  const vault = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as Readonly<
        Record<string, string>
      >;
      const data = request.url?.includes("/encrypt/")
        ? { ciphertext: `vault:v1:${asked["plaintext"]}` }
        : { plaintext: asked["ciphertext"]?.replace("vault:v1:", "") };
      response.setHeader("content-type", "application/json").end(JSON.stringify({ data }));
    });
  });
  await new Promise<void>((resolve) => vault.listen(0, "127.0.0.1", resolve));
  return vault;
}
