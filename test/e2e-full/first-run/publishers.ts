import { createReadStream, statSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import path from "node:path";
import { execa } from "execa";
import { archiveName } from "../../../components/controlplane/node-image/build-node-image.ts";
import { nodeImage } from "../../../components/controlplane/node-image/artifact.ts";
import { bundledPlugins } from "../../../plugins/catalog.ts";
import { guestTools } from "../../../rehearsal/image/artifact.ts";
import { sha256OfFile } from "../../../toolchain/cache-marker.ts";
import { ensureArtifacts } from "../../../toolchain/ensure.ts";
import { ensureHostPackages } from "../../../toolchain/host-packages.ts";
import { pluginArtifact, pluginDownloads } from "../../../toolchain/plugin-artifact.ts";
import type { PublishedFile } from "../../../toolchain/publisher.ts";
import { ownRelease } from "../../../toolchain/tools/own-release.ts";
import * as tools from "../../../toolchain/tools/table.ts";
import type { Download } from "../../../toolchain/tools/tool.ts";
import { zip } from "../../unit/toolchain/zip-file.ts";

const dockerHub = "registry-1.docker.io";

/** A file on this machine, or what is to be said. */
type Answer = { readonly file: string; readonly type?: string } | { readonly text: string };

/**
 * Publishers on one address of this machine, for whoever takes that for theirs: GitHub, dl.k8s.io and Docker Hub. What
 * they have was made here from Go modules; the checksums that they tell are of that.
 */
export class StandInPublishers {
  /** Digest of the image that Docker Hub has as kind's node image. */
  nodeImageDigest = "";
  /** Paths that nobody has. */
  readonly lacking: string[] = [];
  private readonly releases = new Map<string, readonly object[]>();
  private readonly answers = new Map<string, Answer>();
  private server: ReturnType<typeof createServer> | undefined;

  /** @param folder that gets archives and the certificate. */
  constructor(private readonly folder: string) {}

  get hosts(): readonly string[] {
    const urls = [...this.answers.keys()].map((url) => new URL(url).host);
    return [...new Set(urls)];
  }

  get authority(): string {
    return path.join(this.folder, "authority.pem");
  }

  /**
   * Makes what they publish, as archives of the kinds they have.
   *
   * @param clone whose own release has the guest's programs.
   */
  async make(clone: string, say: (line: string) => void): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const { pulumi, terraformBridge, terraformProviderLibvirt, kubectl, kind } = tools;
    const table = [pulumi, terraformBridge, terraformProviderLibvirt, kubectl, kind];
    const plugins = bundledPlugins.map((plugin) => ({
      ...{ plugin, artifact: pluginArtifact(plugin, "bundled") },
    }));
    const ensurePackages = (names: readonly string[]) => ensureHostPackages(names, say);
    const ensured = await ensureArtifacts(
      [...table, ...plugins.map(({ artifact }) => artifact), ...guestTools, nodeImage],
      { progress: say, ensurePackages },
    );
    const languageHost = plugins.find(({ plugin }) => plugin.kind === "language");
    for (const artifact of table) {
      for (const download of artifact.tool.downloads ?? []) {
        await this.publish(download, (name) =>
          name === tools.languageHost && languageHost
            ? path.join(ensured.path(languageHost.artifact), languageHost.plugin.executable)
            : path.join(ensured.path(artifact), name),
        );
      }
    }
    for (const { plugin, artifact } of plugins) {
      for (const download of pluginDownloads(plugin)) {
        await this.publish(download, (name) => path.join(ensured.path(artifact), name));
      }
    }
    for (const artifact of guestTools) {
      for (const download of (await ownRelease(artifact, clone)) ?? []) {
        await this.publish(download, (name) => path.join(ensured.path(artifact), name));
      }
    }
    await this.publishNodeImage(path.join(ensured.path(nodeImage), archiveName));
  }

  private async publish(download: Download, built: (name: string) => string): Promise<void> {
    const file = path.join(this.folder, path.posix.basename(download.url));
    if ("executable" in download) {
      await cp(built(download.executable), file);
    } else if (file.endsWith(".zip")) {
      const members = Object.entries(download.members).map(
        async ([name, member]) => [member, await readFile(built(name))] as const,
      );
      await writeFile(file, zip(Object.fromEntries(await Promise.all(members))));
    } else {
      const work = path.join(this.folder, "work", path.basename(file));
      for (const [name, member] of Object.entries(download.members)) {
        await cp(built(name), path.join(work, member));
      }
      const members = Object.values(download.members);
      await execa("tar", ["-I", "gzip -1", "-cf", file, "-C", work, ...members]);
    }
    await this.vouch(download, file);
  }

  /** Gives the checksum as the publisher does: GitHub lists all files of a release. */
  private async vouch({ url, checksumUrl = "" }: PublishedFile, file: string): Promise<void> {
    const sha256 = await sha256OfFile(file);
    const name = path.posix.basename(url);
    let text = `${sha256}  ${name}\n`;
    if (checksumUrl.startsWith("https://api.github.com/")) {
      const assets = [
        ...(this.releases.get(checksumUrl) ?? []),
        { name, digest: `sha256:${sha256}` },
      ];
      this.releases.set(checksumUrl, assets);
      text = JSON.stringify({ assets });
    }
    this.answers.set(url, { file });
    this.answers.set(checksumUrl, { text });
    this.answers.set(new URL("/", url).href, { text: "" }); // asked by who wonders whether it can be reached
  }

  private async publishNodeImage(archive: string): Promise<void> {
    const folder = path.join(this.folder, "node-image");
    await mkdir(folder);
    await execa("tar", ["-xf", archive, "-C", folder]);
    const read = async (name: string): Promise<string> => readFile(path.join(folder, name), "utf8");
    const { manifests } = JSON.parse(await read("index.json")) as {
      manifests: { digest: string }[];
    };
    this.nodeImageDigest = manifests[0]?.digest ?? "";
    const blob = (digest: string): string => path.join("blobs", digest.replace(":", "/"));
    const manifest = JSON.parse(await read(blob(this.nodeImageDigest))) as {
      mediaType: string;
      config: { digest: string };
      layers: { digest: string }[];
    };
    const image = `https://${dockerHub}/v2/kindest/node`;
    this.answers.set(`https://${dockerHub}/v2/`, { text: "{}" });
    this.answers.set(`${image}/manifests/${this.nodeImageDigest}`, {
      ...{ file: path.join(folder, blob(this.nodeImageDigest)), type: manifest.mediaType },
    });
    for (const { digest } of [manifest.config, ...manifest.layers]) {
      this.answers.set(`${image}/blobs/${digest}`, { file: path.join(folder, blob(digest)) });
    }
  }

  /** Answers at port 443 of an address, with a certificate by an authority of its own. */
  async listen(address: string): Promise<void> {
    const key = path.join(this.folder, "key.pem");
    const names = this.hosts.map((host) => `DNS:${host}`).join(",");
    await execa("openssl", [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-days", "2", "-subj", "/CN=stand-in", "-addext", `subjectAltName=${names}`],
      ...["-keyout", key, "-out", this.authority],
    ]);
    const identity = { key: await readFile(key), cert: await readFile(this.authority) };
    this.server = createServer(identity, (request, response) => this.answer(request, response));
    this.server.listen(443, address);
    await once(this.server, "listening");
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const url = `https://${request.headers.host ?? ""}${request.url ?? ""}`;
    const answer = this.answers.get(url);
    const withBody = request.method !== "HEAD";
    if (answer === undefined) {
      this.lacking.push(url);
      response.writeHead(404).end();
    } else if ("text" in answer) {
      response.writeHead(200, { "content-length": Buffer.byteLength(answer.text) });
      response.end(withBody ? answer.text : undefined);
    } else {
      const [, digest] = /(sha256:[0-9a-f]{64})$/.exec(url) ?? [];
      response.writeHead(200, {
        ...{ "content-length": statSync(answer.file).size },
        ...{ "content-type": answer.type ?? "application/octet-stream" },
        ...(digest && { "docker-content-digest": digest }),
      });
      if (withBody) createReadStream(answer.file).pipe(response);
      else response.end();
    }
  }

  async stop(): Promise<void> {
    if (this.server === undefined) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }
}
