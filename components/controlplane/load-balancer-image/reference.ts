/** The image kind 0.33 starts in front of several control planes (its pkg/cluster/internal/loadbalancer). */
export const loadBalancerReference = "docker.io/envoyproxy/envoy:v1.36.2";

/** Label of the image built here: tells it from the real one, whose reference it bears. */
export const standInLabel = "kindows.stands-in-for";
