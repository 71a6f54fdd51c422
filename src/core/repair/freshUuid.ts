import { createHash } from 'node:crypto';

/**
 * A uuid for a row that shares its own with another: made from the uuid and the row's line (RFC 9562, version 5 layout),
 * so that a repair that was shown is the repair that is applied.
 */
export function freshUuid(uuid: string, line: number, attempt: number): string {
  const digest = createHash('sha1').update(`rethread ${uuid} ${line} ${attempt}`).digest();
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
