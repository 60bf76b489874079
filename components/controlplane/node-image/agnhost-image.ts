/**
 * Kubernetes' own image for tests of its network, of the version that belongs to the Kubernetes this project builds. One
 * reference for all systems: containerd takes what fits its node's build out of the list.
 *
 * A node image that is built here carries one of the same name, for Linux.
 */
export const agnhostImage = "registry.k8s.io/e2e-test-images/agnhost:2.63.0";
