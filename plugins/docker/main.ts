#!/usr/bin/env node
import { serveProvider } from "../protocol/provider-service.ts";
import { dockerProvider } from "./provider.ts";

serveProvider(dockerProvider());
