import { spawn } from "node:child_process";
import type { ServerWritableStream } from "@grpc/grpc-js";
import language from "@pulumi/pulumi/proto/language_pb.js";
import type {
  InstallDependenciesRequest,
  InstallDependenciesResponse,
} from "@pulumi/pulumi/proto/language_pb.js";

/** `pulumi install`: runs `npm install` in the program's folder and passes its output on. */
export function installDependencies(
  call: ServerWritableStream<InstallDependenciesRequest, InstallDependenciesResponse>,
): void {
  const folder = call.request.getInfo()?.getProgramDirectory() ?? call.request.getDirectory();
  const npm = spawn("npm", ["install", "--loglevel=error"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  npm.stdout.on("data", (data: Buffer) => {
    const response = new language.InstallDependenciesResponse();
    response.setStdout(data);
    call.write(response);
  });
  npm.stderr.on("data", (data: Buffer) => {
    const response = new language.InstallDependenciesResponse();
    response.setStderr(data);
    call.write(response);
  });
  npm.on("error", (error) => {
    call.emit("error", new Error(`npm could not be started: ${error.message}`));
  });
  npm.on("close", (code) => {
    if (code === 0) call.end();
    else call.emit("error", new Error(`npm install in ${folder} exited with ${String(code)}`));
  });
}
