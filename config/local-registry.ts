/** A lab's registry: its name on this host and on all nodes, as in kind's guide, and where its container listens. */
export const localRegistry = {
  host: "localhost:5001",
  hostPort: 5001,
  containerPort: 5000,
  /**
   * The official image. By its tag alone: no source but the registry itself names a digest.
   *
   * offline/modules/registry has the same version.
   */
  image: "docker.io/library/registry:3.0.0",
} as const;
