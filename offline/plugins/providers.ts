import type { ProviderDefinition } from "./protocol/resource-type.ts";

/** The bundled providers, each loaded only when needed. */
export const providers: Readonly<Record<string, () => Promise<ProviderDefinition>>> = {
  command: async () => (await import("./command/provider.ts")).commandProvider,
  docker: async () => (await import("./docker/provider.ts")).dockerProvider(),
  kindows: async () => (await import("./kindows/provider.ts")).kindowsProvider,
  kubernetes: async () => (await import("./kubernetes/provider.ts")).kubernetesProvider(),
};
