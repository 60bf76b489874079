/** The tests state what the official plugins do too: KINDOWS_PLUGINS=official runs them against those. */
export const official = process.env["KINDOWS_PLUGINS"] === "official";
