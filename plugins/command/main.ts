#!/usr/bin/env node
import { serveProvider } from "../protocol/provider-service.ts";
import { commandProvider } from "./provider.ts";

serveProvider(commandProvider).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
