/** The image that kind 0.33 starts in front of several control planes (its pkg/cluster/internal/loadbalancer). */
export const loadBalancerReference = "docker.io/envoyproxy/envoy:v1.36.2";

/** Label of the image built here, to distinguish it from the real one with the same reference. */
export const standInLabel = "kindows.stands-in-for";
