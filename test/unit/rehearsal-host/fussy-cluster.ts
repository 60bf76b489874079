import {
  type FakeCluster,
  type FakeJoin,
  RecordingCluster,
} from "../../../rehearsal/host/fake/fake-cluster.ts";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { prepareThrough, startWithSteps } from "./step-runner.ts";

/** A cluster that can be asked to refuse. */
export class FussyCluster extends RecordingCluster implements FakeCluster {
  readonly joins: FakeJoin[] = [];
  refusals: string[] = [];
  onAuthorize: () => Promise<void> = () => Promise.resolve();
  unreachable = false;

  override connect(): Promise<undefined> {
    return Promise.resolve(this.unreachable ? ("connection refused" as never) : undefined);
  }

  override async authorize(attempt?: FakeJoin): Promise<void> {
    if (attempt) this.joins.push(attempt);
    await this.onAuthorize();
    const refusal = this.refusals.shift();
    if (refusal !== undefined) throw new Error(refusal);
  }
}

/** Such a cluster, and a machine that only lacks the join to it. */
export async function startJoinable(): Promise<{ host: RehearsalHost; cluster: FussyCluster }> {
  const cluster = new FussyCluster();
  const host = await startWithSteps({ cluster });
  await prepareThrough(host, "Set-HostsEntry");
  return { host, cluster };
}
