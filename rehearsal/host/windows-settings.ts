import type { Drive } from "./drive.ts";
import { type Route, type RouteStore, routeStores, routeText } from "./routes.ts";
import { type RegistryKey, variablesKey } from "../windows/registry.ts";
import type { HostNetwork, HostState } from "./state.ts";

const versions = "SOFTWARE\\Microsoft\\Windows\\CurrentVersion";

/** The machine's variables as Windows sets them up. */
const ownVariables = {
  ComSpec: "%SystemRoot%\\system32\\cmd.exe",
  OS: "Windows_NT",
  Path: "%SystemRoot%\\system32;%SystemRoot%",
  PROCESSOR_ARCHITECTURE: "AMD64",
  TEMP: "%SystemRoot%\\TEMP",
  windir: "%SystemRoot%",
} as const;

/**
 * What Windows itself keeps about a machine: features, PATH, variables, firewall, policies, Defender, routes, HNS. Changed
 * by the steps, kept through reboots.
 */
export class WindowsSettings {
  readonly #drive: Drive;
  readonly #state: HostState;
  readonly #save: () => Promise<void>;
  readonly #registry: RegistryKey;
  #routesInForce: Route[];

  constructor(
    drive: Drive,
    state: HostState,
    save: () => Promise<void>,
    /** HKEY_LOCAL_MACHINE. */
    registry: RegistryKey,
  ) {
    this.#drive = drive;
    this.#state = state;
    this.#save = save;
    this.#registry = registry;
    this.#routesInForce = [...state.routes];
    const variables = variablesKey(registry);
    for (const [name, value] of Object.entries(ownVariables)) {
      const kind = value.includes("%") ? "ExpandString" : "String";
      if (variables.get(name) === undefined) variables.set(name, value, kind);
    }
    this.tellPending();
  }

  featureState(feature: string): HostState["features"][string] {
    return this.#state.features[feature] ?? "Available";
  }

  async setFeatureState(feature: string, state: HostState["features"][string]): Promise<void> {
    this.#drive.assertRoom();
    this.#state.features[feature] = state;
    this.tellPending();
    await this.#save();
  }

  /** Has the registry say why Windows waits for a reboot. */
  tellPending(): void {
    const keys = {
      "Component Based Servicing": "Component Based Servicing\\RebootPending",
      "Windows Update": "WindowsUpdate\\Auto Update\\RebootRequired",
    };
    for (const [reason, key] of Object.entries(keys)) {
      if (this.rebootPending.includes(reason)) this.#registry.make(`${versions}\\${key}`);
      else this.#registry.remove(`${versions}\\${key}`);
    }
  }

  /** Why Windows waits for a reboot; empty when it does not. */
  get rebootPending(): readonly string[] {
    const featurePending = Object.values(this.#state.features).includes("InstallPending");
    return [
      ...(featurePending ? ["Component Based Servicing"] : []),
      ...(this.#state.updatePending ? ["Windows Update"] : []),
    ];
  }

  /** An update has been installed that a reboot must finish; until then Windows installs no features. */
  async setUpdatePending(pending: boolean): Promise<void> {
    this.#state.updatePending = pending;
    this.tellPending();
    await this.#save();
  }

  /** Folders on the machine's PATH besides Windows' own. */
  get path(): readonly string[] {
    const value = variablesKey(this.#registry).values.get("path")?.data;
    const folders = typeof value === "string" ? value.split(";") : [];
    return folders.slice(ownVariables.Path.split(";").length);
  }

  /** A rule of the firewall by its name. */
  firewallRule(name: string): HostState["firewallRules"][string] | undefined {
    return this.#state.firewallRules[name];
  }

  /** Adds or changes a rule of the firewall; whether that changed anything. */
  async setFirewallRule(name: string, rule: HostState["firewallRules"][string]): Promise<boolean> {
    if (JSON.stringify(this.#state.firewallRules[name]) === JSON.stringify(rule)) return false;
    this.#state.firewallRules[name] = rule;
    await this.#save();
    return true;
  }

  /** Removes a rule of the firewall; whether it was there. */
  async removeFirewallRule(name: string): Promise<boolean> {
    return this.#removeKey(this.#state.firewallRules, name);
  }

  /** Folders and programs that Microsoft Defender leaves alone. */
  get defenderExclusions(): readonly string[] {
    return this.#state.defenderExclusions;
  }

  async setDefenderExclusions(paths: readonly string[]): Promise<void> {
    this.#state.defenderExclusions = [...paths];
    await this.#save();
  }

  /** Persistent routes, whoever made them. */
  get routes(): readonly Route[] {
    return this.#state.routes;
  }

  routesIn(store: RouteStore): readonly Route[] {
    return store === "ActiveStore" ? this.#routesInForce : this.#state.routes;
  }

  async addRoute(route: Route, stores: readonly RouteStore[] = routeStores): Promise<void> {
    await this.removeRoute(route, stores);
    if (stores.includes("ActiveStore")) this.#routesInForce.push(route);
    if (stores.includes("PersistentStore")) this.#state.routes.push({ ...route });
    await this.#save();
  }

  /** Removes a route from stores; whether it was in any. */
  async removeRoute(route: Route, stores: readonly RouteStore[] = routeStores): Promise<boolean> {
    const isOther = (each: Route): boolean => routeText(each) !== routeText(route);
    const others = stores.map((store) => this.routesIn(store).filter(isOther));
    const removed = stores.some((store, at) => others[at]?.length !== this.routesIn(store).length);
    for (const [at, store] of stores.entries()) {
      if (store === "ActiveStore") this.#routesInForce = others[at] ?? [];
      else this.#state.routes = others[at] ?? [];
    }
    await this.#save();
    return removed;
  }

  /** Rules about DNS for all names, whoever made them. */
  get dnsRules(): HostState["dnsRules"] {
    return this.#state.dnsRules;
  }

  async setDnsRules(rules: HostState["dnsRules"]): Promise<void> {
    this.#state.dnsRules = rules;
    await this.#save();
  }

  /** Names of the networks in HNS. */
  networks(): string[] {
    return Object.keys(this.#state.networks);
  }

  network(name: string): HostNetwork | undefined {
    return this.#state.networks[name];
  }

  /** Makes a network in HNS, or another one of its name. */
  async addNetwork(
    name: string,
    endpoints: readonly string[] = [],
    { type, addressPrefix } = { type: "Overlay", addressPrefix: "192.168.255.0/30" },
  ): Promise<void> {
    this.#state.networks[name] = { type, addressPrefix, endpoints: [...endpoints] };
    await this.#save();
  }

  /** Removes a network from HNS with its endpoints; whether it was there. */
  async removeNetwork(name: string): Promise<boolean> {
    return this.#removeKey(this.#state.networks, name);
  }

  async #removeKey(table: Record<string, unknown>, key: string): Promise<boolean> {
    if (!(key in table)) return false;
    delete table[key];
    await this.#save();
    return true;
  }
}
