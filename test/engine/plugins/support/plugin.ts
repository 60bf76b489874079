import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import * as grpc from "@grpc/grpc-js";
import type { Metadata, ServiceError } from "@grpc/grpc-js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import engineGrpc from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb.js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import provider from "@pulumi/pulumi/proto/provider_pb.js";
import type {
  CheckResponse,
  CreateResponse,
  DiffResponse,
  ReadResponse,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb.js";
import status from "@pulumi/pulumi/proto/status_pb.js";
import { pulumiHome } from "../../../../toolchain/project.ts";
import { bundledPlugins } from "../../../../offline/plugins/catalog.ts";
import { commandProvider } from "../../../../offline/plugins/command/provider.ts";
import { dockerProvider } from "../../../../offline/plugins/docker/provider.ts";
import { kindowsProvider } from "../../../../offline/plugins/kindows/provider.ts";
import { kubernetesProvider } from "../../../../offline/plugins/kubernetes/provider.ts";
import type { PropertyMap } from "../../../../offline/plugins/protocol/property-value.ts";
import { providerService } from "../../../../offline/plugins/protocol/provider-service.ts";
import { fromStruct, toStruct } from "../../../../offline/plugins/protocol/struct.ts";
import { unary } from "../../../../offline/plugins/protocol/unary.ts";
import { started, stopped } from "../../../left-running.ts";
import { type Message, official } from "./engine.ts";

const definitions = {
  command: () => commandProvider,
  docker: dockerProvider,
  kindows: () => kindowsProvider,
  kubernetes: kubernetesProvider,
} as const;

const severities = ["debug", "info", "warning", "error"] as const;

/** An operation on a resource, in the engine's terms. */
export type Step =
  "create" | "same" | "update" | "create-replacement" | "delete-replaced" | "refresh" | "gone";

/**
 * A plugin, and the engine's side of its protocol. Bundled plugins are served in this process; official ones
 * (KINDOWS_PLUGINS=official) are started like the engine does.
 */
export class Plugin {
  /** Its log lines to the engine, with the names of their resources. */
  readonly messages: Message[] = [];
  readonly #servers: grpc.Server[] = [];
  #client: ResourceProviderClient | undefined;
  #process: ChildProcess | undefined;

  /** @param settings the provider's settings. */
  static async start(name: keyof typeof definitions, settings: PropertyMap = {}): Promise<Plugin> {
    const plugin = new Plugin();
    started(`the plugin ${name}`, plugin);
    const engine = await plugin.#serve((server) => {
      const log = unary((request: LogRequest) => {
        plugin.messages.push({
          resource: request.getUrn().slice(request.getUrn().lastIndexOf("::") + 2),
          severity: severities[request.getSeverity()] ?? "",
          text: request.getMessage().trim(),
        });
        return new empty.Empty();
      });
      server.addService(engineGrpc.EngineService, { log });
    });
    const address =
      official && name !== "kindows"
        ? await plugin.#spawn(name, engine)
        : await plugin.#serve((server) => {
            const service = providerService(definitions[name](), engine);
            server.addService(providerGrpc.ResourceProviderService, service);
          });
    plugin.#client = new providerGrpc.ResourceProviderClient(
      address,
      grpc.credentials.createInsecure(),
    );
    await plugin.configure(settings);
    return plugin;
  }

  get client(): ResourceProviderClient {
    if (this.#client === undefined) throw new Error("the plugin was not started");
    return this.#client;
  }

  async configure(settings: PropertyMap): Promise<void> {
    const request = new provider.ConfigureRequest();
    request.setArgs(toStruct(settings));
    request.setAcceptsecrets(true);
    await ask((done) => this.client.configure(request, done));
  }

  /** A resource of this plugin that does not exist yet. */
  resource(type: string, name: string): Resource {
    return new Resource(this, type, name);
  }

  /** Cancels running operations, like ^C in the engine. */
  async cancel(): Promise<void> {
    await ask((done) => this.client.cancel(new empty.Empty(), done));
  }

  async stop(): Promise<void> {
    stopped(this);
    this.#client?.close();
    this.#process?.stdin?.end();
    if (this.#process?.exitCode === null) await once(this.#process, "exit");
    this.#servers.forEach((server) => server.forceShutdown());
  }

  async #serve(add: (server: grpc.Server) => void): Promise<string> {
    const server = new grpc.Server();
    add(server);
    this.#servers.push(server);
    const credentials = grpc.ServerCredentials.createInsecure();
    const port = await ask<number>((done) => server.bindAsync("127.0.0.1:0", credentials, done));
    return `127.0.0.1:${String(port)}`;
  }

  async #spawn(name: string, engine: string): Promise<string> {
    const { version, executable } =
      bundledPlugins.find((each) => each.name === name) ?? ({} as never);
    const file = path.join(pulumiHome, "plugins", `resource-${name}-v${version}`, executable);
    // A script is the bundled plugin, which must not be tested as the official one.
    if ((await readFile(file)).toString("latin1", 0, 2) === "#!") {
      throw new Error(`${file} is the bundled plugin: run KINDOWS_PLUGINS=official make engine`);
    }
    this.#process = spawn(file, [engine], { stdio: ["pipe", "pipe", "inherit"] });
    const output = this.#process.stdout;
    if (output === null) throw new Error(`${file} has no output`);
    const [port] = (await once(createInterface(output), "line")) as [string];
    return `127.0.0.1:${port}`;
  }
}

