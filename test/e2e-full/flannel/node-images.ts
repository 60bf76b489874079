import { execa } from "execa";
import { clusterLabel } from "../../../config/names.ts";

/** Gives each node container of a kind cluster an archive of images as soon as its containerd takes them. */
export class NodeImages {
  private readonly given = new Set<string>();
  private readonly stop = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly cluster: string,
    private readonly archive: string,
  ) {}

  /** From now on, until `end`: containers come with `up`, and go. */
  start(): void {
    this.running = this.watch();
  }

  async end(): Promise<void> {
    this.stop.abort();
    await this.running;
  }

  private async watch(): Promise<void> {
    while (!this.stop.signal.aborted) {
      for (const container of await this.containers()) {
        // One that is not so far yet has another turn.
        if (!this.given.has(container) && (await this.give(container))) this.given.add(container);
      }
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }

  /** By id: one that is rebuilt has the name of the one before. */
  private async containers(): Promise<readonly string[]> {
    const listed = await execa(
      "docker",
      ["ps", "--quiet", "--no-trunc", "--filter", `label=${clusterLabel}=${this.cluster}`],
      { reject: false, timeout: 60_000 },
    );
    return listed.stdout.split("\n").filter((id) => id !== "");
  }

  private async give(container: string): Promise<boolean> {
    const ctr = ["ctr", "--namespace", "k8s.io", "images", "import", "-"];
    const { failed } = await execa("docker", ["exec", "--interactive", container, ...ctr], {
      inputFile: this.archive,
      reject: false,
      timeout: 120_000,
    });
    return !failed;
  }
}
