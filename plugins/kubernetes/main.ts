#!/usr/bin/env node
import { serveProvider } from "../protocol/provider-service.ts";
import { kubernetesProvider } from "./provider.ts";

serveProvider(kubernetesProvider());
