/** 64 bits of hash that stand for a message id or a tool-call id, as two numbers of 32. */
export interface KeyHash {
  readonly low: number;
  readonly high: number;
}

/** Of four ASCII characters at a time, as every client's ids have them; wasm/assembly/keys.ts is its twin for those. */
export function keyHash(key: string): KeyHash {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let at = 0; at < key.length; at += 4) {
    const word = wordAt(key, at);
    low = Math.imul(low ^ word, 0x01000193);
    low ^= low >>> 15;
    high = Math.imul(high ^ (word + at), 0x5bd1e995);
    high ^= high >>> 13;
  }
  return { low: (low ^ key.length) >>> 0, high: high >>> 0 };
}

/** Four characters as one number: of ASCII the four bytes, of others a mix. */
function wordAt(key: string, at: number): number {
  let word = 0;
  for (let index = Math.min(key.length, at + 4) - 1; index >= at; index--) {
    const unit = key.charCodeAt(index);
    word = unit < 0x80 ? (word << 8) | unit : Math.imul(word ^ unit, 0x2c1b3c6d);
  }
  return word;
}
