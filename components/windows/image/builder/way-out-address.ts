/** Port on the loopback of a machine that an image is built on; see way-out.ts. */
export const wayOutPort = 3128;

/** Proxy by which such a machine reaches registries. */
export const wayOut = `http://127.0.0.1:${wayOutPort}`;
