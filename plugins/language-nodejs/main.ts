#!/usr/bin/env node
import service from "@pulumi/pulumi/proto/language_grpc_pb.js";
import { servePlugin } from "../protocol/plugin-server.ts";
import { languageService } from "./language-service.ts";

/** Language host for Node.js programs: the engine asks it which plugins a program needs, and to run the program. */
servePlugin((server) => {
  server.addService(service.LanguageRuntimeService, languageService());
});
