#!/usr/bin/env node
import { serveProvider } from "../protocol/provider-service.ts";
import { dockerProvider } from "./provider.ts";

serveProvider(dockerProvider()).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