/** One resource and its entry in the engine's state. A test gives inputs, and sees which operations follow. */
export class Resource {
  id = "";
  inputs: PropertyMap = {};
  /** Outputs, including inputs. */
  state: PropertyMap = {};
  /** Why it was created but did not become ready; empty if it did. */
  initErrors: readonly string[] = [];

  constructor(
    readonly plugin: Plugin,
    readonly type: string,
    readonly name: string,
  ) {}

  /** @throws if the plugin refuses inputs, or fails. */
  async up(news: PropertyMap, seconds = 0): Promise<Step[]> {
    const inputs = await this.#check(news);
    if (this.id === "") return this.#create(inputs, seconds, "create");
    const diff = await this.#diff(inputs);
    if (diff.getReplacesList().length > 0) {
      if (diff.getDeletebeforereplace()) {
        await this.delete();
        return ["delete-replaced", ...(await this.#create(inputs, seconds, "create-replacement"))];
      }
      const old = Object.assign(new Resource(this.plugin, this.type, this.name), this);
      const created = await this.#create(inputs, seconds, "create-replacement");
      await old.delete();
      return [...created, "delete-replaced"];
    }
    if (isNone(diff) && this.initErrors.length === 0) return ["same"];
    const request = this.#named(new provider.UpdateRequest());
    request.setId(this.id);
    request.setOldInputs(toStruct(this.inputs));
    request.setOlds(toStruct(this.state));
    request.setNews(toStruct(inputs));
    request.setTimeout(seconds);
    const done = await this.#keep(
      ask<UpdateResponse>((each) => this.plugin.client.update(request, each)),
    );
    [this.inputs, this.state] = [inputs, fromStruct(done.getProperties())];
    return ["update"];
  }

  /** The operation that a preview shows. */
  async preview(news: PropertyMap): Promise<{ steps: Step[]; state: PropertyMap }> {
    const copy = Object.assign(new Resource(this.plugin, this.type, this.name), this);
    const inputs = await copy.#check(news);
    if (this.id === "") {
      return { steps: await copy.#create(inputs, 0, "create", true), state: copy.state };
    }
    const diff = await copy.#diff(inputs);
    if (diff.getReplacesList().length > 0) return { steps: ["create-replacement"], state: {} };
    return { steps: [isNone(diff) ? "same" : "update"], state: this.state };
  }

  /** Reads the resource; returns `refresh` if it differs from the state. */
  async refresh(): Promise<Step> {
    const request = this.#named(new provider.ReadRequest());
    request.setId(this.id);
    request.setInputs(toStruct(this.inputs));
    request.setProperties(toStruct(this.state));
    const read = await this.#keep(
      ask<ReadResponse>((done) => this.plugin.client.read(request, done)),
    );
    if (read.getId() === "") {
      this.id = "";
      return "gone";
    }
    const before = JSON.stringify(this.inputs);
    this.inputs = fromStruct(read.getInputs());
    this.state = fromStruct(read.getProperties());
    return JSON.stringify(this.inputs) === before ? "same" : "refresh";
  }

  async delete(seconds = 0): Promise<void> {
    const request = this.#named(new provider.DeleteRequest());
    request.setId(this.id);
    request.setOldInputs(toStruct(this.inputs));
    request.setProperties(toStruct(this.state));
    request.setTimeout(seconds);
    await ask((done) => this.plugin.client.delete(request, done));
    this.id = "";
  }

  async #check(news: PropertyMap): Promise<PropertyMap> {
    const request = this.#named(new provider.CheckRequest());
    request.setOlds(toStruct(this.inputs));
    request.setNews(toStruct(news));
    request.setRandomseed(randomBytes(32));
    const checked = await ask<CheckResponse>((done) => this.plugin.client.check(request, done));
    const refused = checked.getFailuresList().map((each) => each.getReason());
    if (refused.length > 0) throw new Error(refused.join("\n"));
    return fromStruct(checked.getInputs());
  }

