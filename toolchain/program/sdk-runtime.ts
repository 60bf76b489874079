/** `@pulumi/pulumi/runtime` for the bundled program; see sdk.ts. */
export * from "@pulumi/pulumi/runtime/config.js";
export * from "@pulumi/pulumi/runtime/invoke.js";
export * from "@pulumi/pulumi/runtime/resource.js";
export * from "@pulumi/pulumi/runtime/rpc.js";
export * from "@pulumi/pulumi/runtime/settings.js";
