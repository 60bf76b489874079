import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import ssh2 from "ssh2";
import { waitUntil } from "../../host/wait-until.ts";
import { inContainer, virsh, type TestLab } from "../e2e/lab.ts";

/** Puts a file onto a Windows machine, over SFTP. */
export async function putOnMachine(
  lab: TestLab,
  node: string,
  file: string,
  content: Buffer,
): Promise<void> {
  const { host, user: username, privateKey } = await lab.machine(node);
  const client = new ssh2.Client();
  try {
    await new Promise<void>((resolve, reject) => {
      client.once("error", reject);
      client.once("ready", () => {
        client.sftp((error, sftp) => {
          if (error) return reject(error);
          sftp.mkdir(path.posix.dirname(file), () => {
            sftp.writeFile(file, content, (failure) => (failure ? reject(failure) : resolve()));
          });
        });
      });
      client.connect({ host, username, privateKey });
    });
  } finally {
    client.on("error", () => undefined);
    client.end();
  }
}

/** kubeadm's configuration in the container, with certificates that live for a minute. */
const shortLived =
  `sed 's/^kind: ClusterConfiguration$/&\\ncertificateValidityPeriod: 1m0s/' ` +
  `/kind/kubeadm.conf > /tmp/short.conf; `;

/** Renews all certificates of a control plane with a life of a minute, and waits for its end. */
export async function expireControlPlane(container: string): Promise<void> {
  await inContainer(
    ...[container, "bash", "-euc"],
    `${shortLived} kubeadm certs renew all --config /tmp/short.conf; rm /tmp/short.conf; sleep 61; ` +
      `pkill --exact 'etcd|kube-apiserver'`,
  );
}

/** Gives the kubelet in a container a certificate that has ended. */
export async function expireKubelet(container: string, plane: string): Promise<void> {
  const kubeconfig = await inContainer(
    ...[plane, "kubeadm", "kubeconfig", "user", "--config", "/kind/kubeadm.conf"],
    ...["--org", "system:nodes", "--client-name", `system:node:${container}`],
    ...["--validity-period", "1m"],
  );
  const data = (key: string): string =>
    new RegExp(`client-${key}-data: (\\S+)`).exec(kubeconfig)?.[1] ?? assert.fail(key);
  await inContainer(
    ...[container, "bash", "-euc"],
    `cd /var/lib/kubelet/pki; sleep 61; umask 077; ` +
      `(echo ${data("certificate")} | base64 -d; echo ${data("key")} | base64 -d) > old.pem; ` +
      `ln -sf old.pem kubelet-client-current.pem; systemctl restart kubelet`,
  );
}

/** Where a volume is, whose name alone is known. */
async function pathOf(volume: string): Promise<string> {
  for (const pool of (await virsh("pool-list", "--name")).split("\n")) {
    const file = await virsh("vol-path", "--pool", pool.trim(), volume).catch(() => undefined);
    if (file !== undefined) return file.trim();
  }
  return assert.fail(`no pool has the volume ${volume}`);
}

/** A disk of a machine's on a small file system of its own, which can be filled without harm to the host. */
export class SmallDisk {
  private readonly image: string;
  private readonly folder: string;
  private readonly ballast: string;
  private file = "";

  constructor(private readonly domain: string) {
    this.image = `/var/tmp/${domain}.img`;
    this.folder = `/mnt/${domain}`;
    this.ballast = path.join(this.folder, "ballast");
  }

  /** Turns the machine off and moves its disk here. */
  async take(): Promise<void> {
    // What a test has left that was killed.
    await execa("umount", [this.folder], { reject: false });
    await virsh("destroy", this.domain);
    const disks = await virsh("domblklist", this.domain);
    const volume = /^\s*vda\s+(\S+)/m.exec(disks)?.[1] ?? assert.fail(disks);
    const file = volume.startsWith("/") ? volume : await pathOf(volume);
    const { stdout } = await execa("du", ["--block-size=1M", file]);
    const sizeMiB = Number.parseInt(stdout, 10) + 3072;
    await execa("truncate", ["--size", `${sizeMiB}M`, this.image]);
    await execa("mkfs.ext4", ["-q", "-F", "-m", "0", this.image]);
    await execa("mkdir", ["-p", this.folder]);
    await execa("mount", ["-o", "loop", this.image, this.folder]);
    await execa("chmod", ["755", this.folder]);
    this.file = file;
    await execa("mv", [file, this.folder]);
    await execa("ln", ["--symbolic", path.join(this.folder, path.basename(file)), file]);
  }

  /** Leaves no room. */
  async fill(): Promise<void> {
    const { stdout } = await execa("df", ["--block-size=1", "--output=avail", this.folder]);
    const free = Number(stdout.split("\n").at(-1));
    await execa("fallocate", ["--length", String(free - 1024 * 1024), this.ballast]);
  }

  async makeRoom(): Promise<void> {
    await rm(this.ballast, { force: true });
  }

  /** Turns the machine off and moves its disk back, also after a test that failed anywhere; nothing where it is not here. */
  async giveBack(): Promise<void> {
    if (this.file === "") return;
    await virsh("destroy", this.domain).catch(() => undefined); // Fails when it does not run.
    await this.makeRoom();
    await execa("mv", [path.join(this.folder, path.basename(this.file)), this.file]);
    await execa("umount", [this.folder]);
    await execa("rmdir", [this.folder]);
    await rm(this.image, { force: true });
    this.file = "";
  }
}

/** Waits until libvirt has paused a machine for an error of its disk. */
export async function pausedByItsDisk(domain: string): Promise<void> {
  const what = `${domain} to be paused by a full disk`;
  await waitUntil({ what, timeoutSeconds: 180, pollMilliseconds: 1000 }, async () => {
    const state = (await virsh("domstate", "--reason", domain)).trim();
    return /I\/O error/.test(state) ? undefined : state;
  });
}
