/**
 * `@pulumi/pulumi` for the bundled program: the same modules, without those that it never calls but that cost most of
 * the SDK's loading (automation, dynamic providers, serialized functions with their TypeScript and npm).
 */
export * from "@pulumi/pulumi/config.js";
export * from "@pulumi/pulumi/errors.js";
export * from "@pulumi/pulumi/metadata.js";
export * from "@pulumi/pulumi/output.js";
export * from "@pulumi/pulumi/resource.js";
export * as asset from "@pulumi/pulumi/asset/index.js";
export * as log from "@pulumi/pulumi/log/index.js";
export * as runtime from "./sdk-runtime.ts";
