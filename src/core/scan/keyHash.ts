/** 64 bits of hash that stand for a message id or a tool-call id, as two numbers of 32. */
export interface KeyHash {
  readonly low: number;
  readonly high: number;
}

export function keyHash(key: string): KeyHash {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let at = 0; at < key.length; at++) {
    const unit = key.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ (unit + at), 0x5bd1e995);
    high ^= high >>> 13;
  }
  return { low: low >>> 0, high: high >>> 0 };
}
