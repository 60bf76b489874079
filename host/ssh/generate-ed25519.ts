import ssh2 from "ssh2";

/** Discards invalid pairs: ssh2 1.17 strips a leading zero byte of the public key, which breaks one pair in 256. */
export function generateEd25519(comment = ""): {
  readonly private: string;
  readonly public: string;
} {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync("ed25519", { comment });
    if (!(ssh2.utils.parseKey(pair.private) instanceof Error)) return pair;
  }
}
