#!/usr/bin/env node
import { serveProvider } from "../protocol/provider-service.ts";
import { commandProvider } from "./provider.ts";

serveProvider(commandProvider);
