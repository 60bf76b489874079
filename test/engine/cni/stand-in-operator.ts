import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import { operatorFolder } from "../../../components/cni/calico/definitions-artifact.ts";
import { goEnvironment } from "../../../toolchain/tools/go-build.ts";
import type { ApiServer } from "../plugins/support/api-server.ts";

const deployment = "/apis/apps/v1/namespaces/tigera-operator/deployments/tigera-operator";
const installation = "/apis/operator.tigera.io/v1/installations/default";
const statuses = "/apis/operator.tigera.io/v1/tigerastatuses";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

interface LiveObject {
  readonly metadata: { readonly generation: number };
}

interface LiveDeployment extends LiveObject {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: [{ image: string }] } };
  };
}

interface LiveInstallation extends LiveObject {
  readonly spec: { readonly calicoNetwork: { readonly ipPools: readonly object[] } };
}

/** Address that an API server would publish of itself; one that listens on a loopback address publishes none. */
const publishedAddress = "192.0.2.128";

/** Writes it down in the API server's place. */
export async function publishAddress(server: ApiServer): Promise<void> {
  await server.request("POST", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
    metadata: {
      name: "kubernetes-test",
      labels: { "kubernetes.io/service-name": "kubernetes" },
    },
    addressType: "IPv4",
    endpoints: [{ addresses: [publishedAddress] }],
    ports: [{ name: "https", port: 6443, protocol: "TCP" }],
  });
}

/**
 * Stands in for Tigera's operator, whose image can't be had here, and for the controllers that a lone API server lacks:
 * says of the Deployment that it runs, serves Calico's own API, and says of Calico's parts that they are there.
 * Everything it writes goes through the API server, and so through Calico's real definitions.
 */
export class StandInOperator {
  #running = true;
  #serves = false;
  #loop: Promise<void> = Promise.resolve();
  #failure: Error | undefined;

  /** @param calico Calico's version by the operator's */
  constructor(
    private readonly server: ApiServer,
    private readonly calico: Readonly<Record<string, string>>,
  ) {}

  start(): void {
    this.#loop = (async () => {
      while (this.#running) {
        await this.#reconcile().catch((error: unknown) => {
          this.#failure = error as Error;
        });
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    })();
  }

  /** @throws what went wrong in its last round, unless that was only that a definition was not there yet. */
  async stop(): Promise<void> {
    this.#running = false;
    await this.#loop;
    if (this.#failure !== undefined && !this.#failure.message.startsWith("404"))
      throw this.#failure;
  }

  /** Serves Calico's own API, as its API server would: from the definitions that the operator brings for it. */
  async #serveCalicoApi(operator: string): Promise<void> {
    const folder = path.join(
      await operatorFolder(operator, () => undefined, goEnvironment("go-tests")),
      "pkg/imports/crds/calico/v3.projectcalico.org",
    );
    const wanted = (await readdir(folder)).filter((name) =>
      /_(ipam|felix)configurations\.yaml$/.test(name),
    );
    for (const name of wanted) {
      const definition: unknown = parse(await readFile(path.join(folder, name), "utf8"));
      await this.server.request("POST", definitions, definition);
    }
  }

  async #reconcile(): Promise<void> {
    const operator = await this.server.get<LiveDeployment>(deployment);
    if (operator === undefined) return;
    const { generation } = operator.metadata;
    const one = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
    await this.server.patch(`${deployment}/status`, {
      status: { observedGeneration: generation, ...one },
    });
    const installed = await this.server.get<LiveInstallation>(installation);
    if (installed === undefined) return;
    const [, tag = ""] = operator.spec.template.spec.containers[0].image.split(":v");
    if (!this.#serves) {
      await this.#serveCalicoApi(tag);
      this.#serves = true;
    }
    await this.#report(installed.metadata.generation);
    await this.server.patch(`${installation}/status`, {
      status: { variant: "Calico", calicoVersion: `v${this.calico[tag] ?? ""}` },
    });
  }

  async #report(generation: number): Promise<void> {
    const reported = {
      ...{ reason: "AllObjectsAvailable", message: "" },
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    for (const name of ["ippools", "calico", "apiserver", "calico-windows"]) {
      // Its controller for Windows does not note which generation it has seen.
      const observed = name === "calico-windows" ? {} : { observedGeneration: generation };
      const conditions = ["Available", "Progressing", "Degraded"].map((type) => {
        return { type, status: type === "Available" ? "True" : "False", ...reported, ...observed };
      });
      if ((await this.server.get(`${statuses}/${name}`)) === undefined) {
        const kind = { apiVersion: "operator.tigera.io/v1", kind: "TigeraStatus" };
        await this.server.request("POST", statuses, { ...kind, metadata: { name } });
      }
      await this.server.patch(`${statuses}/${name}/status`, { status: { conditions } });
    }
  }
}