  #diff(news: PropertyMap): Promise<DiffResponse> {
    const request = this.#named(new provider.DiffRequest());
    request.setId(this.id);
    request.setOldInputs(toStruct(this.inputs));
    request.setOlds(toStruct(this.state));
    request.setNews(toStruct(news));
    return ask((done) => this.plugin.client.diff(request, done));
  }

  async #create(
    inputs: PropertyMap,
    seconds: number,
    step: Step,
    preview = false,
  ): Promise<Step[]> {
    const request = this.#named(new provider.CreateRequest());
    request.setProperties(toStruct(inputs));
    request.setTimeout(seconds);
    request.setPreview(preview);
    const created = await this.#keep(
      ask<CreateResponse>((done) => this.plugin.client.create(request, done)),
    );
    Object.assign(this, { id: created.getId(), inputs });
    this.state = fromStruct(created.getProperties());
    return [step];
  }

  /** A resource that was created but did not become ready is in the state; the next `up` updates it. */
  async #keep<Response>(answer: Promise<Response>): Promise<Response> {
    try {
      const response = await answer;
      this.initErrors = [];
      return response;
    } catch (error) {
      const [details] =
        (error as { metadata?: Metadata }).metadata?.get("grpc-status-details-bin") ?? [];
      const [detail] =
        details === undefined
          ? []
          : status.Status.deserializeBinary(details as Buffer).getDetailsList();
      if (detail !== undefined) {
        const failure = provider.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
        this.id = failure.getId();
        this.inputs = fromStruct(failure.getInputs());
        this.state = fromStruct(failure.getProperties());
        this.initErrors = failure.getReasonsList();
      }
      throw error;
    }
  }

  #named<Request extends NamedRequest>(request: Request): Request {
    request.setUrn(`urn:pulumi:dev::test::${this.type}::${this.name}`);
    request.setType(this.type);
    request.setName(this.name);
    return request;
  }
}

function isNone(diff: DiffResponse): boolean {
  return diff.getChanges() === provider.DiffResponse.DiffChanges.DIFF_NONE;
}

interface NamedRequest {
  setUrn(urn: string): unknown;
  setType(type: string): unknown;
  setName(name: string): unknown;
}

function ask<Response>(
  call: (done: (error: ServiceError | Error | null, response: Response) => void) => unknown,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    call((error, response) => {
      if (error) reject(error);
      else resolve(response);
    });
  });
}
